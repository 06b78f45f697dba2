// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often each piece of compiled code ran under an emulator.
#ifndef LH_RUNTIME_EMULATED_COUNTEDCODE_H
#define LH_RUNTIME_EMULATED_COUNTEDCODE_H

#include "runtime/emulated/MemoryFile.h"

#include <optional>

namespace lh {

/// Instructions in a row. Others may begin within it.
struct CountedPiece {
  uint64_t address = 0;
  uint64_t count = 0; ///< how often it ran
  std::string code;   ///< its bytes
};

struct CountedCode {
  int64_t vectorBits = 0;  ///< of the machine's scalable vectors; 0: none
  bool isComplete = false; ///< all that ran was counted
  std::vector<CountedPiece> pieces;
};

/// Memory for the emulator's plugin to count in. Check isUsable().
MemoryFile makeCountsMemory();

/// What was counted, as bytes for a file; and read from there. Nothing when
/// they are damaged.
std::string packCounts(const MemoryFile &memory);
std::optional<CountedCode> unpackCounts(StringRef bytes);

} // namespace lh

#endif // LH_RUNTIME_EMULATED_COUNTEDCODE_H
