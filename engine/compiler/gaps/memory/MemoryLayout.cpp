// Greedy by size: within a few percent of the best for the nets that we know.
#include "compiler/gaps/memory/MemoryLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <optional>

using namespace lh;

static bool meet(const BufferLife &a, const BufferLife &b) {
  return a.begin <= b.end && b.begin <= a.end;
}

/// The place for `buffer` among `taken`, which are in the way, by offset.
static int64_t placeFor(const BufferLife &buffer,
                        llvm::ArrayRef<std::pair<int64_t, int64_t>> taken) {
  std::optional<int64_t> best;
  int64_t bestGap = 0, free = 0;
  for (auto [begin, end] : taken) {
    int64_t start = static_cast<int64_t>(llvm::alignTo(
        static_cast<uint64_t>(free), static_cast<uint64_t>(buffer.alignment)));
    int64_t gap = begin - start;
    if (gap >= buffer.bytes && (!best || gap < bestGap)) {
      best = start;
      bestGap = gap;
    }
    free = std::max(free, end);
  }
  return best ? *best
              : static_cast<int64_t>(
                    llvm::alignTo(static_cast<uint64_t>(free),
                                  static_cast<uint64_t>(buffer.alignment)));
}

MemoryLayout lh::layOut(llvm::ArrayRef<BufferLife> buffers) {
  llvm::SmallVector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  MemoryLayout layout;
  layout.offsets.resize(buffers.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const BufferLife &buffer = buffers[order[i]];
    llvm::SmallVector<std::pair<int64_t, int64_t>> taken;
    for (size_t other : llvm::ArrayRef(order).take_front(i))
      if (meet(buffer, buffers[other]))
        taken.push_back({layout.offsets[other],
                         layout.offsets[other] + buffers[other].bytes});
    llvm::sort(taken);
    int64_t offset = placeFor(buffer, taken);
    layout.offsets[order[i]] = offset;
    layout.bytes = std::max(layout.bytes, offset + buffer.bytes);
  }
  return layout;
}
