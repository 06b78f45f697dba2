// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where buffers lie in one block of memory that they share over time.
#ifndef LH_CORE_SUPPORT_MEMORYLAYOUT_H
#define LH_CORE_SUPPORT_MEMORYLAYOUT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace lh {

/// A buffer, and the first and the last moment at which it holds something.
struct BufferLife {
  int64_t bytes = 0;
  unsigned begin = 0, end = 0;
};

struct MemoryLayout {
  std::vector<int64_t> offsets; ///< by buffer
  int64_t bytes = 0;            ///< of the whole block
};

/// Gives buffers that live at the same time different places, at multiples of
/// `alignment`: the largest first, each into the smallest gap that it fits in.
MemoryLayout layOut(llvm::ArrayRef<BufferLife> buffers, int64_t alignment);

} // namespace lh

#endif // LH_CORE_SUPPORT_MEMORYLAYOUT_H
