// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's tables of an architecture's instructions.
#include "runtime/model/InstructionSet.h"

#include "llvm/MC/MCTargetOptions.h"
#include "llvm/Support/TargetSelect.h"

using namespace lh;

std::unique_ptr<InstructionSet> InstructionSet::of(StringRef triple) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllDisassemblers();
  auto set = std::make_unique<InstructionSet>();
  set->triple = llvm::Triple(llvm::Triple::normalize(triple));
  std::string error;
  set->target = llvm::TargetRegistry::lookupTarget(set->triple, error);
  if (!set->target)
    return nullptr;
  set->registers.reset(set->target->createMCRegInfo(set->triple));
  set->assembly.reset(set->target->createMCAsmInfo(*set->registers, set->triple,
                                                   llvm::MCTargetOptions()));
  set->instructions.reset(set->target->createMCInstrInfo());
  set->analysis.reset(
      set->target->createMCInstrAnalysis(set->instructions.get()));
  return set;
}

std::unique_ptr<llvm::MCSubtargetInfo>
InstructionSet::core(StringRef name) const {
  std::unique_ptr<llvm::MCSubtargetInfo> plain(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!plain->isCPUStringValid(name))
    return nullptr;
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target->createMCSubtargetInfo(triple, name, ""));
}
