// Code in this process, called through its packed entry.
#ifndef LH_BACKEND_CPU_JITEXECUTABLE_H
#define LH_BACKEND_CPU_JITEXECUTABLE_H

#include "backend/Backend.h"

namespace lh {

class Arena;

/// Links `object`, whose packed entries are those of `abi` and whose
/// allocations go to `arena`. Diagnostics point to `where`.
FailureOr<std::unique_ptr<Executable>>
loadExecutable(std::string object, ModuleAbi abi, std::unique_ptr<Arena> arena,
               const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_BACKEND_CPU_JITEXECUTABLE_H
