// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's tables of an architecture's instructions.
#ifndef LH_RUNTIME_MODEL_INSTRUCTIONSET_H
#define LH_RUNTIME_MODEL_INSTRUCTIONSET_H

#include "core/support/Diagnostic.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"

#include <memory>

namespace lh {

struct InstructionSet {
  llvm::Triple triple;
  const llvm::Target *target = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;

  /// Null when LLVM knows no such architecture.
  static std::unique_ptr<InstructionSet> of(StringRef triple);

  /// A core by LLVM's name; null when it knows none.
  std::unique_ptr<llvm::MCSubtargetInfo> core(StringRef name) const;
};

} // namespace lh

#endif // LH_RUNTIME_MODEL_INSTRUCTIONSET_H
