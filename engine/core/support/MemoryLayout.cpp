// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Greedy by size: within a few percent of the best for the nets that we know.
#include "core/support/MemoryLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace lh;

static bool meet(const BufferLife &a, const BufferLife &b) {
  return a.begin <= b.end && b.begin <= a.end;
}

/// The place for so many bytes among `taken`, which are in the way, by offset.
static int64_t placeFor(int64_t bytes, int64_t alignment,
                        llvm::ArrayRef<std::pair<int64_t, int64_t>> taken) {
  std::optional<int64_t> best;
  int64_t bestGap = 0, free = 0;
  for (auto [begin, end] : taken) {
    int64_t gap = begin - free;
    if (gap >= bytes && (!best || gap < bestGap)) {
      best = free;
      bestGap = gap;
    }
    free = std::max(free, llvm::divideCeilSigned(end, alignment) * alignment);
  }
  return best.value_or(free);
}

MemoryLayout lh::layOut(llvm::ArrayRef<BufferLife> buffers, int64_t alignment) {
  auto order = llvm::to_vector(llvm::seq(buffers.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  MemoryLayout layout;
  layout.offsets.resize(buffers.size());
  for (auto [i, own] : llvm::enumerate(order)) {
    const BufferLife &buffer = buffers[own];
    llvm::SmallVector<std::pair<int64_t, int64_t>> taken;
    for (size_t other : llvm::ArrayRef(order).take_front(i))
      if (meet(buffer, buffers[other]))
        taken.push_back({layout.offsets[other],
                         layout.offsets[other] + buffers[other].bytes});
    llvm::sort(taken);
    int64_t offset = placeFor(buffer.bytes, alignment, taken);
    layout.offsets[own] = offset;
    layout.bytes = std::max(layout.bytes, offset + buffer.bytes);
  }
  return layout;
}
