// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dense tensors as plain data: element type, shape, bytes.
#ifndef LH_CORE_NUMERICS_TENSOR_H
#define LH_CORE_NUMERICS_TENSOR_H

#include "core/support/Diagnostic.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lh {

/// Element types, named as ONNX names them (lower case). The order is ours.
/// Every element has bytes of its own in memory: those of four and two bits
/// take one byte each, sign-extended where they have a sign (float4e2m1 keeps
/// its four bits as they are). Only files hold them packed.
enum class DType {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
  Float8E8M0,
  Float4E2M1,
  Int4,
  UInt4,
  Int2,
  UInt2
};

/// By DType.
inline constexpr StringRef dtypeNames[] = {
    "bool",           "int8",         "int16",          "int32",
    "int64",          "uint8",        "uint16",         "uint32",
    "uint64",         "float16",      "bfloat16",       "float32",
    "float64",        "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
    "float8e5m2fnuz", "float8e8m0",   "float4e2m1",     "int4",
    "uint4",          "int2",         "uint2"};

/// Calls `visit` with a zero of the type that holds an element of `dtype` in
/// memory: the bits of floats of 16 bits and fewer are an unsigned integer.
template <typename Visit>
decltype(auto) withStorage(DType dtype, Visit &&visit) {
  switch (dtype) {
  case DType::Bool:
  case DType::UInt8:
  case DType::UInt4:
  case DType::UInt2:
  case DType::Float8E4M3FN:
  case DType::Float8E4M3FNUZ:
  case DType::Float8E5M2:
  case DType::Float8E5M2FNUZ:
  case DType::Float8E8M0:
  case DType::Float4E2M1:
    return visit(uint8_t());
  case DType::Int8:
  case DType::Int4:
  case DType::Int2:
    return visit(int8_t());
  case DType::Int16:
    return visit(int16_t());
  case DType::Int32:
    return visit(int32_t());
  case DType::Int64:
    return visit(int64_t());
  case DType::UInt16:
  case DType::Float16:
  case DType::BFloat16:
    return visit(uint16_t());
  case DType::UInt32:
    return visit(uint32_t());
  case DType::UInt64:
    return visit(uint64_t());
  case DType::Float32:
    return visit(float());
  case DType::Float64:
    return visit(double());
  }
  llvm_unreachable("all element types are above");
}

/// Bytes per element in memory (bool is one byte, 0 or 1).
size_t byteSize(DType dtype);
/// Bits per element in a file: 4 and 2 for the packed types.
unsigned storedBits(DType dtype);
/// Whether files pack several elements into a byte, the first one in its low
/// bits.
inline bool isPacked(DType dtype) { return storedBits(dtype) < 8; }
/// The floats that can be computed with: 16 to 64 bits.
bool isFloat(DType dtype);
/// The floats of eight and four bits (core/numerics/SmallFloat.h), which are
/// only kept and converted.
bool isSmallFloat(DType dtype);
/// Either.
inline bool isAnyFloat(DType dtype) {
  return isFloat(dtype) || isSmallFloat(dtype);
}
/// Integers of any width; not bool.
bool isInteger(DType dtype);
/// The element of a packed type in the low bits of `bits`, as memory holds it.
uint8_t unpackElement(DType dtype, uint8_t bits);
/// Bytes that `count` elements take in a file.
size_t storedBytes(DType dtype, size_t count);
/// Unpacks as many elements of a packed type as `elements` has bytes from
/// storedBytes() bytes.
void unpackElements(DType dtype, const uint8_t *packed,
                    llvm::MutableArrayRef<uint8_t> elements);
/// "float32", "bfloat16", "uint8", "bool", ...
StringRef dtypeName(DType dtype);
/// Accepts dtypeName()'s words and MLIR's short forms ("f32", "i64", "ui8")
/// of the types that MLIR keeps in memory as we do.
std::optional<DType> parseDType(StringRef name);

/// The bytes such a tensor needs; nothing when a dimension is negative or the
/// product of those that aren't zero doesn't fit in 63 bits.
std::optional<size_t> checkedSizeInBytes(DType dtype, ArrayRef<int64_t> shape);

/// An owned, contiguous, row-major tensor. The buffer is 64-byte aligned and
/// at least one byte long even when the tensor holds no element.
class Tensor {
public:
  Tensor() = default;
  /// Uninitialised elements. Asserts that every dimension is >= 0.
  Tensor(DType dtype, std::vector<int64_t> shape);

  DType dtype() const { return type; }
  ArrayRef<int64_t> shape() const { return dims; }
  int64_t elementCount() const { return count; }
  size_t sizeInBytes() const;

  const std::byte *data() const { return bytes.get(); }
  std::byte *data() { return bytes.get(); }
  template <typename T> const T *as() const {
    return reinterpret_cast<const T *>(bytes.get());
  }
  template <typename T> T *as() { return reinterpret_cast<T *>(bytes.get()); }

  /// Element `i` (row-major) as a double. 64-bit integers beyond 2^53 round.
  double at(int64_t i) const;
  /// Stores `value` converted to the element type (floats round to nearest
  /// even, those of eight and four bits saturate; integers truncate and
  /// saturate).
  void set(int64_t i, double value);

private:
  struct AlignedFree {
    void operator()(std::byte *p) const;
  };
  DType type = DType::Float32;
  std::vector<int64_t> dims;
  int64_t count = 0;
  std::unique_ptr<std::byte, AlignedFree> bytes;
};

/// A tensor with the name it has in the model.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

} // namespace lh

#endif // LH_CORE_NUMERICS_TENSOR_H
