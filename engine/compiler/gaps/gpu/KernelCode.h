// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the threads of a kernel compute of a linalg op on buffers.
#ifndef LH_COMPILER_GAPS_GPU_KERNELCODE_H
#define LH_COMPILER_GAPS_GPU_KERNELCODE_H

#include "compiler/gaps/gpu/KernelLaunch.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace lh {

/// The loops of a linalg op, as threads share them.
struct KernelLoops {
  /// Size of each loop.
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  /// Loops over points of the result, the one along memory last.
  llvm::SmallVector<unsigned> points;
  /// Loops over what is summed up (or reduced otherwise) for a point.
  llvm::SmallVector<unsigned> sums;
};

/// Computes the sizes where the builder stands.
KernelLoops loopsOf(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op);

/// The sizes of some loops, and their product where it is known.
llvm::SmallVector<mlir::OpFoldResult> sizesOf(const KernelLoops &loops,
                                              llvm::ArrayRef<unsigned> which);
std::optional<int64_t> knownProduct(llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// The product of sizes, a constant where all are known.
mlir::OpFoldResult productOf(mlir::OpBuilder &builder, mlir::Location loc,
                             llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// Where the `index`-th element lies in a box of `sizes`, the last dimension
/// running fastest.
llvm::SmallVector<mlir::Value>
placeOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index,
        llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// Where an operand's element for these loops' indices lies.
llvm::SmallVector<mlir::Value> addressOf(mlir::OpBuilder &builder,
                                         mlir::linalg::LinalgOp op,
                                         mlir::OpOperand &operand,
                                         llvm::ArrayRef<mlir::Value> indices);

/// What the body yields at these indices. What isn't in `given` of its
/// arguments, and used, is loaded.
llvm::SmallVector<mlir::Value> emitBody(mlir::OpBuilder &builder,
                                        mlir::linalg::LinalgOp op,
                                        llvm::ArrayRef<mlir::Value> indices,
                                        mlir::IRMapping given);

/// Where code runs by the first of those whom `index` numbers alone.
mlir::OpBuilder byFirst(mlir::OpBuilder &builder, mlir::Value index);

/// Code of a thread for every so many-th element of a box of `sizes`, from its
/// own on: `emit` gets its place and what was carried, and yields the next.
mlir::ValueRange
forEach(mlir::OpBuilder &builder, mlir::Location loc,
        const KernelLaunch &launch, llvm::ArrayRef<mlir::OpFoldResult> sizes,
        mlir::ValueRange carried,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(
            mlir::OpBuilder &, llvm::ArrayRef<mlir::Value>, mlir::ValueRange)>
            emit);

/// Computes and stores one point of each result: the places in
/// `loops.points`. One thread goes over the whole sum.
void emitPoint(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
               const KernelLoops &loops, llvm::ArrayRef<mlir::Value> point);

/// Whether a block's threads can combine their shares of the op's sum.
bool canShareSum(mlir::linalg::LinalgOp op);

/// Computes one point by all threads of a block, each its share of the sum. To
/// be reached by all of them. What it reads of shared memory last may be
/// overwritten behind a barrier only.
void emitSharedPoint(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
                     const KernelLoops &loops,
                     llvm::ArrayRef<mlir::Value> point, KernelLaunch &launch);

} // namespace lh

#endif // LH_COMPILER_GAPS_GPU_KERNELCODE_H
