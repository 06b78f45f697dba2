// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeded generation: repeatable, within its range, of the right shape.
#include "core/numerics/Generate.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <set>

using namespace lh;

static Tensor generate(DType dtype, int64_t count, Distribution distribution,
                       uint64_t seed, double low = -1, double high = 1) {
  return generateTensor(dtype, {count}, {distribution, low, high}, seed);
}

TEST_CASE("distributions are known by their words", "[generate]") {
  CHECK(parseDistribution("normal") == Distribution::Normal);
  CHECK(parseDistribution("ones") == Distribution::Ones);
  CHECK(!parseDistribution("gauss"));
  for (StringRef word : distributionWords())
    CHECK(parseDistribution(word));
}

TEST_CASE("a seed always gives the same numbers", "[generate]") {
  Tensor uniform = generate(DType::Float64, 3, Distribution::Uniform, 42, 0, 1);
  // xoshiro256** seeded by splitmix64(42), top 53 bits: known on any platform.
  CHECK(uniform.at(0) == 0x1.5780b2e0c2ec0p-4);
  Tensor normal = generate(DType::Float64, 3, Distribution::Normal, 42);
  Tensor again = generate(DType::Float64, 3, Distribution::Normal, 42);
  Tensor other = generate(DType::Float64, 3, Distribution::Normal, 43);
  for (int i = 0; i < 3; ++i) {
    CHECK(normal.at(i) == again.at(i));
    CHECK(normal.at(i) != other.at(i));
  }
}

TEST_CASE("names give different seeds", "[generate]") {
  CHECK(seedForName(1, "x") != seedForName(1, "y"));
  CHECK(seedForName(1, "x") != seedForName(2, "x"));
  CHECK(seedForName(1, "x") == seedForName(1, "x"));
}

TEST_CASE("normal numbers have mean 0 and deviation 1", "[generate]") {
  constexpr int64_t count = 100000;
  Tensor tensor = generate(DType::Float32, count, Distribution::Normal, 7);
  double sum = 0, squares = 0, beyondTwo = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = tensor.at(i);
    sum += value;
    squares += value * value;
    beyondTwo += std::fabs(value) > 2;
  }
  CHECK(sum / count == Approx(0).margin(0.02));
  CHECK(squares / count == Approx(1).margin(0.02));
  CHECK(beyondTwo / count == Approx(0.0455).margin(0.005));
}

TEST_CASE("uniform numbers fill their range evenly", "[generate]") {
  Tensor tensor =
      generate(DType::Float32, 10000, Distribution::Uniform, 7, 2, 6);
  double sum = 0;
  for (int64_t i = 0; i < 10000; ++i) {
    REQUIRE(tensor.at(i) >= 2);
    REQUIRE(tensor.at(i) <= 6);
    sum += tensor.at(i);
  }
  CHECK(sum / 10000 == Approx(4).margin(0.05));
}

TEST_CASE("integers take every value of their range", "[generate]") {
  for (DType dtype : {DType::Float16, DType::Float32, DType::Int8}) {
    Tensor tensor = generate(dtype, 1000, Distribution::Integers, 7, -2, 3);
    int seen[6] = {};
    for (int64_t i = 0; i < 1000; ++i) {
      REQUIRE(tensor.at(i) == std::floor(tensor.at(i)));
      REQUIRE(tensor.at(i) >= -2);
      REQUIRE(tensor.at(i) <= 3);
      ++seen[int(tensor.at(i)) + 2];
    }
    for (int count : seen)
      CHECK(count > 100);
  }
}

TEST_CASE("zeros, ones and coins", "[generate]") {
  for (DType dtype : {DType::Bool, DType::Int32, DType::BFloat16}) {
    CHECK(generate(dtype, 2, Distribution::Zeros, 1).at(1) == 0);
    CHECK(generate(dtype, 2, Distribution::Ones, 1).at(1) == 1);
  }
  Tensor coins = generate(DType::Bool, 1000, Distribution::Normal, 1);
  double heads = 0;
  for (int64_t i = 0; i < 1000; ++i)
    heads += coins.at(i);
  CHECK(heads == Approx(500).margin(80));
}

TEST_CASE("specials are few, and all kinds of them", "[generate]") {
  for (DType dtype :
       {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    Tensor tensor = generate(dtype, 4000, Distribution::Specials, 7);
    double normal = dtype == DType::Float16   ? 0x1p-14
                    : dtype == DType::Float64 ? 0x1p-1022
                                              : 0x1p-126;
    int nan = 0, infinite = 0, negativeZero = 0, tiny = 0, large = 0;
    for (int64_t i = 0; i < 4000; ++i) {
      double value = tensor.at(i);
      nan += std::isnan(value);
      infinite += std::isinf(value);
      negativeZero += value == 0 && std::signbit(value);
      tiny += value != 0 && std::fabs(value) < normal;
      large += std::isfinite(value) && std::fabs(value) > 60000;
    }
    CHECK(nan == 4);
    CHECK(infinite == 8);
    CHECK(negativeZero == 4);
    CHECK(tiny == 12);
    CHECK(large == 8);
  }
}

TEST_CASE("without extremes the squares of specials are finite", "[generate]") {
  Tensor tensor = generateTensor(DType::Float16, {4000},
                                 {Distribution::Specials, -1, 1, false}, 7);
  double largest = 0;
  for (int64_t i = 0; i < 4000; ++i)
    if (std::isfinite(tensor.at(i)))
      largest = std::max(largest, std::fabs(tensor.at(i)));
  CHECK(largest == 64);
}

TEST_CASE("specials of integers are the ends of their type", "[generate]") {
  Tensor bytes = generate(DType::Int8, 400, Distribution::Specials, 7);
  Tensor unsignedBytes = generate(DType::UInt8, 400, Distribution::Specials, 7);
  Tensor longs = generate(DType::Int64, 400, Distribution::Specials, 7);
  auto has = [](const Tensor &tensor, double wanted) {
    for (int64_t i = 0; i < tensor.elementCount(); ++i)
      if (tensor.at(i) == wanted)
        return true;
    return false;
  };
  CHECK(has(bytes, -128));
  CHECK(has(bytes, 127));
  CHECK(has(unsignedBytes, 255));
  CHECK(has(longs, -0x1p63));
  CHECK(has(longs, 0x1p63));
}

TEST_CASE("a tensor of few elements gets one special", "[generate]") {
  Tensor special = generate(DType::Float32, 3, Distribution::Specials, 1);
  Tensor normal = generate(DType::Float32, 3, Distribution::Normal, 1);
  int differ = 0;
  for (int64_t i = 0; i < 3; ++i)
    differ += !(special.at(i) == normal.at(i));
  CHECK(differ == 1);
  CHECK(generate(DType::Float32, 0, Distribution::Specials, 1).elementCount() ==
        0);
}

TEST_CASE("every other row may lie far from zero, without specials",
          "[generate]") {
  GenerateOptions options{.distribution = Distribution::Specials,
                          .extremes = false,
                          .offsets = true};
  for (auto [dtype, offset] :
       {std::pair(DType::Float16, 30.0), std::pair(DType::BFloat16, 300.0),
        std::pair(DType::Float32, 300.0), std::pair(DType::Float64, 1000.0)}) {
    Tensor tensor = generateTensor(dtype, {40, 40}, options, 7);
    std::set<int64_t> moved, above;
    for (int64_t row = 0; row < 40; ++row) {
      int64_t near = 0;
      for (int64_t i = 40 * row; i < 40 * (row + 1); ++i)
        near += std::fabs(std::fabs(tensor.at(i)) - offset) <= 8;
      if (near < 40)
        continue;
      moved.insert(row % 2);
      above.insert(tensor.at(40 * row) > 0);
      CHECK(std::signbit(tensor.at(40 * row + 39)) ==
            std::signbit(tensor.at(40 * row)));
    }
    CHECK(moved.size() == 1);
    CHECK(above.size() == 2);
  }
  // Integers have no exponential.
  Tensor bytes = generateTensor(DType::Int8, {40, 40}, options, 7);
  Tensor unmoved =
      generateTensor(DType::Int8, {40, 40}, {Distribution::Specials}, 7);
  CHECK(std::memcmp(bytes.data(), unmoved.data(), 1600) == 0);
}
