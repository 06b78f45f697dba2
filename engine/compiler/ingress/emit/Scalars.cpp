// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which arith operation an element type needs, and the guards around it.
#include "compiler/ingress/emit/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace lh;
using namespace mlir;

Type lh::elementTypeOf(DType dtype, MLIRContext *context) {
  Builder b(context);
  switch (dtype) {
  case DType::Float16:
    return b.getF16Type();
  case DType::BFloat16:
    return b.getBF16Type();
  case DType::Float32:
    return b.getF32Type();
  case DType::Float64:
    return b.getF64Type();
  default:
    return b.getIntegerType(static_cast<unsigned>(byteSize(dtype) * 8));
  }
}

bool lh::isUnsigned(DType dtype) {
  return dtype == DType::Bool || dtype == DType::UInt8 ||
         dtype == DType::UInt16 || dtype == DType::UInt32 ||
         dtype == DType::UInt64 || dtype == DType::UInt4 ||
         dtype == DType::UInt2;
}

Type Scalars::type() const {
  return elementTypeOf(dtype, builder.getContext());
}

Value Scalars::number(double value) const {
  if (isSmallFloat(dtype))
    return integer(encodeSmallFloat(dtype, value));
  if (!isFloating()) {
    // Infinite and too large ones give the type's limits, NaN gives 0.
    llvm::APSInt bits(type().getIntOrFloatBitWidth(), isUnsigned(dtype));
    bool isExact = false;
    (void)APFloat(value).convertToInteger(bits, APFloat::rmTowardZero,
                                          &isExact);
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type(), bits));
  }
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type(), value));
}

Value Scalars::integer(int64_t value) const {
  if (isFloating())
    return number(static_cast<double>(value));
  unsigned width = type().getIntOrFloatBitWidth();
  APInt bits = APInt(64, static_cast<uint64_t>(value)).trunc(width);
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type(), bits));
}

Value Scalars::lowest() const {
  if (isFloating())
    return number(-std::numeric_limits<double>::infinity());
  unsigned width = type().getIntOrFloatBitWidth();
  APInt bits = isUnsigned(dtype) ? APInt::getZero(width)
                                 : APInt::getSignedMinValue(width);
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type(), bits));
}

Value Scalars::highest() const {
  if (dtype == DType::Bool)
    return integer(1);
  if (isFloating())
    return number(std::numeric_limits<double>::infinity());
  unsigned width = type().getIntOrFloatBitWidth();
  APInt bits = isUnsigned(dtype) ? APInt::getAllOnes(width)
                                 : APInt::getSignedMaxValue(width);
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type(), bits));
}

Value Scalars::add(Value a, Value b) const {
  if (isFloating())
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

Value Scalars::sub(Value a, Value b) const {
  if (isFloating())
    return arith::SubFOp::create(builder, loc, a, b);
  return arith::SubIOp::create(builder, loc, a, b);
}

Value Scalars::mul(Value a, Value b) const {
  if (isFloating())
    return arith::MulFOp::create(builder, loc, a, b);
  return arith::MulIOp::create(builder, loc, a, b);
}

/// A divisor that cannot trap: 1 in place of 0, and for signed types also in
/// place of -1 (the lowest integer divided by -1 overflows).
static Value safeDivisor(const Scalars &s, Value b) {
  Value one = s.integer(1);
  Value safe = s.select(s.equal(b, s.integer(0)), one, b);
  if (isUnsigned(s.dtype))
    return safe;
  return s.select(s.equal(b, s.integer(-1)), one, safe);
}

Value Scalars::div(Value a, Value b) const {
  if (isFloating())
    return arith::DivFOp::create(builder, loc, a, b);
  Value divisor = safeDivisor(*this, b);
  Value zero = integer(0);
  Value isZero = equal(b, zero);
  if (isUnsigned(dtype))
    return select(isZero, zero,
                  arith::DivUIOp::create(builder, loc, a, divisor));
  Value quotient = arith::DivSIOp::create(builder, loc, a, divisor);
  quotient = select(equal(b, integer(-1)), neg(a), quotient);
  return select(isZero, zero, quotient);
}

Value Scalars::rem(Value a, Value b) const {
  if (isFloating())
    return arith::RemFOp::create(builder, loc, a, b);
  Value divisor = safeDivisor(*this, b);
  if (isUnsigned(dtype))
    return arith::RemUIOp::create(builder, loc, a, divisor);
  return arith::RemSIOp::create(builder, loc, a, divisor);
}

Value Scalars::max(Value a, Value b) const {
  if (isFloating())
    return arith::MaximumFOp::create(builder, loc, a, b);
  if (isUnsigned(dtype))
    return arith::MaxUIOp::create(builder, loc, a, b);
  return arith::MaxSIOp::create(builder, loc, a, b);
}

Value Scalars::min(Value a, Value b) const {
  if (isFloating())
    return arith::MinimumFOp::create(builder, loc, a, b);
  if (isUnsigned(dtype))
    return arith::MinUIOp::create(builder, loc, a, b);
  return arith::MinSIOp::create(builder, loc, a, b);
}

Value Scalars::neg(Value a) const {
  if (isFloating())
    return arith::NegFOp::create(builder, loc, a);
  return sub(integer(0), a);
}

Value Scalars::abs(Value a) const {
  if (isUnsigned(dtype))
    return a;
  if (isFloating())
    return math::AbsFOp::create(builder, loc, a);
  return select(less(a, integer(0)), neg(a), a);
}

Value Scalars::exp(Value a) const {
  return math::ExpOp::create(builder, loc, a);
}

Value Scalars::equal(Value a, Value b) const {
  if (isFloating())
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
}

Value Scalars::less(Value a, Value b) const {
  if (isFloating())
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
  auto predicate =
      isUnsigned(dtype) ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(builder, loc, predicate, a, b);
}

Value Scalars::lessEqual(Value a, Value b) const {
  if (isFloating())
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLE, a, b);
  auto predicate =
      isUnsigned(dtype) ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  return arith::CmpIOp::create(builder, loc, predicate, a, b);
}

Value Scalars::isNaN(Value a) const {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, a, a);
}

Value Scalars::select(Value condition, Value a, Value b) const {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value Scalars::toBool(Value bit) const {
  return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), bit);
}

Value Scalars::fromBool(Value byte) const {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, byte,
                               zero);
}
