// What the threads of a kernel compute of a linalg op on buffers.
#ifndef LH_COMPILER_GAPS_GPU_KERNELCODE_H
#define LH_COMPILER_GAPS_GPU_KERNELCODE_H

#include "compiler/gaps/gpu/KernelLaunch.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

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
