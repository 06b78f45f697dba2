// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What @prepare has made of a model's weights.
#include "runtime/cpu/PreparedWeights.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace lh;

/// Of a cache line, and of a tensor's own memory.
static constexpr size_t alignment = 64;

PreparedWeights::PreparedWeights(std::vector<Tensor> made)
    : tensors(std::move(made)) {
  size_t size = 0;
  for (const Tensor &tensor : tensors) {
    offsets.push_back(size);
    shapes.push_back(tensor.shape().vec());
    size += (tensor.sizeInBytes() + alignment - 1) / alignment * alignment;
  }
  if (size > 0)
    block.reset(static_cast<std::byte *>(systemMemory().take(size, alignment)));
  if (!block)
    return;
  for (auto [tensor, offset] : llvm::zip_equal(tensors, offsets)) {
    if (tensor.sizeInBytes() > 0)
      std::memcpy(block.get() + offset, tensor.data(), tensor.sizeInBytes());
    tensor = Tensor(); // there is never much of both
  }
  tensors.clear();
}

const std::byte *PreparedWeights::data(size_t index) const {
  return block ? block.get() + offsets[index] : tensors[index].data();
}
