// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counted code as instructions and basic blocks.
#ifndef LH_RUNTIME_MODEL_EXECUTEDCODE_H
#define LH_RUNTIME_MODEL_EXECUTEDCODE_H

#include "runtime/emulated/CountedCode.h"
#include "runtime/model/InstructionSet.h"

#include "llvm/MC/MCInst.h"

#include <map>

namespace lh {

struct ExecutedInstruction {
  uint64_t count = 0;
  uint64_t bytes = 0;
  llvm::MCInst instruction;
  StringRef unit; ///< unitOf()'s
  bool isMultiplyAdd = false, isLoad = false, isStore = false;
  bool isBranch = false; ///< or a call or a return: the last of its block
};

/// Instructions that follow each other and ran equally often.
struct ExecutedBlock {
  uint64_t count = 0;
  std::vector<const ExecutedInstruction *> instructions;

  uint64_t weight() const { return count * instructions.size(); }
  uint64_t multiplyAdds() const;
};

/// By address. The emulator's pieces overlap and end anywhere, an instruction
/// has the sum of those it is in. Bytes that are no instruction are left out.
std::map<uint64_t, ExecutedInstruction>
decodeExecuted(const CountedCode &counted, const InstructionSet &set);

/// In the order of addresses; they borrow the instructions.
std::vector<ExecutedBlock>
blocksOf(const std::map<uint64_t, ExecutedInstruction> &instructions);

} // namespace lh

#endif // LH_RUNTIME_MODEL_EXECUTEDCODE_H
