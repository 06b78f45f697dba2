// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tries outputs that nobody would call right.
#include "core/numerics/Vacuity.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

using namespace lh;

static constexpr int64_t blockSize = 4096;

namespace {

/// A comparison, as compareTensors() is told of it.
struct Comparison {
  const Tensor &expected;
  DType actualType;
  const Tolerance &tolerance;
  const Tensor *bounds;
};

} // namespace

/// Equal, NaN being equal to NaN.
static bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

static Tensor slice(const Tensor &tensor, int64_t first, int64_t size) {
  Tensor part(tensor.dtype(), {size});
  std::memcpy(part.data(),
              tensor.data() + size_t(first) * byteSize(tensor.dtype()),
              part.sizeInBytes());
  return part;
}

/// Whether the output that has valueAt(i) at position i, asked for in order,
/// would pass.
template <typename ValueAt>
static bool wouldPass(const Comparison &comparison, ValueAt valueAt) {
  int64_t count = comparison.expected.elementCount();
  for (int64_t first = 0; first < count; first += blockSize) {
    int64_t size = std::min(blockSize, count - first);
    Tensor actual(comparison.actualType, {size});
    for (int64_t i = 0; i < size; ++i)
      actual.set(i, valueAt(first + i));
    Tensor bounds;
    if (comparison.bounds)
      bounds = slice(*comparison.bounds, first, size);
    if (!withinTolerance(actual, slice(comparison.expected, first, size),
                         comparison.tolerance,
                         comparison.bounds ? &bounds : nullptr))
      return false;
  }
  return true;
}

static bool isConstant(const Tensor &expected) {
  for (int64_t i = 1, e = expected.elementCount(); i < e; ++i)
    if (!same(expected.at(i), expected.at(0)))
      return false;
  return true;
}

static bool isUnjudged(const Tensor *bounds) {
  if (!bounds)
    return false;
  for (int64_t i = 0, e = bounds->elementCount(); i < e; ++i)
    if (std::isfinite(bounds->as<double>()[i]))
      return false;
  return true;
}

/// A value that is within every element's allowed error, if there is one.
static std::optional<double> commonValue(const Comparison &comparison) {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  const Tensor &expected = comparison.expected;
  for (int64_t i = 0, e = expected.elementCount(); i < e && low <= high; ++i) {
    double value = expected.at(i);
    double allowed = comparison.bounds
                         ? comparison.bounds->as<double>()[i]
                         : comparison.tolerance.atol +
                               comparison.tolerance.rtol * std::fabs(value);
    if (!std::isfinite(value) || !std::isfinite(allowed))
      continue; // the comparator itself decides about these
    low = std::max(low, value - allowed);
    high = std::min(high, value + allowed);
  }
  if (low > high)
    return std::nullopt;
  return std::midpoint(low, high);
}

static double meanOf(const Tensor &expected) {
  double sum = 0;
  int64_t finite = 0;
  for (int64_t i = 0, e = expected.elementCount(); i < e; ++i)
    if (double value = expected.at(i); std::isfinite(value)) {
      sum += value;
      ++finite;
    }
  return finite ? sum / double(finite) : 0;
}

/// The constant that would pass.
static std::optional<double> passingConstant(const Comparison &comparison) {
  std::optional<double> value = commonValue(comparison);
  if (!value && comparison.tolerance.ulp)
    value = meanOf(comparison.expected); // distances may excuse it yet
  if (value && wouldPass(comparison, [&](int64_t) { return *value; }))
    return value;
  return std::nullopt;
}

/// Position i takes the element at (step * i + start) modulo the count, with a
/// step that shares no factor with the count: each is taken once, without a
/// table.
static bool shuffledPasses(const Comparison &comparison, uint64_t seed) {
  const Tensor &expected = comparison.expected;
  int64_t count = expected.elementCount();
  std::mt19937_64 random(seed);
  auto below = [&](int64_t limit) {
    return int64_t(random() % uint64_t(limit));
  };
  int64_t step = 1 + below(count - 1), from = 1 + below(count - 1);
  while (std::gcd(step, count) != 1)
    step = step % (count - 1) + 1;
  bool differs = false;
  bool passes = wouldPass(comparison, [&](int64_t i) {
    double value = expected.at(from);
    differs |= !same(value, expected.at(i));
    from = from >= count - step ? from - (count - step) : from + step;
    return value;
  });
  return passes && differs;
}

static bool isUniformRow(const Tensor &expected, int64_t first, int64_t size) {
  double uniform = 1 / double(size), sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    double value = expected.at(first + i);
    // Negated, so that NaN isn't uniform either.
    if (!(std::fabs(value - uniform) <= 0.01 * uniform))
      return false;
    sum += value;
  }
  // In 16 bits and less all elements may have rounded the same way.
  double rounding = byteSize(expected.dtype()) <= 2 ? 5e-3 : 1e-4;
  return std::fabs(sum - 1) <= rounding;
}

static bool hasUniformRows(const Tensor &expected) {
  if (expected.shape().empty() || expected.shape().back() < 2 ||
      isInteger(expected.dtype()) || expected.dtype() == DType::Bool)
    return false;
  int64_t row = expected.shape().back();
  for (int64_t first = 0, e = expected.elementCount(); first < e; first += row)
    if (!isUniformRow(expected, first, row))
      return false;
  return true;
}

/// Whether a constant tensor of this type is worth a word.
static bool carriesInformation(DType dtype) {
  return dtype != DType::Bool && !(isInteger(dtype) && byteSize(dtype) >= 4);
}

static std::string number(double value) {
  if (std::isnan(value))
    return "NaN";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  return text;
}

/// What would pass though it is wrong.
static std::optional<VacuityFinding> wrongOutput(const Comparison &comparison,
                                                 bool constant, uint64_t seed) {
  if (isUnjudged(comparison.bounds))
    return {{Vacuity::Unjudged, "no element has a finite bound"}};
  bool zeros = constant && comparison.expected.at(0) == 0;
  if (!zeros && wouldPass(comparison, [](int64_t) { return 0; }))
    return {{Vacuity::Zeros, "an output of zeros would pass"}};
  if (constant)
    return std::nullopt;
  if (std::optional<double> value = passingConstant(comparison))
    return {{Vacuity::Constant,
             "an output of " + number(*value) + " everywhere would pass"}};
  if (shuffledPasses(comparison, seed))
    return {
        {Vacuity::Shuffled, "the expected values in another order would pass"}};
  return std::nullopt;
}

std::vector<VacuityFinding> lh::findVacuity(const Tensor &expected,
                                            DType actualType,
                                            const Tolerance &tolerance,
                                            const Tensor *bounds,
                                            uint64_t seed) {
  std::vector<VacuityFinding> findings;
  if (expected.elementCount() == 0)
    return findings;
  bool constant = isConstant(expected);
  Comparison comparison{expected, actualType, tolerance, bounds};
  if (auto finding = wrongOutput(comparison, constant, seed))
    findings.push_back(std::move(*finding));
  if (hasUniformRows(expected))
    findings.push_back({Vacuity::UniformRows,
                        "every row of the expected values is within 1 % of "
                        "uniform, which equal logits give as well"});
  else if (constant && expected.elementCount() > 1 &&
           carriesInformation(actualType))
    findings.push_back(
        {Vacuity::ConstantExpected,
         "the expected values are all " + number(expected.at(0))});
  return findings;
}
