// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales and zero points, as the quantised operators share them.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_QUANTISED_H
#define LH_COMPILER_INGRESS_ONNX_OPS_QUANTISED_H

#include "compiler/ingress/onnx/OpTable.h"

namespace lh {

/// A scale or a zero point: one number for all elements, a tensor that
/// broadcasts, or nothing (both null).
struct QuantParameter {
  mlir::Value number; ///< a scalar
  mlir::Value tensor;
  DType dtype = DType::Float32;

  bool isOne() const { return !tensor; }
};

/// Integers that hold quantised values: 2, 4, 8 and 16 bits.
bool isQuantisedInteger(DType dtype);
/// Those and the floats of 4 and 8 bits.
bool isQuantised(DType dtype);

/// Fails unless input `i` is int8 or uint8.
LogicalResult checkIsByte(NodeContext &node, size_t i);

/// Fails when zero point `i` has another type than tensor `of`.
LogicalResult checkZeroType(NodeContext &node, size_t i, size_t of);

/// Input `i` as it is; nothing when it is absent.
QuantParameter readParameter(NodeContext &node, size_t i);

/// Input `i`, which must be a float and a single number (`what` names it).
FailureOr<QuantParameter> readScale(NodeContext &node, size_t i,
                                    StringRef what);

/// Input `i`, which must be a single number of type `dtype`, or absent.
FailureOr<QuantParameter> readZeroPoint(NodeContext &node, size_t i,
                                        StringRef what, DType dtype);

/// Fails unless `parameter` broadcasts to `sizes` without enlarging them.
LogicalResult checkSpreads(NodeContext &node, const QuantParameter &parameter,
                           const Sizes &sizes, StringRef what);

/// Elementwise to `sizes`. The body gets an element of each tensor and then
/// the value of each parameter; one that is absent arrives as a null value.
mlir::Value mapQuantised(NodeContext &node, const Sizes &sizes,
                         ArrayRef<mlir::Value> tensors,
                         ArrayRef<QuantParameter> parameters, DType result,
                         ScalarBody body);

/// a * b / y in float32, where `y` may be absent; fails when they do not
/// broadcast.
FailureOr<QuantParameter> combinedScale(NodeContext &node,
                                        const QuantParameter &a,
                                        const QuantParameter &b,
                                        const QuantParameter &y);

// Scalars inside a body.

/// `value` minus `zero` (null: 0), both of type `dtype`, in `result`.
mlir::Value centredScalar(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value value, mlir::Value zero, DType dtype,
                          DType result);

/// saturate(round-half-even(ratio) + zero) for integers, where NaN gives the
/// lowest value; small floats are rounded once, after the addition. `ratio`
/// (the real number over its scale) is of type `ratioType`.
mlir::Value quantizedScalar(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value ratio, DType ratioType,
                            mlir::Value zero, DType target,
                            bool saturate = true);

// Whole tensors.

/// A tensor of quantised numbers minus their zero points, in `result`.
mlir::Value centred(NodeContext &node, mlir::Value tensor, DType dtype,
                    const QuantParameter &zero, DType result = DType::Int32);

/// `tensor` (elements of `dtype`) times `scale`, plus `zero`, as `target`.
mlir::Value requantized(NodeContext &node, mlir::Value tensor, DType dtype,
                        const QuantParameter &scale, const QuantParameter &zero,
                        DType target);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_QUANTISED_H
