// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a GPU's LLVM module into one for the host that calls the simulation.
#ifndef LH_RUNTIME_SIM_INSTRUMENTATION_H
#define LH_RUNTIME_SIM_INSTRUMENTATION_H

#include "runtime/sim/Launch.h"
#include "runtime/sim/Operation.h"

#include <deque>
#include <map>

namespace llvm {
class DataLayout;
class Instruction;
class Module;
class Triple;
} // namespace llvm

namespace lh {

/// What instrumented code refers to; at the same addresses while it exists.
struct SimSites {
  std::deque<SimSite> sites;
  std::map<std::string, SimOperation> operations;
};

/// Text and place of each instruction, taken before any is changed.
class SimSiteTexts {
public:
  explicit SimSiteTexts(const llvm::Module &module);
  SimSite describe(const llvm::Instruction &instruction) const;

private:
  struct Entry {
    std::string text, where;
    uint64_t order;
  };
  std::map<const llvm::Instruction *, Entry> entries;
};

/// Makes `module` one for the host: no attributes, calling conventions or
/// address spaces of the GPU are left.
void retarget(llvm::Module &module, const llvm::Triple &triple,
              const llvm::DataLayout &layout);

/// Calls of what the host doesn't have become calls of the simulation. All
/// that it doesn't have either are one error.
LogicalResult instrumentCalls(llvm::Module &module, const SimChip &chip,
                              const SimSiteTexts &texts, SimSites &sites,
                              const SourceSpan &where, DiagnosticSink &sink);

/// Each access to memory but a thread's own is checked first.
void instrumentAccesses(llvm::Module &module, const SimSiteTexts &texts,
                        SimSites &sites);

/// Loops count their turns.
void instrumentLoops(llvm::Module &module, const SimSiteTexts &texts,
                     SimSites &sites);

} // namespace lh

#endif // LH_RUNTIME_SIM_INSTRUMENTATION_H
