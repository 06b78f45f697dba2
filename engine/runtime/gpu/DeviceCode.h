// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the kernels of a module to the code of one GPU.
#ifndef LH_RUNTIME_GPU_DEVICECODE_H
#define LH_RUNTIME_GPU_DEVICECODE_H

#include "runtime/gpu/Chip.h"
#include "runtime/gpu/DeviceTools.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// What kernels become. Bitcode is LLVM's, after all optimisation for the
/// device: what a simulated one runs.
enum class DeviceForm { Bitcode, LlvmIr, Assembly, Cubin, Hsaco, SpirV, Zebin };

struct DeviceCode {
  std::string bytes;
  /// The assembly that it was made of; of a Zebin, what Intel's compiler says
  /// of its kernels (`.ze_info`). Empty for Bitcode, LlvmIr and SpirV.
  std::string assembly;
};

/// Whether a program has kernels, or loops that should have been: one whose
/// results have no elements needs neither.
bool needsKernels(mlir::ModuleOp module);

/// Compiles the kernels of `module`, which are in the LLVM dialect, or of
/// Vulkan's devices in the SPIR-V dialect, and puts a
/// gpu.binary in their place. Fails with a diagnostic at `where` when there is
/// no kernel, when a tool that it takes isn't there (a math library where the
/// code calls one: an unresolved call is left in Bitcode alone, whose device
/// has those functions), and when the compiler or a tool complains.
FailureOr<DeviceCode> compileKernels(mlir::ModuleOp module, const Chip &chip,
                                     DeviceForm form, const DeviceTools &tools,
                                     const SourceSpan &where,
                                     DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_GPU_DEVICECODE_H
