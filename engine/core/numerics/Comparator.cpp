// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares two tensors in one pass, block by block.
#include "core/numerics/Comparator.h"

#include "core/numerics/Statistics.h"
#include "core/numerics/Vectorise.h"

#include <cassert>
#include <cmath>
#include <limits>

using namespace lh;

Tolerance lh::builtInTolerance(DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return {1e-3, 4e-3, std::nullopt};
  case DType::BFloat16:
    return {1e-2, 3.2e-2, std::nullopt};
  case DType::Float32:
    return {1e-5, 1e-3, std::nullopt};
  case DType::Float64:
    return {1e-12, 1e-9, std::nullopt};
  default:
    // Integers and bool are exact. Of a wider reference, the small floats take
    // what it rounds to.
    return {0, 0,
            isSmallFloat(dtype) ? std::optional<int64_t>(0) : std::nullopt};
  }
}

double CompareResult::psnr() const {
  if (rmsAbs == 0)
    return std::numeric_limits<double>::infinity();
  return 20 * std::log10((maxExpected - minExpected) / rmsAbs);
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t dim : shape) {
    text += text.empty() ? "" : "x";
    text += std::to_string(dim);
  }
  return text.empty() ? "scalar" : text;
}

/// Whether all are within their errors. False where a special is, even if it
/// matches: the error is then no number.
static bool allWithin(const PairBlock &block) {
  bool all = false;
  vectorised([&block, &all] {
    int64_t within = 0;
#pragma omp simd reduction(+ : within)
    for (int64_t i = 0; i < block.size; ++i)
      within += block.error[i] <= block.allowed[i] ? 1 : 0;
    all = within == block.size;
  });
  return all;
}

/// The same where `ulp` excuses as well.
static bool allNear(const PairBlock &block, int64_t ulp) {
  bool all = false;
  vectorised([&block, ulp, &all] {
    constexpr double most = std::numeric_limits<double>::max();
    int64_t near = 0;
#pragma omp simd reduction(+ : near)
    for (int64_t i = 0; i < block.size; ++i) {
      int64_t within = block.error[i] <= block.allowed[i] ? 1 : 0;
      // The error of a special is no finite number.
      int64_t number = block.error[i] <= most ? 1 : 0;
      int64_t excused = block.distance[i] <= ulp ? 1 : 0;
      near += within | (number & excused);
    }
    all = near == block.size;
  });
  return all;
}

/// Whether a pair passes, one by one.
static bool passes(const PairBlock &block, int64_t i,
                   std::optional<int64_t> ulp) {
  double a = block.actual[i], e = block.expected[i];
  if (std::isfinite(a) && std::isfinite(e))
    return block.error[i] <= block.allowed[i] ||
           (ulp && block.distance[i] <= *ulp);
  return a == e || (std::isnan(a) && std::isnan(e)) ||
         std::isinf(block.allowed[i]);
}

static void checkBounds(const Tensor &expected, const Tensor *bounds) {
  (void)expected, (void)bounds;
  assert((!bounds || (bounds->dtype() == DType::Float64 &&
                      bounds->shape() == expected.shape())) &&
         "bounds are float64, one for each element");
}

bool lh::withinTolerance(const Tensor &actual, const Tensor &expected,
                         const Tolerance &tolerance, const Tensor *bounds) {
  if (actual.shape() != expected.shape())
    return false;
  checkBounds(expected, bounds);
  PairReader reader(actual, expected, tolerance, bounds);
  PairBlock block;
  for (int64_t first = 0; first < actual.elementCount();
       first += PairBlock::capacity) {
    reader.read(first, block);
    if (allWithin(block))
      continue;
    if (tolerance.ulp) {
      reader.measureDistances(block);
      if (allNear(block, *tolerance.ulp))
        continue;
    }
    for (int64_t i = 0; i < block.size; ++i)
      if (!passes(block, i, tolerance.ulp))
        return false;
  }
  return true;
}

CompareResult lh::compareTensors(const Tensor &actual, const Tensor &expected,
                                 const Tolerance &tolerance,
                                 const Tensor *bounds) {
  CompareResult result;
  result.tolerance = tolerance;
  if (actual.shape() != expected.shape()) {
    result.mismatch = "shape " + shapeText(actual.shape()) +
                      " differs from the expected " +
                      shapeText(expected.shape());
    return result;
  }
  checkBounds(expected, bounds);
  result.elements = actual.elementCount();
  PairReader reader(actual, expected, tolerance, bounds);
  Statistics statistics(result, actual.dtype(), result.elements);
  PairBlock block;
  for (int64_t first = 0; first < result.elements;
       first += PairBlock::capacity) {
    reader.read(first, block);
    reader.measureDistances(block);
    statistics.add(block);
  }
  statistics.finish(actual, expected);
  return result;
}
