// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What @prepare has made of a model's weights.
#ifndef LH_RUNTIME_CPU_PREPAREDWEIGHTS_H
#define LH_RUNTIME_CPU_PREPAREDWEIGHTS_H

#include "core/numerics/Tensor.h"
#include "runtime/abi/MemorySource.h"

namespace lh {

/// Tensors side by side in one block of `systemMemory()`, which has huge pages:
/// each call reads all of it, and of pages of 4 KiB more than the core keeps
/// translations of.
class PreparedWeights {
public:
  PreparedWeights() = default;
  /// Keeps the tensors as they are where there is no room for a block.
  explicit PreparedWeights(std::vector<Tensor> tensors);

  const std::byte *data(size_t index) const;
  ArrayRef<int64_t> shape(size_t index) const { return shapes[index]; }

private:
  struct GiveBack {
    void operator()(std::byte *block) const { systemMemory().giveBack(block); }
  };
  std::unique_ptr<std::byte, GiveBack> block;
  std::vector<size_t> offsets;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<Tensor> tensors; ///< without a block
};

} // namespace lh

#endif // LH_RUNTIME_CPU_PREPAREDWEIGHTS_H
