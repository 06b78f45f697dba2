// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All kernels of a program in one module.
#ifndef LH_COMPILER_GAPS_GPU_KERNELMODULES_H
#define LH_COMPILER_GAPS_GPU_KERNELMODULES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace lh {

/// Outlining makes a gpu.module of each launch: joins them to one, so that the
/// device's tools run once and an image holds a whole program. Kernels that
/// bear one name are numbered. Null when there is none.
mlir::gpu::GPUModuleOp joinKernelModules(mlir::ModuleOp module);

} // namespace lh

#endif // LH_COMPILER_GAPS_GPU_KERNELMODULES_H
