// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that carry values, and the slices that they read and write.
#ifndef LH_COMPILER_INGRESS_EMIT_EMITTERLOOP_H
#define LH_COMPILER_INGRESS_EMIT_EMITTERLOOP_H

#include "compiler/ingress/emit/Emitter.h"

namespace lh {

/// A loop's body: the counter and the carried values in, the next values out.
using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::Value, mlir::ValueRange)>;

/// scf.for from 0 to `count`. The body emits through the same Emitter; carried
/// tensors keep their type and sizes.
llvm::SmallVector<mlir::Value> emitLoop(Emitter &emit, mlir::OpFoldResult count,
                                        llvm::ArrayRef<mlir::Value> inits,
                                        LoopBody body);

/// A slice without the dimensions marked in `dropped`, which have size 1.
mlir::Value sliceWithout(Emitter &emit, mlir::Value tensor, Sizes offsets,
                         Sizes sizes, llvm::ArrayRef<bool> dropped);

/// `target` with `part` written at `offsets`; `sizes` are those that the part
/// covers, 1 for each dimension that it lacks.
mlir::Value insertSlice(Emitter &emit, mlir::Value part, mlir::Value target,
                        Sizes offsets, Sizes sizes);

} // namespace lh

#endif // LH_COMPILER_INGRESS_EMIT_EMITTERLOOP_H
