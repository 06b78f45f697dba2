// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lh-error-bounds assumes of an implementation, and what it knows of
// each value.
#ifndef LH_COMPILER_GAPS_ORACLE_ERRORMODEL_H
#define LH_COMPILER_GAPS_ORACLE_ERRORMODEL_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace lh {

/// The implementation that the bounds must let pass; docs/numerics.md has the
/// formulas.
struct ErrorModel {
  double mathUlp = 1;        ///< of exp, tanh, ...; more where libm needs more
  bool proof = false;        ///< the worst case of sums, not the likely one
  bool flushToZero = false;  ///< no denormal numbers
  unsigned winogradTile = 0; ///< m of F(m, r); 0: convolutions are direct
  unsigned winogradWindow = 0; ///< r of F(m, r)
  double operandUnit = 0; ///< of what products' operands are rounded to; 0: not
  unsigned operandBits = 0; ///< the precision that `operandUnit` belongs to
  unsigned maxDepth = 4;    ///< longest chain of dependent sums
};

/// A float type as the bounds see it.
struct Precision {
  double unit;           ///< largest relative error of one rounding
  double largest;        ///< largest finite number
  double smallest;       ///< where underflow ends: smallest denormal number
  double smallestNormal; ///< where flushing to zero ends
  double exactIntegers;  ///< all integers up to here are numbers of the type
  unsigned bits;         ///< of the significand
};

/// Of f16, bf16, f32, f64. For f64 the unit is doubled: the oracle, which
/// computes in f64 itself, errs as much as what it judges.
Precision precisionOf(mlir::FloatType type);

/// What is known of all elements of a value, whatever the inputs.
enum Fact : unsigned char { NoFact = 0, Integral = 1, NonNegative = 2 };

/// What is known of the values met so far. A value without an error is exact.
struct ErrorState {
  llvm::DenseMap<mlir::Value, mlir::Value> errors; ///< scalar or tensor of f64
  llvm::DenseMap<mlir::Value, unsigned> depths;    ///< sums behind each error
  llvm::DenseMap<mlir::Value, unsigned char> facts;
  double longestSum = 0; ///< terms of the longest sum of known length
  std::string refusal; ///< why no bounds can be given; first reason met

  /// Null for an exact value.
  mlir::Value errorOf(mlir::Value value) const { return errors.lookup(value); }
  bool knows(mlir::Value value, Fact fact) const {
    return facts.lookup(value) & fact;
  }
  /// Records an error, if there is one.
  void set(mlir::Value value, mlir::Value error, unsigned depth) {
    if (!error)
      return;
    errors[value] = error;
    depths[value] = depth;
  }
  /// Records why there are no bounds; always fails.
  llvm::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);
};

} // namespace lh

#endif // LH_COMPILER_GAPS_ORACLE_ERRORMODEL_H
