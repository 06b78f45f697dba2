// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for another machine, called by a runner there.
#ifndef LH_RUNTIME_EMULATED_RUNNEREXECUTABLE_H
#define LH_RUNTIME_EMULATED_RUNNEREXECUTABLE_H

#include "runtime/abi/Backend.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// Links `object`, whose packed entries are those of `abi`; each run starts the
/// target's emulator. `host` says where the runners are. Diagnostics point to
/// `where`.
FailureOr<std::unique_ptr<Executable>>
loadForRunner(StringRef object, ModuleAbi abi, const TargetSpec &target,
              const HostFacts &host, const SourceSpan &where,
              DiagnosticSink &sink);

/// A built library (runtime/deploy/BuildLibrary.h), to be called by its own
/// functions.
struct RunnerLibrary {
  std::string path;
  std::string name; ///< before its functions' names
};

/// The same with a library, whatever machine it is for. Its memory isn't
/// poisoned: it has an allocator of its own.
FailureOr<std::unique_ptr<Executable>>
loadLibraryForRunner(RunnerLibrary library, ModuleAbi abi,
                     const TargetSpec &target, const HostFacts &host,
                     const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_EMULATED_RUNNEREXECUTABLE_H
