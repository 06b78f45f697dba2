// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel asks of a product's operands, and the form that it reads them
// in.
#ifndef LH_COMPILER_GAPS_GPU_PRODUCTLAYOUT_H
#define LH_COMPILER_GAPS_GPU_PRODUCTLAYOUT_H

#include "compiler/gaps/products/Convolution.h"

#include "llvm/Support/MathExtras.h"

namespace lh {

/// What the kernel asks for.
struct ProductLayout {
  llvm::SmallVector<int64_t> tile; ///< rows, columns, along the sum
  int64_t rounds = 1;              ///< tiles along the sum, at least
  bool turned = false;             ///< whether B is read by columns

  /// What sums of this length are padded to a multiple of.
  int64_t sumMultiple(int64_t length) const {
    return length < tile[2] * rounds ? tile[2] * rounds : tile[2];
  }
};

inline int64_t roundUp(int64_t number, int64_t multiple) {
  return llvm::divideCeilSigned(number, multiple) * multiple;
}

/// A product in roles of its loops, each in the result's order.
struct ProductForm {
  std::optional<Convolution> convolution; ///< if it is one
  llvm::SmallVector<unsigned, 2> batch, rows, columns, sum;
};

/// The roles in a contraction, or in a convolution of images; none in others.
ProductForm formOf(mlir::linalg::LinalgOp product);

/// `tensor` between zeros: at `first`, in a tensor of `shape`.
mlir::Value padded(TensorBuilder &tensors, mlir::Value tensor,
                   llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> first = {});

/// Two matrices: the rows of the first times the columns of the second.
struct MatrixOperands {
  mlir::Value left, right;
};

/// The product that a convolution is: windows, a row for each pixel of the
/// result, times filters, a column each. Windows are an op that says what each
/// element of the matrix is (`gatherMark`), in whole tiles, so that a
/// kernel can fill its tiles by it; of single pixels they are the input itself.
MatrixOperands windowOperands(TensorBuilder &tensors,
                              const Convolution &convolution,
                              const ProductLayout &layout);

} // namespace lh

#endif // LH_COMPILER_GAPS_GPU_PRODUCTLAYOUT_H
