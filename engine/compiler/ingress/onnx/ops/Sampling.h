// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading a tensor between its elements, inside loop bodies.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_SAMPLING_H
#define LH_COMPILER_INGRESS_ONNX_OPS_SAMPLING_H

#include "compiler/ingress/onnx/OpTable.h"

namespace lh {

/// One element that counts along one dimension.
struct Tap {
  mlir::Value index;    ///< always inside the tensor
  mlir::Value weight;   ///< empty: 1
  mlir::Value isInside; ///< i1: false where 0 is read; empty: never
};

/// The element at `indices`, as the scalar type that is computed in.
using ElementReader =
    llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value> indices)>;

/// The weighted sum over all combinations of one tap per dimension; the last
/// dimension is summed first.
mlir::Value interpolate(const Scalars &s,
                        llvm::ArrayRef<llvm::SmallVector<Tap>> taps,
                        ElementReader read);

/// Two taps round `position`; what lies outside [0, size) counts as 0.
llvm::SmallVector<Tap> linearTaps(const Scalars &s, mlir::Value position,
                                  mlir::Value size);

/// The four weights of cubic convolution at `fraction` in [0, 1], Keys' a
/// being `a`.
llvm::SmallVector<mlir::Value> cubicWeights(const Scalars &s,
                                            mlir::Value fraction, double a);

/// An index as a number, and a number (saturating; NaN is 0) as an index.
mlir::Value numberOf(const Scalars &s, mlir::Value index);
mlir::Value indexOf(const Scalars &s, mlir::Value number);

mlir::Value floorOf(const Scalars &s, mlir::Value number);
mlir::Value ceilOf(const Scalars &s, mlir::Value number);

/// `index` brought into [0, size).
mlir::Value clampIndex(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value index, mlir::Value size);
/// i1: 0 <= index < size.
mlir::Value isInsideOf(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value index, mlir::Value size);
/// i1: both; `a` may be empty.
mlir::Value andBits(mlir::OpBuilder &b, mlir::Location loc, mlir::Value a,
                    mlir::Value other);

/// False when dimension `dim` is known to differ between both tensors.
bool mayBeSame(Emitter &emit, mlir::Value a, mlir::Value b, size_t dim);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_SAMPLING_H
