// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a kernel's result: the elementwise op that alone reads it.
#ifndef LH_COMPILER_GAPS_GPU_KERNELRESULT_H
#define LH_COMPILER_GAPS_GPU_KERNELRESULT_H

#include "compiler/gaps/Buffers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace lh {

/// All that `buffer` and views of it are used by, views themselves left out.
llvm::SmallVector<mlir::Operation *> accessesOf(mlir::Value buffer);

/// The op by which `buffer`, a kernel's result, is read elementwise.
struct Epilogue {
  mlir::linalg::LinalgOp op;
  unsigned input = 0; ///< which operand of `op` the result is
  /// How the result is seen: a corner of it, then some dimensions split up.
  mlir::memref::SubViewOp corner;
  mlir::memref::ExpandShapeOp split;
};

/// The epilogue of `launch`, which writes `result`; nothing when others read
/// the result too, or what reads it isn't elementwise.
std::optional<Epilogue> epilogueOf(mlir::gpu::LaunchOp launch,
                                   mlir::Value result);

/// Writes what `epilogue` makes of `values`, the elements of the kernel's
/// result that begin at `position` and lie side by side.
void storeThrough(mlir::ImplicitLocOpBuilder &b, const Epilogue &epilogue,
                  llvm::ArrayRef<mlir::Value> values,
                  llvm::ArrayRef<mlir::Value> position);

} // namespace lh

#endif // LH_COMPILER_GAPS_GPU_KERNELRESULT_H
