// Dense tensors as plain data: element type, shape, bytes.
#ifndef LH_NUMERICS_TENSOR_H
#define LH_NUMERICS_TENSOR_H

#include "support/Diagnostic.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lh {

/// Element types, named as ONNX names them (lower case). The order is ours.
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
  Float64
};

/// Bytes per element (bool is one byte, 0 or 1).
size_t byteSize(DType dtype);
bool isFloat(DType dtype);
/// "float32", "bfloat16", "uint8", "bool", ...
StringRef dtypeName(DType dtype);
/// Accepts dtypeName()'s words and MLIR's short forms ("f32", "i64", "ui8").
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
  /// even, integers truncate and saturate).
  void set(int64_t i, double value);

  /// Fills with a pattern that no correct result has: NaN for floats, 0xCD
  /// bytes for the rest.
  void poison();

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

#endif // LH_NUMERICS_TENSOR_H
