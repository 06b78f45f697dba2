// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code, loaded to be simulated.
#ifndef LH_RUNTIME_SIM_SIMMODULE_H
#define LH_RUNTIME_SIM_SIMMODULE_H

#include "runtime/cpu/JitCode.h"
#include "runtime/sim/Instrumentation.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace lh {

class SimModule {
public:
  /// Refuses operations that aren't simulated, by name.
  static FailureOr<std::unique_ptr<SimModule>> load(StringRef bitcode,
                                                    const SimChip &chip,
                                                    const SourceSpan &where,
                                                    DiagnosticSink &sink);

  /// Null: there is none.
  const SimKernel *findKernel(StringRef name) const;
  std::vector<std::string> kernelNames() const;
  /// Whether all of it is in a variable of the module.
  bool ownsMemory(const void *address, uint64_t bytes) const;

private:
  struct Variable {
    std::string name;
    uint64_t bytes = 0;
    const char *address = nullptr;
  };
  LogicalResult instrument(llvm::Module &module, const SimChip &chip,
                           const llvm::TargetMachine &machine,
                           const SourceSpan &where, DiagnosticSink &sink);
  LogicalResult link(std::string object, const SourceSpan &where,
                     DiagnosticSink &sink);
  void exposeVariables(llvm::Module &module);

  std::vector<SimKernel> kernels;
  std::vector<Variable> variables;
  SimSites sites;
  std::unique_ptr<JitCode> code;
};

} // namespace lh

#endif // LH_RUNTIME_SIM_SIMMODULE_H
