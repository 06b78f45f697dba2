// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Representable values, counted.
#include "core/numerics/Ordinal.h"

#include "core/numerics/Half.h"
#include "core/numerics/SmallFloat.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace lh;

static int64_t ordinalOfSmall(DType dtype, double value) {
  const SmallFloatFormat &format = smallFloatFormat(dtype);
  uint8_t code = encodeSmallFloat(dtype, value);
  if (!format.hasSign() || !(code & format.signBit()))
    return code;
  return -int64_t(code & (format.signBit() - 1));
}

int64_t lh::ordinalIn(DType dtype, double value) {
  if (isSmallFloat(dtype))
    return ordinalOfSmall(dtype, value);
  switch (dtype) {
  case DType::Float16:
    return ordinal(doubleToHalf(value));
  case DType::BFloat16:
    return ordinal(doubleToBFloat16(value));
  case DType::Float32:
    return ordinal(std::bit_cast<uint32_t>(float(value)));
  default:
    return ordinal(std::bit_cast<uint64_t>(value));
  }
}

double lh::smallestNormal(DType dtype) {
  if (isSmallFloat(dtype)) {
    const SmallFloatFormat &format = smallFloatFormat(dtype);
    return std::ldexp(1.0, format.hasSign() ? 1 - format.bias : -format.bias);
  }
  switch (dtype) {
  case DType::Float16:
    return 0x1p-14;
  case DType::BFloat16:
  case DType::Float32:
    return std::numeric_limits<float>::min();
  case DType::Float64:
    return std::numeric_limits<double>::min();
  default:
    return 1;
  }
}
