// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements as doubles, their errors and their distances.
#include "core/numerics/PairBlock.h"

#include "core/numerics/Half.h"
#include "core/numerics/Ordinal.h"
#include "core/numerics/SmallFloat.h"
#include "core/numerics/Vectorise.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace lh;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double largestDouble = std::numeric_limits<double>::max();
static constexpr int64_t maxDistance = std::numeric_limits<int64_t>::max();

/// The smallest magnitude that rounds to an infinity in `dtype`.
static double overflowLimit(DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return 0x1.ffep15;
  case DType::BFloat16:
    return 0x1.ffp127;
  case DType::Float32:
    return 0x1.ffffffp127;
  default:
    return infinity;
  }
}

//===-- Values ------------------------------------------------------------===//

template <typename T, typename Convert>
static void loadAs(const Tensor &tensor, int64_t first, int64_t size,
                   double *out, Convert convert) {
  const T *from = tensor.as<T>() + first;
  vectorised([=] {
#pragma omp simd
    for (int64_t i = 0; i < size; ++i)
      out[i] = double(convert(from[i]));
  });
}

/// The values of a small float's codes; of other types nothing.
static std::vector<double> valuesOfCodes(DType dtype) {
  std::vector<double> values;
  if (isSmallFloat(dtype))
    for (int code = 0; code < 256; ++code)
      values.push_back(decodeSmallFloat(dtype, uint8_t(code)));
  return values;
}

static void load(const Tensor &tensor, const std::vector<double> &codes,
                 int64_t first, int64_t size, double *out) {
  auto load = [&]<typename T>(T, auto convert) {
    loadAs<T>(tensor, first, size, out, convert);
  };
  switch (tensor.dtype()) {
  case DType::Float16:
    return load(uint16_t(), [](uint16_t bits) { return halfToFloat(bits); });
  case DType::BFloat16:
    return load(uint16_t(),
                [](uint16_t bits) { return bfloat16ToFloat(bits); });
  default:
    break;
  }
  if (isSmallFloat(tensor.dtype()))
    return load(uint8_t(),
                [value = codes.data()](uint8_t code) { return value[code]; });
  withStorage(tensor.dtype(),
              [&](auto zero) { load(zero, [](auto value) { return value; }); });
}

PairReader::PairReader(const Tensor &actual, const Tensor &expected,
                       const Tolerance &tolerance, const Tensor *bounds)
    : actual(actual), expected(expected), tolerance(tolerance), bounds(bounds),
      integers(!isAnyFloat(actual.dtype()) && !isAnyFloat(expected.dtype())),
      // Where only one is an integer, distances count in the float's type.
      counted(integers || isAnyFloat(actual.dtype()) ? actual.dtype()
                                                     : expected.dtype()),
      limit(overflowLimit(counted)), actualCodes(valuesOfCodes(actual.dtype())),
      expectedCodes(valuesOfCodes(expected.dtype())) {}

/// A wider reference may leave the range.
void PairReader::overflow(PairBlock &block) const {
  if (integers || limit == infinity || actual.dtype() == expected.dtype())
    return;
  vectorised([&block, limit = limit] {
#pragma omp simd
    for (int64_t i = 0; i < block.size; ++i) {
      double value = block.expected[i];
      block.expected[i] =
          std::fabs(value) >= limit ? std::copysign(infinity, value) : value;
    }
  });
}

static void measureErrors(PairBlock &block, const Tolerance &tolerance) {
  vectorised([&block, atol = tolerance.atol, rtol = tolerance.rtol] {
#pragma omp simd
    for (int64_t i = 0; i < block.size; ++i) {
      block.error[i] = std::fabs(block.actual[i] - block.expected[i]);
      double allowed = atol + rtol * std::fabs(block.expected[i]);
      // Only a bound of its own may leave an element unjudged.
      block.allowed[i] = allowed < largestDouble ? allowed : largestDouble;
    }
  });
}

static void allow(PairBlock &block, const Tensor &bounds) {
  vectorised([&block, given = bounds.as<double>() + block.first] {
#pragma omp simd
    for (int64_t i = 0; i < block.size; ++i) {
      double bound = given[i] > 0 ? given[i] : 0;
      // NaN, like infinity, allows any error.
      double allowed = given[i] <= largestDouble ? bound : infinity;
      bool number = std::fabs(block.expected[i]) <= largestDouble;
      block.allowed[i] =
          number || allowed == infinity ? allowed : largestDouble;
    }
  });
}

//===-- Integers of 64 bits, exactly --------------------------------------===//

static bool isWide(DType dtype) {
  return dtype == DType::Int64 || dtype == DType::UInt64;
}

static __int128 wideAt(const Tensor &tensor, int64_t i) {
  if (tensor.dtype() == DType::Int64)
    return tensor.as<int64_t>()[i];
  if (tensor.dtype() == DType::UInt64)
    return tensor.as<uint64_t>()[i];
  return static_cast<__int128>(tensor.at(i));
}

static void measureWide(PairBlock &block, const Tensor &actual,
                        const Tensor &expected) {
  for (int64_t i = 0; i < block.size; ++i) {
    __int128 difference =
        wideAt(actual, block.first + i) - wideAt(expected, block.first + i);
    if (difference < 0)
      difference = -difference;
    block.error[i] = double(difference);
    block.distance[i] =
        difference > maxDistance ? maxDistance : int64_t(difference);
  }
}

/// Asks for the block after the one at `first`: its bytes arrive while that one
/// is measured.
static void prefetchNext(const Tensor &tensor, int64_t first) {
  auto bytes = int64_t(byteSize(tensor.dtype()));
  int64_t from = (first + PairBlock::capacity) * bytes;
  int64_t end = std::min(from + PairBlock::capacity * bytes,
                         int64_t(tensor.sizeInBytes()));
  for (int64_t at = from; at < end; at += 64)
    __builtin_prefetch(tensor.data() + at);
}

void PairReader::read(int64_t first, PairBlock &block) const {
  block.first = first;
  block.hasGaps = false;
  block.size = std::min(PairBlock::capacity, actual.elementCount() - first);
  prefetchNext(actual, first);
  prefetchNext(expected, first);
  load(actual, actualCodes, first, block.size, block.actual);
  load(expected, expectedCodes, first, block.size, block.expected);
  overflow(block);
  measureErrors(block, tolerance);
  if (bounds)
    allow(block, *bounds);
  if (integers && (isWide(actual.dtype()) || isWide(expected.dtype())))
    measureWide(block, actual, expected);
}

//===-- Distances ---------------------------------------------------------===//

/// Where ordinals are of 32 bits and less.
template <typename OrdinalOf>
static void measureNarrow(PairBlock &block, OrdinalOf ordinalOf) {
  vectorised([&block, ordinalOf] {
#pragma omp simd
    for (int64_t i = 0; i < block.size; ++i) {
      int64_t difference =
          ordinalOf(block.actual[i]) - ordinalOf(block.expected[i]);
      block.distance[i] = difference < 0 ? -difference : difference;
    }
  });
}

template <typename OrdinalOf>
static void measureWide(PairBlock &block, OrdinalOf ordinalOf) {
  vectorised([&block, ordinalOf] {
#pragma omp simd
    for (int64_t i = 0; i < block.size; ++i) {
      int64_t a = ordinalOf(block.actual[i]), e = ordinalOf(block.expected[i]);
      // Unsigned: doubles of different signs may be further apart than 2^63.
      uint64_t distance =
          a > e ? uint64_t(a) - uint64_t(e) : uint64_t(e) - uint64_t(a);
      block.distance[i] =
          distance > uint64_t(maxDistance) ? maxDistance : int64_t(distance);
    }
  });
}

namespace {

/// ordinalIn() for the formats below 32 bits that have a sign, without a
/// branch.
class NarrowOrdinal {
public:
  NarrowOrdinal(int fractionBits, int bias, int64_t largest)
      : shift(52 - fractionBits), rebias(int64_t(1023 - bias) << fractionBits),
        largest(largest), smallestNormal(std::ldexp(1.0, 1 - bias)),
        toUnits(std::ldexp(1.0, bias - 1 + fractionBits)) {}

  int64_t operator()(double value) const {
    double magnitude = std::fabs(value);
    auto bits = std::bit_cast<uint64_t>(magnitude);
    // To nearest, ties to even; a carry runs into the exponent.
    uint64_t even = (bits >> shift) & 1;
    uint64_t half = (uint64_t(1) << (shift - 1)) - 1;
    int64_t normal = int64_t((bits + half + even) >> shift) - rebias;
    // Adding 2^52 leaves no room for a fraction.
    double units = magnitude < smallestNormal ? magnitude * toUnits : 0;
    int64_t subnormal =
        std::bit_cast<int64_t>(units + 0x1p52) - std::bit_cast<int64_t>(0x1p52);
    int64_t result = magnitude < smallestNormal ? subnormal : normal;
    result = result > largest ? largest : result;
    return value < 0 ? -result : result;
  }

private:
  int64_t shift, rebias, largest;
  double smallestNormal, toUnits;
};

} // namespace

static void measureSmallFloats(PairBlock &block, DType dtype) {
  const SmallFloatFormat &format = smallFloatFormat(dtype);
  if (format.hasSign())
    return measureNarrow(
        block, NarrowOrdinal(format.fractionBits, format.bias, format.largest));
  // Powers of two round in their own way.
  for (int64_t i = 0; i < block.size; ++i)
    block.distance[i] = std::abs(ordinalIn(dtype, block.actual[i]) -
                                 ordinalIn(dtype, block.expected[i]));
}

void PairReader::measureDistances(PairBlock &block) const {
  if (integers && (isWide(actual.dtype()) || isWide(expected.dtype())))
    return; // with the errors
  if (integers)
    return vectorised([&block] {
#pragma omp simd
      for (int64_t i = 0; i < block.size; ++i)
        block.distance[i] = int64_t(block.error[i]);
    });
  if (isSmallFloat(counted))
    return measureSmallFloats(block, counted);
  switch (counted) {
  case DType::Float16:
    return measureNarrow(block, NarrowOrdinal(10, 15, 0x7c00));
  case DType::BFloat16:
    return measureNarrow(block, NarrowOrdinal(7, 127, 0x7f80));
  case DType::Float32:
    return measureNarrow(block, [](double value) {
      return ordinal(std::bit_cast<uint32_t>(float(value)));
    });
  default:
    return measureWide(block, [](double value) {
      return ordinal(std::bit_cast<uint64_t>(value));
    });
  }
}
