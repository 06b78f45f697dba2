// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar arithmetic inside the bodies of linalg.generic, by element type.
#ifndef LH_COMPILER_INGRESS_EMIT_SCALARS_H
#define LH_COMPILER_INGRESS_EMIT_SCALARS_H

#include "core/numerics/SmallFloat.h"

#include "mlir/IR/Builders.h"

namespace lh {

/// The signless MLIR type that holds elements of `dtype` (bool, and all types
/// of at most eight bits, are i8).
mlir::Type elementTypeOf(DType dtype, mlir::MLIRContext *context);

bool isUnsigned(DType dtype);

/// Builds operations on scalars of one element type. Integer operations never
/// trap and never give poison: division by zero gives 0.
class Scalars {
public:
  Scalars(mlir::OpBuilder &builder, mlir::Location loc, DType dtype)
      : builder(builder), loc(loc), dtype(dtype) {}

  mlir::Type type() const;
  bool isFloating() const { return isFloat(dtype); }

  /// The value nearest to `value`, as the type's elements are kept.
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
  /// Of floats.
  mlir::Value exp(mlir::Value a) const;

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

/// What Cast's versions and attributes decide.
struct CastRules {
  /// Small floats: beyond the largest number comes that number again.
  bool saturate = true;
  /// With it, an infinity still becomes NaN in the formats without -0.
  bool infinityIsNaN = false;
  /// Floats to integers of four and two bits: round and drop the upper bits
  /// instead of saturating.
  bool dropsUpperBits = false;
  PowerRounding rounding = PowerRounding::Up; ///< to float8e8m0
  /// The model asks for it: the oracle rounds here too.
  bool isModelCast = false;
};

/// ONNX Cast between any two types. Floats are rounded once, to nearest even,
/// from whatever type they come. Floats to integers truncate, saturate, and
/// take NaN to 0; to those of four and two bits they round to nearest even.
mlir::Value convertScalar(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, DType from, DType to,
                          const CastRules &rules = {});

} // namespace lh

#endif // LH_COMPILER_INGRESS_EMIT_SCALARS_H
