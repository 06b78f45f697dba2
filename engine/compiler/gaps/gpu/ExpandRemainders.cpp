// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-expand-remainders.
#include "compiler/gaps/Gaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_EXPANDREMAINDERSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace mlir;
using arith::CmpIPredicate;

namespace {
/// Long division of one number's digits by another's, in integers of 64 bits.
class RemainderCode {
public:
  RemainderCode(OpBuilder &builder, Location loc, FloatType type)
      : builder(loc, builder), type(type), width(type.getWidth()),
        mantissa(type.getFPMantissaWidth() - 1) {}

  Value emit(Value x, Value y);

private:
  /// A positive number: digits * 2^exponent, times a power that is the type's.
  struct Parts {
    Value exponent, digits;
  };

  Value number(uint64_t value) {
    return arith::ConstantIntOp::create(builder, builder.getI64Type(),
                                        static_cast<int64_t>(value));
  }
  template <typename Op> Value compute(Value left, Value right) {
    return Op::create(builder, left, right);
  }
  Value compare(CmpIPredicate how, Value left, Value right) {
    return arith::CmpIOp::create(builder, how, left, right);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, condition, yes, no);
  }
  uint64_t hidden() const { return 1ULL << mantissa; }

  Value bitsOf(Value x);
  Value fromBits(Value bits);
  Parts split(Value magnitude);
  Value divide(Value digits, Value times, Value by);
  Value join(Parts parts);

  ImplicitLocOpBuilder builder;
  FloatType type;
  unsigned width, mantissa;
};
} // namespace

Value RemainderCode::bitsOf(Value x) {
  Value bits =
      arith::BitcastOp::create(builder, builder.getIntegerType(width), x);
  if (type.isF64())
    return bits;
  return arith::ExtUIOp::create(builder, builder.getI64Type(), bits);
}

Value RemainderCode::fromBits(Value bits) {
  if (!type.isF64())
    bits =
        arith::TruncIOp::create(builder, builder.getIntegerType(width), bits);
  return arith::BitcastOp::create(builder, type, bits);
}

RemainderCode::Parts RemainderCode::split(Value magnitude) {
  Value exponent = compute<arith::ShRUIOp>(magnitude, number(mantissa));
  Value digits = compute<arith::AndIOp>(magnitude, number(hidden() - 1));
  Value isNormal = compare(CmpIPredicate::ne, exponent, number(0));
  Value whole = compute<arith::OrIOp>(digits, number(hidden()));
  return {compute<arith::MaxUIOp>(exponent, number(1)),
          select(isNormal, whole, digits)};
}

/// What is left of digits * 2^times: as many bits at once as have room.
Value RemainderCode::divide(Value digits, Value times, Value by) {
  unsigned room = 63 - (mantissa + 1);
  Type word = builder.getI64Type();
  Value first = compute<arith::RemUIOp>(digits, by);
  auto loop = scf::WhileOp::create(
      builder, TypeRange{word, word}, ValueRange{first, times},
      [&](OpBuilder &, Location, ValueRange state) {
        Value more = compare(CmpIPredicate::ne, state[1], number(0));
        scf::ConditionOp::create(builder, more, state);
      },
      [&](OpBuilder &, Location, ValueRange state) {
        Value step = compute<arith::MinUIOp>(state[1], number(room));
        Value next =
            compute<arith::RemUIOp>(compute<arith::ShLIOp>(state[0], step), by);
        scf::YieldOp::create(
            builder, ValueRange{next, compute<arith::SubIOp>(state[1], step)});
      });
  return loop.getResult(0);
}

/// The magnitude's bits: digits move up as far as they and the exponent let
/// them.
Value RemainderCode::join(Parts parts) {
  auto [exponent, digits] = parts;
  unsigned bias = (1U << (width - mantissa - 2)) - 1;
  // Where the first digit is, a conversion tells, which is exact.
  Value converted = arith::UIToFPOp::create(builder, type, digits);
  Value place = compute<arith::ShRUIOp>(bitsOf(converted), number(mantissa));
  Value gap = compute<arith::SubIOp>(number(bias + mantissa), place);
  gap = compute<arith::MinUIOp>(gap, number(mantissa));
  gap =
      compute<arith::MinUIOp>(gap, compute<arith::SubIOp>(exponent, number(1)));
  digits = compute<arith::ShLIOp>(digits, gap);
  exponent = compute<arith::SubIOp>(exponent, gap);
  Value normal = compute<arith::OrIOp>(
      compute<arith::ShLIOp>(exponent, number(mantissa)),
      compute<arith::AndIOp>(digits, number(hidden() - 1)));
  Value isNormal = compare(CmpIPredicate::uge, digits, number(hidden()));
  return select(isNormal, normal, digits);
}

Value RemainderCode::emit(Value x, Value y) {
  uint64_t sign = 1ULL << (width - 1), infinity = sign - hidden();
  Value xBits = bitsOf(x);
  Value xSize = compute<arith::AndIOp>(xBits, number(sign - 1));
  Value ySize = compute<arith::AndIOp>(bitsOf(y), number(sign - 1));
  // x is infinite or NaN, y is 0 or NaN.
  Value isNan = compute<arith::OrIOp>(
      compute<arith::OrIOp>(
          compare(CmpIPredicate::uge, xSize, number(infinity)),
          compare(CmpIPredicate::ugt, ySize, number(infinity))),
      compare(CmpIPredicate::eq, ySize, number(0)));
  Value isLess = compare(CmpIPredicate::ult, xSize, ySize);
  Value isDone = compute<arith::OrIOp>(isNan, isLess);
  auto choice = scf::IfOp::create(builder, TypeRange{type}, isDone,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  Value nan = fromBits(number(infinity | hidden() >> 1));
  scf::YieldOp::create(builder, select(isNan, nan, x));
  builder.setInsertionPointToStart(choice.elseBlock());
  Parts dividend = split(xSize), divisor = split(ySize);
  Value times = compute<arith::SubIOp>(dividend.exponent, divisor.exponent);
  divisor.digits = divide(dividend.digits, times, divisor.digits);
  Value xSign = compute<arith::AndIOp>(xBits, number(sign));
  Value bits = compute<arith::OrIOp>(join(divisor), xSign);
  scf::YieldOp::create(builder, fromBits(bits));
  return choice.getResult(0);
}

namespace {
struct ExpandRemaindersPass
    : lh::impl::ExpandRemaindersPassBase<ExpandRemaindersPass> {
  void runOnOperation() override {
    getOperation()->walk([](arith::RemFOp op) {
      auto type = dyn_cast<FloatType>(op.getType());
      if (!type || type.getWidth() > 64)
        return;
      OpBuilder builder(op);
      Location loc = op.getLoc();
      Value x = op.getLhs(), y = op.getRhs();
      // Narrow numbers are f32's, too, and so are their remainders.
      Type wide = type.getWidth() < 32 ? builder.getF32Type() : type;
      if (wide != type) {
        x = arith::ExtFOp::create(builder, loc, wide, x);
        y = arith::ExtFOp::create(builder, loc, wide, y);
      }
      Value result =
          RemainderCode(builder, loc, cast<FloatType>(wide)).emit(x, y);
      if (wide != type)
        result = arith::TruncFOp::create(builder, loc, type, result);
      op.replaceAllUsesWith(result);
      op.erase();
    });
  }
};
} // namespace
