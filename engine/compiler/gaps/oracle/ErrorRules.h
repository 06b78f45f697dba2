// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error of one scalar operation, as code beside it.
#ifndef LH_COMPILER_GAPS_ORACLE_ERRORRULES_H
#define LH_COMPILER_GAPS_ORACLE_ERRORRULES_H

#include "compiler/gaps/oracle/ErrorAlgebra.h"
#include "compiler/gaps/oracle/ErrorModel.h"

namespace lh {

/// Running error analysis of arith and math ops on scalars.
class ErrorRules {
public:
  ErrorRules(const ErrorModel &model, ErrorState &state)
      : model(model), state(state) {}

  /// Emits behind `op` what its result can be off by, and records it in the
  /// state. Without `checksRange` overflow and NaN are left to the caller.
  llvm::LogicalResult apply(mlir::Operation *op, bool checksRange);

  /// `value` as f64, computed where the value is.
  mlir::Value wide(mlir::Value value, bool isUnsigned = false);

  /// What underflow adds to the error of a product or a function.
  double underflow(const Precision &precision) const;

  /// Whether `op` rounds, even when all it reads is exact.
  static bool rounds(mlir::Operation *op);

private:
  using Value = mlir::Value;

  Value errorOf(mlir::Operation *op);
  Value conversionError(mlir::Operation *op);
  Value functionError(mlir::Operation *op);
  Value propagated(mlir::Operation *op, ErrorAlgebra &algebra);
  Value monotoneError(mlir::Operation *op);

  Value sum(mlir::Operation *op);
  Value product(mlir::Operation *op);
  Value fusedProduct(mlir::Operation *op);
  Value quotient(mlir::Operation *op);
  Value extremum(mlir::Operation *op, Value a, Value b, bool largest,
                 bool isUnsigned = false);
  Value selection(mlir::arith::SelectOp op);
  Value comparison(mlir::Operation *op);
  Value unknown(mlir::Operation *op);
  Value toInteger(mlir::Operation *op);
  Value fromInteger(mlir::Operation *op);
  Value narrowing(mlir::arith::TruncFOp op);
  Value power(mlir::Operation *op, ErrorAlgebra &algebra);

  Value productGrowth(ErrorAlgebra &algebra, Value a, Value b);
  Value rounding(ErrorAlgebra &algebra, Value result, double units,
                 bool underflows);
  Value withinRange(ErrorAlgebra &algebra, Value result, Value error,
                    Value ambiguous);
  Value fitting(ErrorAlgebra &algebra, Value error, Value wideValue,
                unsigned width, bool isSigned, bool isUnsigned);
  Value hidesSign(ErrorAlgebra &algebra, Value operand);
  Value isInexact(ErrorAlgebra &algebra, Value error);

  const ErrorModel &model;
  ErrorState &state;
  llvm::DenseMap<Value, Value> wides;
  bool checksRange = true;
};

/// What is known of a scalar op's result, given what is known of what it
/// reads.
unsigned char factsOf(mlir::Operation *op, const ErrorState &state);

} // namespace lh

#endif // LH_COMPILER_GAPS_ORACLE_ERRORRULES_H
