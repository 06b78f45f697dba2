// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of linalg ops on buffers: their launches, in one dimension, and what
// a thread computes.
#ifndef LH_COMPILER_GAPS_GPU_KERNELCODE_H
#define LH_COMPILER_GAPS_GPU_KERNELCODE_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace lh {

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// A launch and what a thread knows of itself.
struct KernelLaunch {
  mlir::gpu::LaunchOp op;
  mlir::Value block;
  mlir::Value thread;
  int64_t threads; ///< in a block
  int64_t lanes;   ///< threads of a block that run in step

  /// Before the terminator.
  mlir::OpBuilder inside() {
    return mlir::OpBuilder(op.getBody().back().getTerminator());
  }
  /// Memory that a block's threads share.
  mlir::Value share(llvm::ArrayRef<int64_t> shape, mlir::Type element);

  /// How many shares of a sum a block's threads have beside each other.
  int64_t sharesOfSum() const { return lanes == 1 ? threads : threads / lanes; }
  /// Memory for them, the same for all sums of a type: they follow each other.
  mlir::Value memoryOfSums(mlir::Type element);

private:
  llvm::SmallDenseMap<mlir::Type, mlir::Value, 2> sums;
};

/// What a device's blocks may have.
struct BlockLimits {
  int64_t threads;
  int64_t lanes; ///< threads that run in step; a power of two
  int64_t sharedBytes;

  /// Threads for `wanted` things that a block has to do: whole warps, at most
  /// `threads`, which they are too where it isn't known.
  int64_t threadsFor(std::optional<int64_t> wanted) const;
};

/// A launch where the builder stands. Its body is empty.
KernelLaunch openLaunch(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::OpFoldResult blocks, int64_t threads,
                        int64_t lanes);

/// Whether a block for each iteration, its threads sharing what is in it, can
/// do what the loop does.
bool canShareRows(mlir::scf::ForallOp loop);

/// Makes a kernel of the loop, and erases it. What an iteration keeps for
/// itself is in shared memory, or where that doesn't last in memory of its own
/// that is allocated before the launch.
void launchRows(mlir::IRRewriter &rewriter, mlir::scf::ForallOp loop,
                const BlockLimits &limits);

/// Has the kernels of products (`lh.product_launch`) in a function compute what
/// follows them elementwise, and start from constants.
void fuseIntoKernels(mlir::Operation *function);

//===----------------------------------------------------------------------===//
// Code of a thread
//===----------------------------------------------------------------------===//

/// The op, or the one that does what a `memref.copy` does, and takes its place.
mlir::linalg::LinalgOp linalgOf(mlir::IRRewriter &rewriter,
                                mlir::Operation *op);

/// The loops of a linalg op, as threads share them, and their sizes.
struct KernelLoops {
  /// Loops over points of the result, the one along memory last.
  llvm::SmallVector<unsigned> points;
  /// Loops over what is summed up (or reduced otherwise) for a point.
  llvm::SmallVector<unsigned> sums;
  llvm::SmallVector<mlir::OpFoldResult> pointSizes, sumSizes;
};

/// Computes the sizes where the builder stands.
KernelLoops loopsOf(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op);

/// The product of sizes where it is known.
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
                                        mlir::IRMapping given = {});

/// Where code runs for the first `count` of those whom `index` numbers alone.
mlir::OpBuilder byFirst(mlir::OpBuilder &builder, mlir::Value index,
                        mlir::OpFoldResult count);

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
