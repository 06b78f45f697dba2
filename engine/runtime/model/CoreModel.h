// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's model of a core, for straight code.
#ifndef LH_RUNTIME_MODEL_COREMODEL_H
#define LH_RUNTIME_MODEL_COREMODEL_H

#include "core/bench/CycleModel.h"
#include "runtime/model/ExecutedCode.h"

namespace lh {

/// What llvm-mca does, as a library.
class CoreModel {
public:
  /// `set` must outlive it. Check isKnown(): LLVM may have no such core, or no
  /// model of it.
  CoreModel(const InstructionSet &set, StringRef core);

  bool isKnown() const;

  /// Of one round of the block, which runs many times in a row.
  ModelledCycles cyclesOf(const ExecutedBlock &block) const;

private:
  double peakCyclesOf(const ExecutedBlock &block) const;

  const InstructionSet &set;
  std::unique_ptr<llvm::MCSubtargetInfo> core;
};

} // namespace lh

#endif // LH_RUNTIME_MODEL_COREMODEL_H
