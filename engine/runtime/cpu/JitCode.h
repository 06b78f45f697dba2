// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Object code loaded into this process.
#ifndef LH_RUNTIME_CPU_JITCODE_H
#define LH_RUNTIME_CPU_JITCODE_H

#include "runtime/cpu/RuntimeSymbols.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace lh {

/// Code linked by ORC's JITLink; unloaded when destroyed. Starts no threads,
/// so that the process can still fork.
class JitCode {
public:
  /// Holds nothing; load() is the way to make one.
  JitCode();
  ~JitCode();

  /// Links `object` against `runtime` and what AllowedSymbols.h lets it have of
  /// the process. Other symbols, and those that neither has, are an error that
  /// names them all.
  static FailureOr<std::unique_ptr<JitCode>>
  load(std::string object, ArrayRef<RuntimeSymbol> runtime,
       ArrayRef<std::string> entries, const SourceSpan &where,
       DiagnosticSink &sink);

  /// The address of the i-th of load()'s entries.
  void *entry(size_t i) const { return addresses[i]; }

private:
  LogicalResult link(std::string object, ArrayRef<RuntimeSymbol> runtime,
                     ArrayRef<std::string> entries, const SourceSpan &where,
                     DiagnosticSink &sink);

  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<void *> addresses;
};

} // namespace lh

#endif // LH_RUNTIME_CPU_JITCODE_H
