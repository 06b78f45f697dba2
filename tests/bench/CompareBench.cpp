// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times the comparator against copying memory; tests/bench/bench.py calls it.
//
//   bench-compare ROUNDS ELEMENTS
//
// Prints a line per element type: its name, then the medians over the rounds
// of verdict / memcpy, of statistics / memcpy, and the memcpy's milliseconds.
// The memcpy is of one tensor's bytes into another, both touched before; in
// each round it runs next to what it is compared with. All is CPU time of the
// one thread: other work on the machine doesn't count.
#include "core/numerics/Comparator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace lh;

/// Seconds of CPU time.
template <typename Work> static double secondsOf(Work work) {
  std::clock_t start = std::clock();
  work();
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Values between -8 and 8 with errors in the last places; of integers every
/// thousandth is off by one.
static void fill(Tensor &actual, Tensor &expected) {
  uint64_t state = 1;
  auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double(state >> 40) * 0x1p-24;
  };
  bool exact = isInteger(actual.dtype());
  for (int64_t i = 0, e = actual.elementCount(); i < e; ++i) {
    double value = exact ? std::floor(next() * 200) - 100 : next() * 16 - 8;
    double error = exact ? next() < 1e-3 : value * (next() - 0.5) * 1e-6;
    expected.set(i, value);
    actual.set(i, value + error);
  }
}

/// Whether the verdict was that which fill() prepared.
static bool measure(DType actualType, DType expectedType, int64_t elements,
                    size_t rounds) {
  Tensor actual(actualType, {elements}), expected(expectedType, {elements});
  fill(actual, expected);
  Tensor copy(actualType, {elements});
  auto copyOnce = [&] {
    std::memcpy(copy.data(), actual.data(), actual.sizeInBytes());
  };
  copyOnce();
  Tolerance tolerance{1, 1e-2, {}};
  bool passed = true;
  std::vector<double> copies, verdicts, statistics;
  for (size_t round = 0; round < rounds; ++round) {
    copies.push_back(secondsOf(copyOnce));
    verdicts.push_back(secondsOf([&] {
                         passed &= withinTolerance(actual, expected, tolerance);
                       }) /
                       copies.back());
    double again = secondsOf(copyOnce);
    statistics.push_back(
        secondsOf([&] {
          passed &= compareTensors(actual, expected, tolerance).passed;
        }) /
        again);
  }
  std::string name = dtypeName(actualType).str();
  if (actualType != expectedType)
    name += "/" + dtypeName(expectedType).str();
  std::printf("%s %.3f %.3f %.3f\n", name.c_str(), median(verdicts),
              median(statistics), median(copies) * 1e3);
  return passed;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench-compare ROUNDS ELEMENTS\n");
    return 2;
  }
  size_t rounds = std::strtoul(argv[1], nullptr, 10);
  int64_t elements = std::strtol(argv[2], nullptr, 10);
  bool passed = true;
  for (auto [actual, expected] :
       {std::pair(DType::Float32, DType::Float32),
        std::pair(DType::Float32, DType::Float64),
        std::pair(DType::Float64, DType::Float64),
        std::pair(DType::Float16, DType::Float16),
        std::pair(DType::Float16, DType::Float64),
        std::pair(DType::BFloat16, DType::BFloat16),
        std::pair(DType::Float8E4M3FN, DType::Float8E4M3FN),
        std::pair(DType::Int8, DType::Int8),
        std::pair(DType::Int32, DType::Int32),
        std::pair(DType::Int64, DType::Int64)})
    passed &= measure(actual, expected, elements, rounds);
  return passed ? 0 : 1;
}
