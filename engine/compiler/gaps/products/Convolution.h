// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of images with channels last.
#ifndef LH_COMPILER_GAPS_PRODUCTS_CONVOLUTION_H
#define LH_COMPILER_GAPS_PRODUCTS_CONVOLUTION_H

#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/products/Windows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace lh {

/// result[n][y][x][f] += input[n][y..][x..][c] filter[...], of static sizes;
/// or result[n][p][f] += input[n][p][c] filter[...]; or with groups of channels
/// result[n][y][x][g][f] += input[n][y..][x..][g][c] filter[...].
struct Convolution {
  mlir::linalg::GenericOp op;
  Windows windows;
  int64_t filters; ///< of a group
  /// The filter's dimensions in the order of a window's, then the filters;
  /// groups before both.
  llvm::SmallVector<int64_t> filterOrder;
};

/// The filter's dimensions that go along these loops.
llvm::SmallVector<int64_t> filterOrder(mlir::AffineMap filter,
                                       llvm::ArrayRef<unsigned> loops);

/// `op` as a convolution of images, as lh-channels-last leaves them; of
/// numbers, or of words (lh-pack-words).
std::optional<Convolution> convolutionOf(mlir::linalg::GenericOp op);

/// The same, whatever is multiplied, and in whatever numbers it is summed up.
std::optional<Convolution> anyConvolutionOf(mlir::linalg::GenericOp op);

/// The same for groups of channels.
std::optional<Convolution> groupedConvolutionOf(mlir::linalg::GenericOp op);

/// The filter with its dimensions in the order `filterOrder`.
mlir::Value orderFilters(TensorBuilder &tensors,
                         const Convolution &convolution);

/// Replaces what `op` computes by its start, where that isn't zeros, plus
/// `sum`: apart, where it can be fused with what follows.
void replaceSum(TensorBuilder &tensors, mlir::linalg::GenericOp op,
                mlir::Value sum);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_CONVOLUTION_H
