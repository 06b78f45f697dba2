// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the plugin's memory to a file and back: first the head of the memory,
// then the blocks that are in use, then their code.
#include "runtime/emulated/CountedCode.h"

#include "runtime/emulated/BlockCounts.h"

#include <cstddef>
#include <cstring>

using namespace lh;

static constexpr size_t headBytes = offsetof(LhBlockCounts, blocks);

MemoryFile lh::makeCountsMemory() {
  MemoryFile memory(sizeof(LhBlockCounts));
  if (memory.isUsable())
    reinterpret_cast<LhBlockCounts *>(memory.data())->version =
        LH_COUNTS_VERSION;
  return memory;
}

std::string lh::packCounts(const MemoryFile &memory) {
  const auto &counts = *reinterpret_cast<const LhBlockCounts *>(memory.data());
  std::string bytes(reinterpret_cast<const char *>(&counts), headBytes);
  bytes.append(reinterpret_cast<const char *>(counts.blocks),
               counts.blockCount * sizeof(LhBlock));
  bytes.append(reinterpret_cast<const char *>(counts.code), counts.codeBytes);
  return bytes;
}

/// Takes the next `size` bytes; false when there are fewer.
static bool take(StringRef &bytes, void *to, size_t size) {
  if (bytes.size() < size)
    return false;
  std::memcpy(to, bytes.data(), size);
  bytes = bytes.drop_front(size);
  return true;
}

std::optional<CountedCode> lh::unpackCounts(StringRef bytes) {
  alignas(LhBlockCounts) char room[headBytes];
  if (!take(bytes, room, headBytes))
    return std::nullopt;
  const auto &head = *reinterpret_cast<const LhBlockCounts *>(room);
  if (head.version != LH_COUNTS_VERSION || head.blockCount > LH_COUNTS_BLOCKS)
    return std::nullopt;
  CountedCode counted{head.vectorBits, head.isFull == 0, {}};
  std::vector<LhBlock> blocks(head.blockCount);
  if (!blocks.empty() &&
      !take(bytes, blocks.data(), blocks.size() * sizeof(LhBlock)))
    return std::nullopt;
  for (const LhBlock &block : blocks) {
    if (block.code > bytes.size() || block.bytes > bytes.size() - block.code)
      return std::nullopt;
    counted.pieces.push_back({block.address, block.count,
                              bytes.substr(block.code, block.bytes).str()});
  }
  return counted;
}
