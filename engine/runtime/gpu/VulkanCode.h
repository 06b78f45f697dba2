// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V for Vulkan's devices, from kernels in the SPIR-V dialect.
#ifndef LH_RUNTIME_GPU_VULKANCODE_H
#define LH_RUNTIME_GPU_VULKANCODE_H

#include "runtime/gpu/DeviceCode.h"

namespace lh {

/// Takes the `spirv.module` that stands for the kernels of `module` out of it,
/// as bytes (SpirV) or as text (Assembly); the `gpu.module` becomes a
/// gpu.binary without bytes. Fails with a diagnostic at `where` when there is
/// none, and when a kernel has more workgroup memory than the chip.
FailureOr<DeviceCode> takeShaders(mlir::ModuleOp module, const Chip &chip,
                                  DeviceForm form, const SourceSpan &where,
                                  DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_GPU_VULKANCODE_H
