// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices, and of tensors whose dimensions have labels.
#ifndef LH_COMPILER_INGRESS_EMIT_PRODUCTS_H
#define LH_COMPILER_INGRESS_EMIT_PRODUCTS_H

#include "compiler/ingress/emit/Emitter.h"

namespace lh {

/// init + A * B of matrices, each of which may be stored transposed.
mlir::Value emitMatmul(Emitter &emit, mlir::Value a, mlir::Value b,
                       mlir::Value init, bool transposeA, bool transposeB);

/// (batch, m, k) by (batch, k, n), or by (batch, n, k) when `transposesB`, of
/// elements of `dtype`.
mlir::Value emitBatchMatmul(Emitter &emit, mlir::Value a, mlir::Value b,
                            bool transposesB, DType dtype);

/// Names a dimension, as the letters of an einsum do.
using Label = int;
using Labels = llvm::SmallVector<Label, 8>;
using LabelSizes = llvm::DenseMap<Label, mlir::OpFoldResult>;

/// A tensor whose dimensions have distinct labels.
struct LabelledTensor {
  mlir::Value tensor;
  Labels labels;

  bool has(Label label) const { return llvm::is_contained(labels, label); }
};

/// The sizes of `labels`, which all are in `sizes`.
Sizes sizesOfLabels(const LabelSizes &sizes, llvm::ArrayRef<Label> labels);

/// The affine map that reads a tensor of `labels` in loops over `loops`.
mlir::AffineMap mapOfLabels(mlir::Builder &b, llvm::ArrayRef<Label> labels,
                            llvm::ArrayRef<Label> loops);

/// The product of `a` and `b`: labels of both that `isNeeded` are batches,
/// their others are summed over. The result has the batches, then what `a`
/// alone has, then what `b` alone has. A product of matrices where there is
/// one.
LabelledTensor multiply(Emitter &emit, const LabelledTensor &a,
                        const LabelledTensor &b, const LabelSizes &sizes,
                        DType dtype, llvm::function_ref<bool(Label)> isNeeded);

mlir::Value transposedTo(Emitter &emit, const LabelledTensor &operand,
                         llvm::ArrayRef<Label> order);

} // namespace lh

#endif // LH_COMPILER_INGRESS_EMIT_PRODUCTS_H
