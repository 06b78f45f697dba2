// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system's memory, in huge pages where it is large.
#include "runtime/abi/MemorySource.h"

#include <cstdlib>

#include <sys/mman.h>

using namespace lh;

namespace {
constexpr size_t hugePage = size_t(2) << 20;

class SystemMemory : public MemorySource {
public:
  void *take(size_t bytes, size_t alignment) override {
    if (bytes >= hugePage && alignment < hugePage)
      alignment = hugePage;
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *block = std::aligned_alloc(alignment, rounded);
    if (block && bytes >= hugePage)
      ::madvise(block, rounded, MADV_HUGEPAGE); // a hint: failure is harmless
    return block;
  }
  void giveBack(void *block) override { std::free(block); }
};
} // namespace

MemorySource &lh::systemMemory() {
  static SystemMemory memory; // it holds nothing
  return memory;
}
