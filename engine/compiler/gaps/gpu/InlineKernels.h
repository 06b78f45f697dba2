// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What upstream's dialects for GPUs don't say of their operations.
#ifndef LH_COMPILER_GAPS_GPU_INLINEKERNELS_H
#define LH_COMPILER_GAPS_GPU_INLINEKERNELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace lh {

/// Functions with operations of amdgpu and nvgpu can be inlined.
void registerKernelInlining(mlir::DialectRegistry &registry);

} // namespace lh

#endif // LH_COMPILER_GAPS_GPU_INLINEKERNELS_H
