// Scalar arithmetic inside the bodies of linalg.generic, by ONNX type.
#ifndef LH_INGRESS_SCALARS_H
#define LH_INGRESS_SCALARS_H

#include "numerics/Tensor.h"

#include "mlir/IR/Builders.h"

namespace lh {

/// The signless MLIR type that holds elements of `dtype` (bool is i8).
mlir::Type elementTypeOf(DType dtype, mlir::MLIRContext *context);

bool isUnsigned(DType dtype);

/// Builds operations on scalars of one ONNX type. Integer operations never
/// trap and never give poison: division by zero gives 0.
class Scalars {
public:
  Scalars(mlir::OpBuilder &builder, mlir::Location loc, DType dtype)
      : builder(builder), loc(loc), dtype(dtype) {}

  mlir::Type type() const;
  bool isFloating() const { return isFloat(dtype); }

  mlir::Value number(double value) const;
  mlir::Value integer(int64_t value) const;
  /// The value that every other is above (below): -inf or the type's minimum.
  mlir::Value lowest() const;
  mlir::Value highest() const;

  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value sub(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, mlir::Value b) const;
  /// Truncating for integers.
  mlir::Value div(mlir::Value a, mlir::Value b) const;
  /// The sign follows the dividend (C's fmod and %).
  mlir::Value rem(mlir::Value a, mlir::Value b) const;
  /// NaN-propagating for floats.
  mlir::Value max(mlir::Value a, mlir::Value b) const;
  mlir::Value min(mlir::Value a, mlir::Value b) const;
  mlir::Value neg(mlir::Value a) const;
  mlir::Value abs(mlir::Value a) const;

  /// Comparisons give i1.
  mlir::Value equal(mlir::Value a, mlir::Value b) const;
  mlir::Value less(mlir::Value a, mlir::Value b) const;
  mlir::Value lessEqual(mlir::Value a, mlir::Value b) const;
  mlir::Value isNaN(mlir::Value a) const;
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) const;

  /// Between i1 and the i8 in which bool tensors keep their elements.
  mlir::Value toBool(mlir::Value bit) const;
  mlir::Value fromBool(mlir::Value byte) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  DType dtype;
};

/// ONNX Cast: float to integer truncates, saturates, and takes NaN to 0.
mlir::Value convertScalar(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, DType from, DType to,
                          bool isModelCast = false);

} // namespace lh

#endif // LH_INGRESS_SCALARS_H
