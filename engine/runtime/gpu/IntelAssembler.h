// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intel's compiler from SPIR-V to a GPU's own code, run ahead of time.
#ifndef LH_RUNTIME_GPU_INTELASSEMBLER_H
#define LH_RUNTIME_GPU_INTELASSEMBLER_H

#include "runtime/gpu/DeviceTools.h"

namespace lh {

/// A program for one of Intel's GPUs: an ELF file as their Level Zero and
/// OpenCL drivers load it.
struct Zebin {
  std::string bytes;
  /// Its section `.ze_info`: YAML, with registers, spills, shared memory and
  /// instructions of each kernel.
  std::string info;
};

/// SPIR-V to native code by ocloc. Fails with a diagnostic at `where` when
/// there is no ocloc, it complains, or writes no such file.
FailureOr<Zebin> assembleSpirV(StringRef spirv, StringRef chip,
                               const DeviceTools &tools,
                               const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_GPU_INTELASSEMBLER_H
