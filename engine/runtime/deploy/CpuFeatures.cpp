// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares LLVM's features with the list that libraries know.
#include "runtime/deploy/CpuFeatures.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace lh;

static constexpr const char *x86Features[] = {
#define LH_X86(NAME) NAME,
#include "runtime/deploy/CpuFeatures.def"
};
static constexpr const char *aarch64Features[] = {
#define LH_AARCH64(NAME, WORD, BIT) NAME,
#include "runtime/deploy/CpuFeatures.def"
};
static constexpr const char *riscvFeatures[] = {
#define LH_RISCV64(NAME, LETTER) NAME,
#include "runtime/deploy/CpuFeatures.def"
};

static llvm::ArrayRef<const char *> knownFeatures(const llvm::Triple &triple) {
  if (triple.isX86())
    return x86Features;
  if (triple.isAArch64())
    return aarch64Features;
  return riscvFeatures;
}

std::vector<std::string>
lh::neededFeatures(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &used = *machine.getMCSubtargetInfo();
  std::vector<std::string> needed;
  for (const char *name : knownFeatures(machine.getTargetTriple()))
    if (used.checkFeatures(std::string("+") + name))
      needed.push_back(name);
  return needed;
}
