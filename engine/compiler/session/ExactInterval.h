// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intervals of multiples of a power of two, and what each type holds of them.
#ifndef LH_COMPILER_SESSION_EXACTINTERVAL_H
#define LH_COMPILER_SESSION_EXACTINTERVAL_H

#include "core/support/Diagnostic.h"

#include <cstdint>

namespace mlir {
class Attribute;
class Type;
} // namespace mlir

namespace llvm {
class APFloat;
} // namespace llvm

namespace lh {

/// A set of numbers: the multiples of 2^-fraction from `low` to `high`. Empty
/// (the elements of a tensor that nobody wrote) when `low` > `high`.
struct ExactInterval {
  double low = 0, high = 0;
  int fraction = 0;

  bool operator==(const ExactInterval &) const = default;
  bool isFinite() const;
  double largest() const;
  bool contains(const ExactInterval &other) const;

  static ExactInterval empty();
  /// Nothing is known; no arithmetic on it is exact.
  static ExactInterval anything();
  /// An infinity is an interval of its own; NaN is everything.
  static ExactInterval ofNumber(const llvm::APFloat &number);
  /// What the numbers of a constant span; none is left out.
  static ExactInterval ofConstant(mlir::Attribute value);
  /// All that an integer or index type holds.
  static ExactInterval ofType(mlir::Type integer);
};

ExactInterval hull(const ExactInterval &left, const ExactInterval &right);
ExactInterval add(const ExactInterval &left, const ExactInterval &right);
ExactInterval negate(const ExactInterval &interval);
ExactInterval multiply(const ExactInterval &left, const ExactInterval &right);
ExactInterval maximum(const ExactInterval &left, const ExactInterval &right);
ExactInterval minimum(const ExactInterval &left, const ExactInterval &right);
/// Any subset of `count` terms of `interval`, added in any order.
ExactInterval sum(const ExactInterval &interval, double count);

/// The exponent of a divisor that is one power of two.
std::optional<int> powerOfTwo(const ExactInterval &divisor);
ExactInterval scaleByPowerOfTwo(const ExactInterval &interval, int exponent);

/// Up to which magnitude `type` (a float) holds all multiples of 2^-fraction;
/// 0 when not even one.
double exactLimit(mlir::Type type, int fraction);
/// True when `type` (a float) holds each of them.
bool holds(mlir::Type type, const ExactInterval &interval);

} // namespace lh

#endif // LH_COMPILER_SESSION_EXACTINTERVAL_H
