// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of schedules: kernels in MLIR text.
#ifndef LH_COMPILER_GAPS_GPU_LENDKERNELS_H
#define LH_COMPILER_GAPS_GPU_LENDKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace lh {

/// Copies those functions of `schedule` that `payload` has no symbol for into
/// it, privately, so that transform.func.cast_and_call finds them by name, and
/// `lh.kernel_code`. Their names.
llvm::SmallVector<std::string> lendKernels(mlir::ModuleOp schedule,
                                           mlir::ModuleOp payload);

/// Erases those of the private functions `names` that nothing calls.
void takeBackKernels(llvm::ArrayRef<std::string> names, mlir::ModuleOp payload);

} // namespace lh

#endif // LH_COMPILER_GAPS_GPU_LENDKERNELS_H
