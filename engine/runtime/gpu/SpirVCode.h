// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From LLVM IR to SPIR-V for Intel's GPUs.
#ifndef LH_RUNTIME_GPU_SPIRVCODE_H
#define LH_RUNTIME_GPU_SPIRVCODE_H

#include "runtime/gpu/DeviceCode.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace llvm {
class Module;
} // namespace llvm

namespace lh {

/// The triple of SPIR-V for OpenCL's and Level Zero's drivers.
inline constexpr StringRef spirvTriple = "spirv64-unknown-unknown";

/// a*b+c may become one fused multiply-add, which rounds once instead of twice:
/// the only liberty taken, as on CPUs.
void allowFusion(llvm::Module &module);

/// Makes `form` of kernels in the LLVM dialect (Bitcode, LlvmIr, Assembly;
/// SpirV for all others). MLIR's serializer for these GPUs isn't used: it gives
/// the first kernel subgroups of 16 lanes, whatever it asks for, and calls
/// nobody back. LLVM's backend can't take arrays that go from block to block
/// (docs/upstream, spirv-phi-of-arrays), and vectors of more than 16 elements,
/// which SPIR-V lacks (spirv-long-vectors): both are split.
FailureOr<std::string> compileSpirV(mlir::gpu::GPUModuleOp kernels,
                                    DeviceForm form, const SourceSpan &where,
                                    DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_GPU_SPIRVCODE_H
