// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's assembler, run ahead of time.
#ifndef LH_RUNTIME_GPU_ASSEMBLER_H
#define LH_RUNTIME_GPU_ASSEMBLER_H

#include "runtime/gpu/DeviceTools.h"

namespace lh {

/// PTX to a cubin by ptxas. Fails with a diagnostic at `where` when there is
/// no ptxas or it complains.
FailureOr<std::string> assemblePtx(StringRef ptx, StringRef chip,
                                   const DeviceTools &tools,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink);

/// What `ptxas -v` says of each kernel: registers, spills, shared memory.
FailureOr<std::string> reportOnPtx(StringRef ptx, StringRef chip,
                                   const DeviceTools &tools,
                                   const SourceSpan &where,
                                   DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_GPU_ASSEMBLER_H
