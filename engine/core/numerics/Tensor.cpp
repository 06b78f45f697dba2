// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types and the tensor's storage.
#include "core/numerics/Tensor.h"

#include "core/numerics/Half.h"
#include "core/numerics/SmallFloat.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

using namespace lh;

static constexpr std::align_val_t alignment{64};

size_t lh::byteSize(DType dtype) {
  return withStorage(dtype, [](auto zero) { return sizeof(zero); });
}

unsigned lh::storedBits(DType dtype) {
  switch (dtype) {
  case DType::Float4E2M1:
  case DType::Int4:
  case DType::UInt4:
    return 4;
  case DType::Int2:
  case DType::UInt2:
    return 2;
  default:
    return unsigned(8 * byteSize(dtype));
  }
}

bool lh::isFloat(DType dtype) {
  return dtype >= DType::Float16 && dtype <= DType::Float64;
}

bool lh::isSmallFloat(DType dtype) {
  return dtype >= DType::Float8E4M3FN && dtype <= DType::Float4E2M1;
}

bool lh::isInteger(DType dtype) {
  return dtype != DType::Bool && !isFloat(dtype) && !isSmallFloat(dtype);
}

uint8_t lh::unpackElement(DType dtype, uint8_t bits) {
  assert(isPacked(dtype) && "other types are whole bytes");
  unsigned above = 8 - storedBits(dtype);
  auto top = uint8_t(bits << above);
  if (dtype == DType::Int4 || dtype == DType::Int2)
    return uint8_t(int8_t(top) >> above);
  return uint8_t(top >> above);
}

size_t lh::storedBytes(DType dtype, size_t count) {
  if (!isPacked(dtype))
    return count * byteSize(dtype);
  size_t perByte = 8 / storedBits(dtype);
  return count / perByte + (count % perByte != 0);
}

void lh::unpackElements(DType dtype, const uint8_t *packed,
                        llvm::MutableArrayRef<uint8_t> elements) {
  size_t bits = storedBits(dtype), perByte = 8 / bits;
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = unpackElement(
        dtype, uint8_t(packed[i / perByte] >> (i % perByte * bits)));
}

StringRef lh::dtypeName(DType dtype) { return dtypeNames[size_t(dtype)]; }

std::optional<DType> lh::parseDType(StringRef name) {
  if (const auto *found = llvm::find(dtypeNames, name);
      found != std::end(dtypeNames))
    return static_cast<DType>(found - std::begin(dtypeNames));
  // As MLIR writes them.
  return llvm::StringSwitch<std::optional<DType>>(name)
      .Case("i1", DType::Bool)
      .Cases({"i8", "si8"}, DType::Int8)
      .Cases({"i16", "si16"}, DType::Int16)
      .Cases({"i32", "si32"}, DType::Int32)
      .Cases({"i64", "si64"}, DType::Int64)
      .Case("ui8", DType::UInt8)
      .Case("ui16", DType::UInt16)
      .Case("ui32", DType::UInt32)
      .Case("ui64", DType::UInt64)
      .Case("f16", DType::Float16)
      .Case("bf16", DType::BFloat16)
      .Case("f32", DType::Float32)
      .Case("f64", DType::Float64)
      .Default(std::nullopt);
}

std::optional<size_t> lh::checkedSizeInBytes(DType dtype,
                                             ArrayRef<int64_t> shape) {
  int64_t bytes = int64_t(byteSize(dtype));
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return std::nullopt;
    if (dim == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, dim, &bytes))
      return std::nullopt;
  }
  return empty ? 0 : size_t(bytes);
}

void Tensor::AlignedFree::operator()(std::byte *p) const {
  ::operator delete(p, alignment);
}

Tensor::Tensor(DType dtype, std::vector<int64_t> shape)
    : type(dtype), dims(std::move(shape)) {
  std::optional<size_t> size = checkedSizeInBytes(dtype, dims);
  assert(size && "the caller checks shapes that come from outside");
  count = int64_t(*size / byteSize(dtype));
  bytes.reset(static_cast<std::byte *>(
      ::operator new(std::max<size_t>(*size, 1), alignment)));
}

size_t Tensor::sizeInBytes() const { return size_t(count) * byteSize(type); }

double Tensor::at(int64_t i) const {
  assert(i >= 0 && i < count && "index out of range");
  switch (type) {
  case DType::Float16:
    return halfToFloat(as<uint16_t>()[i]);
  case DType::BFloat16:
    return bfloat16ToFloat(as<uint16_t>()[i]);
  default:
    break;
  }
  if (isSmallFloat(type))
    return decodeSmallFloat(type, as<uint8_t>()[i]);
  return withStorage(type, [&]<typename T>(T) { return double(as<T>()[i]); });
}

/// Integers truncate towards zero; what lies outside goes to the nearest end,
/// NaN to 0.
template <typename T> static T saturate(double value) {
  if constexpr (std::is_floating_point_v<T>)
    return T(value);
  if (std::isnan(value))
    return 0;
  // Both ends as doubles; the upper one may round up to 2^63 or 2^64, which is
  // then already outside.
  if (value <= double(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= double(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return T(value);
}

/// The same for the integers of four and two bits.
static int8_t saturateTo(DType dtype, double value) {
  bool hasSign = dtype == DType::Int4 || dtype == DType::Int2;
  int count = 1 << storedBits(dtype), low = hasSign ? -count / 2 : 0;
  return int8_t(std::clamp<int>(saturate<int8_t>(value), low, low + count - 1));
}

void Tensor::set(int64_t i, double value) {
  assert(i >= 0 && i < count && "index out of range");
  switch (type) {
  case DType::Bool:
    as<uint8_t>()[i] = value != 0;
    return;
  case DType::Float16:
    as<uint16_t>()[i] = doubleToHalf(value);
    return;
  case DType::BFloat16:
    as<uint16_t>()[i] = doubleToBFloat16(value);
    return;
  case DType::Int4:
  case DType::UInt4:
  case DType::Int2:
  case DType::UInt2:
    as<int8_t>()[i] = saturateTo(type, value);
    return;
  default:
    break;
  }
  if (isSmallFloat(type))
    as<uint8_t>()[i] = encodeSmallFloat(type, value);
  else
    withStorage(type, [&]<typename T>(T) { as<T>()[i] = saturate<T>(value); });
}
