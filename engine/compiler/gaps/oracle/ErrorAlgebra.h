// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f64 arithmetic on errors, as code.
#ifndef LH_COMPILER_GAPS_ORACLE_ERRORALGEBRA_H
#define LH_COMPILER_GAPS_ORACLE_ERRORALGEBRA_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace lh {

/// Emits f64 arithmetic at the builder's place, or behind an op. A null Value
/// stands for an error of exactly zero; where a result is zero for that reason
/// nothing is emitted.
class ErrorAlgebra {
public:
  using Value = mlir::Value;
  using Predicate = mlir::arith::CmpFPredicate;

  ErrorAlgebra(const mlir::OpBuilder &builder, mlir::Location location)
      : b(builder), loc(location) {}
  explicit ErrorAlgebra(mlir::Operation *op)
      : b(op->getContext()), loc(op->getLoc()) {
    b.setInsertionPointAfter(op);
  }
  mlir::OpBuilder &builder() { return b; }

  Value number(double value);
  Value infinity();
  /// The value itself, or a constant zero.
  Value orZero(Value a) { return a ? a : number(0); }

  // Null counts as zero in these:
  Value add(Value a, Value b);
  Value multiply(Value a, Value b);
  Value scale(Value a, double factor);
  Value larger(Value a, Value b);
  /// `a` where the condition holds, else `b`.
  Value choose(Value condition, Value a, Value b);
  /// `a / b`; `b` is not null.
  Value divide(Value a, Value b);

  // Not in these:
  Value subtract(Value a, Value b);
  Value minus(Value a, Value error); ///< `a` for a null error
  Value plus(Value a, Value error);  ///< `a` for a null error
  Value smaller(Value a, Value b);
  Value magnitude(Value a);
  Value compare(Predicate predicate, Value a, Value b);
  Value both(Value a, Value b);
  Value either(Value a, Value b);

  template <typename Op> Value apply(Value a) {
    return Op::create(b, loc, a).getResult();
  }
  template <typename Op> Value apply(Value a, Value c) {
    return Op::create(b, loc, a, c).getResult();
  }

  /// How far a value in [low, high] can be from `result`, all of them images
  /// of values `error` around the true one under a monotone function.
  Value spread(Value low, Value high, Value result, Value error);

private:
  mlir::OpBuilder b;
  mlir::Location loc;
};

} // namespace lh

#endif // LH_COMPILER_GAPS_ORACLE_ERRORALGEBRA_H
