// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps: what the tensor memory accelerator knows of a tensor.
#ifndef LH_RUNTIME_SIM_TENSORMAPS_H
#define LH_RUNTIME_SIM_TENSORMAPS_H

#include "runtime/abi/Device.h"

#include <optional>

namespace lh {

/// How rows of a tile are laid out in shared memory: 16-byte pieces of an
/// address trade places by the address' higher bits.
enum class SimSwizzle : uint8_t { None, Of32, Of64, Of128 };

/// The address that `address` is moved to. The pattern depends on address bits
/// 7 and up, so it repeats every 256, 512 or 1024 bytes.
inline uintptr_t swizzled(uintptr_t address, SimSwizzle swizzle) {
  constexpr uintptr_t masks[] = {0, 1, 3, 7};
  return address ^ (address >> 7 & masks[static_cast<size_t>(swizzle)]) << 4;
}

/// What `tensorMapBytes` bytes hold here; a real device has its own form.
struct SimTensorMap {
  uint64_t magic = 0;
  char *address = nullptr;
  uint64_t sizes[5] = {};
  uint64_t strides[4] = {}; ///< in bytes, without the innermost
  uint16_t box[5] = {};
  uint8_t rank = 0, elementBytes = 0;
  SimSwizzle swizzle = SimSwizzle::None;
  bool fillsWithNan = false;

  uint64_t boxBytes() const {
    uint64_t bytes = elementBytes;
    for (unsigned i = 0; i < rank; ++i)
      bytes *= box[i];
    return bytes;
  }
};

/// What cuTensorMapEncodeTiled asks of a shape; says why it would refuse.
struct SimTensorMapProblem {
  DiagKind kind;
  std::string text;
};
std::optional<SimTensorMapProblem>
encodeSimTensorMap(const TensorMapShape &shape, SimTensorMap &map);

/// None: `at` holds no tensor map.
std::optional<SimTensorMap> readSimTensorMap(const void *at);

} // namespace lh

#endif // LH_RUNTIME_SIM_TENSORMAPS_H
