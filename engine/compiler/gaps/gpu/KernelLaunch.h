// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels in one dimension, and what they may read.
#ifndef LH_COMPILER_GAPS_GPU_KERNELLAUNCH_H
#define LH_COMPILER_GAPS_GPU_KERNELLAUNCH_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lh {

/// Lanes that run in step, on the device that has most of them.
inline constexpr int64_t lanesOfWarp = 32;

/// A launch and what a thread knows of itself.
struct KernelLaunch {
  mlir::gpu::LaunchOp op;
  mlir::Value block;
  mlir::Value thread;
  int64_t threads; ///< in a block

  /// Before the terminator.
  mlir::OpBuilder inside() {
    return mlir::OpBuilder(op.getBody().back().getTerminator());
  }
};

/// A launch where the builder stands. Its body is empty.
KernelLaunch openLaunch(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::OpFoldResult blocks, int64_t threads);

/// Threads for `wanted` things that a block has to do: whole warps, at most
/// `most`, which they are too where it isn't known.
int64_t threadsFor(std::optional<int64_t> wanted, int64_t most);

/// Whether a block for each iteration, its threads sharing what is in it, can
/// do what the loop does.
bool canShareRows(mlir::scf::ForallOp loop);

/// Makes a kernel of the loop, and erases it. What an iteration keeps for
/// itself is in shared memory, `sharedBytes` at most, or else in memory of its
/// own that is allocated before the launch.
void launchRows(mlir::IRRewriter &rewriter, mlir::scf::ForallOp loop,
                int64_t threads, int64_t sharedBytes);

/// Has the kernels of products (`lh.product`) in a function compute what
/// follows them elementwise, and start from constants.
void fuseIntoKernels(mlir::Operation *function);

} // namespace lh

#endif // LH_COMPILER_GAPS_GPU_KERNELLAUNCH_H
