// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interval arithmetic without rounding, as long as numbers stay below 2^53.
#include "compiler/session/ExactInterval.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace lh;

/// Of larger constants of integers nothing is known but their type.
static constexpr int64_t maxIntegersRead = 1 << 16;
static constexpr double infinity = std::numeric_limits<double>::infinity();

bool ExactInterval::isFinite() const {
  return std::isfinite(low) && std::isfinite(high);
}

double ExactInterval::largest() const {
  return std::max(std::fabs(low), std::fabs(high));
}

bool ExactInterval::contains(const ExactInterval &other) const {
  return low <= other.low && other.high <= high && other.fraction <= fraction;
}

ExactInterval ExactInterval::empty() { return {infinity, -infinity, 0}; }

ExactInterval ExactInterval::anything() { return {-infinity, infinity, 0}; }

ExactInterval ExactInterval::ofNumber(const llvm::APFloat &number) {
  llvm::APFloat wide = number;
  bool losesInfo = false;
  wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
               &losesInfo);
  double value = wide.convertToDouble();
  if (std::isnan(value) || losesInfo)
    return anything();
  ExactInterval interval{value, value, 0};
  if (value == 0 || std::isinf(value))
    return interval;
  int exponent = 0;
  double mantissa = std::frexp(std::fabs(value), &exponent);
  auto bits = static_cast<uint64_t>(std::ldexp(mantissa, 53));
  interval.fraction = std::max(0, 53 - exponent - std::countr_zero(bits));
  return interval;
}

ExactInterval ExactInterval::ofType(mlir::Type integer) {
  unsigned width = integer.isIndex() ? 64 : integer.getIntOrFloatBitWidth();
  if (width == 1)
    return {0, 1, 0};
  double half = std::ldexp(1, static_cast<int>(width) - 1);
  if (integer.isUnsignedInteger())
    return {0, 2 * half - 1, 0};
  return {-half, half - 1, 0};
}

static ExactInterval ofFloats(mlir::ElementsAttr elements, mlir::Type type) {
  ExactInterval anything = ExactInterval::anything();
  auto numbers = elements.tryGetValues<llvm::APFloat>();
  if (!numbers)
    return anything;
  ExactInterval all = ExactInterval::empty();
  for (const llvm::APFloat &number : *numbers) {
    all = hull(all, ExactInterval::ofNumber(number));
    // Random weights end here, at the second number or so.
    if (all.isFinite() && all.fraction > 0 && !holds(type, all))
      return anything;
  }
  return all;
}

static ExactInterval ofIntegers(mlir::ElementsAttr elements, mlir::Type type) {
  ExactInterval all = ExactInterval::ofType(type);
  auto numbers = elements.tryGetValues<llvm::APInt>();
  if (!numbers || elements.getNumElements() > maxIntegersRead)
    return all;
  ExactInterval seen = ExactInterval::empty();
  for (const llvm::APInt &number : *numbers) {
    double value = number.roundToDouble(!type.isUnsignedInteger());
    seen = hull(seen, {value, value, 0});
  }
  return all.contains(seen) ? seen : all;
}

ExactInterval ExactInterval::ofConstant(mlir::Attribute value) {
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(value))
    return ofNumber(number.getValue());
  if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(value)) {
    bool isSigned = !number.getType().isInteger(1);
    double single = number.getValue().roundToDouble(isSigned);
    return {single, single, 0};
  }
  auto elements = mlir::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements)
    return anything();
  mlir::Type type = elements.getElementType();
  if (auto splat = mlir::dyn_cast<mlir::SplatElementsAttr>(value))
    if (type.isIntOrIndexOrFloat())
      return ofConstant(splat.getSplatValue<mlir::Attribute>());
  if (mlir::isa<mlir::FloatType>(type))
    return ofFloats(elements, type);
  return type.isIntOrIndex() ? ofIntegers(elements, type) : anything();
}

ExactInterval lh::hull(const ExactInterval &left, const ExactInterval &right) {
  return {std::min(left.low, right.low), std::max(left.high, right.high),
          std::max(left.fraction, right.fraction)};
}

ExactInterval lh::add(const ExactInterval &left, const ExactInterval &right) {
  return {left.low + right.low, left.high + right.high,
          std::max(left.fraction, right.fraction)};
}

ExactInterval lh::negate(const ExactInterval &interval) {
  return {-interval.high, -interval.low, interval.fraction};
}

ExactInterval lh::multiply(const ExactInterval &left,
                           const ExactInterval &right) {
  if (!left.isFinite() || !right.isFinite())
    return ExactInterval::anything();
  auto corners = {left.low * right.low, left.low * right.high,
                  left.high * right.low, left.high * right.high};
  return {std::min(corners), std::max(corners), left.fraction + right.fraction};
}

ExactInterval lh::maximum(const ExactInterval &left,
                          const ExactInterval &right) {
  return {std::max(left.low, right.low), std::max(left.high, right.high),
          std::max(left.fraction, right.fraction)};
}

ExactInterval lh::minimum(const ExactInterval &left,
                          const ExactInterval &right) {
  return {std::min(left.low, right.low), std::min(left.high, right.high),
          std::max(left.fraction, right.fraction)};
}

ExactInterval lh::sum(const ExactInterval &interval, double count) {
  if (!interval.isFinite())
    return ExactInterval::anything();
  return {count * std::min(interval.low, 0.0),
          count * std::max(interval.high, 0.0), interval.fraction};
}

std::optional<int> lh::powerOfTwo(const ExactInterval &divisor) {
  int exponent = 0;
  if (divisor.low != divisor.high || !divisor.isFinite() ||
      std::fabs(std::frexp(divisor.low, &exponent)) != 0.5)
    return std::nullopt;
  return exponent - 1;
}

ExactInterval lh::scaleByPowerOfTwo(const ExactInterval &interval,
                                    int exponent) {
  return {std::ldexp(interval.low, exponent),
          std::ldexp(interval.high, exponent),
          std::max(0, interval.fraction - exponent)};
}

double lh::exactLimit(mlir::Type type, int fraction) {
  if (mlir::isa<mlir::Float8E8M0FNUType>(type)) // has no zero
    return 0;
  const llvm::fltSemantics &semantics =
      llvm::cast<mlir::FloatType>(type).getFloatSemantics();
  int precision =
      static_cast<int>(llvm::APFloat::semanticsPrecision(semantics));
  int smallest = llvm::APFloat::semanticsMinExponent(semantics) - precision + 1;
  if (-fraction < smallest)
    return 0;
  llvm::APFloat largest = llvm::APFloat::getLargest(semantics);
  return std::min(std::ldexp(1, precision - fraction),
                  ExactInterval::ofNumber(largest).high);
}

bool lh::holds(mlir::Type type, const ExactInterval &interval) {
  return interval.isFinite() &&
         interval.largest() <= exactLimit(type, interval.fraction);
}
