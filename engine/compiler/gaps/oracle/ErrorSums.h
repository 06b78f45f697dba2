// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over reduction loops: their error whatever the order of summation.
#ifndef LH_COMPILER_GAPS_ORACLE_ERRORSUMS_H
#define LH_COMPILER_GAPS_ORACLE_ERRORSUMS_H

#include "compiler/gaps/oracle/ErrorFlow.h"

namespace lh {

/// An output of a generic op that adds terms to itself.
struct ErrorSum {
  // Set by findSum.
  llvm::SmallVector<mlir::Value, 1> terms;
  /// Accounted for as a whole: the additions from output to yield, and the
  /// products that are their terms if both factors are exact.
  llvm::SmallVector<mlir::Operation *, 2> whole;
  mlir::FloatType type; ///< that the sum is computed in
  bool subtracts = false;

  // Set by measureSum; values are f64s outside the op's body.
  unsigned char facts = 0; ///< of what the sum starts from
  bool startsAtZero = false;
  bool isTrivial = false;     ///< one term, and a zero to start from
  bool isConvolution = false; ///< that the declared Winograd method computes
  bool isExactlyFed = false;  ///< all that the op reads is exact
  mlir::Value addition;       ///< error by adding, per unit of a number's size
  mlir::Value perTerm;        ///< the same with that of the terms themselves
  mlir::Value underflow;      ///< what all products may lose near zero
  mlir::Value drift; ///< error per unit of the result's size, by stagnation
};

/// The sum that the body yields as output `output`, its value so far being
/// `argument`; none if it computes anything else.
std::optional<ErrorSum> findSum(mlir::linalg::GenericOp op,
                                mlir::BlockArgument argument, unsigned output);

/// What is known of the result, once the terms are known.
unsigned char factsOf(const ErrorSum &sum, const ErrorState &state);

/// Fills in all that depends on the op's extents and operands, computing it
/// before the op.
llvm::LogicalResult measureSum(ErrorSum &sum, mlir::linalg::GenericOp op,
                               mlir::Value init, const ErrorModel &model,
                               ErrorState &state);

/// The error that the sum starts from: that of the first number added.
mlir::Value sumInit(mlir::OpBuilder &b, const ErrorSum &sum, mlir::Location loc,
                    mlir::Value init, ErrorFlow &flow);

/// The errors of a finished sum from what was added up.
mlir::Value finishSum(mlir::OpBuilder &b, const ErrorSum &sum,
                      mlir::Value result, mlir::Value error,
                      const ErrorModel &model);

} // namespace lh

#endif // LH_COMPILER_GAPS_ORACLE_ERRORSUMS_H
