// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f64 arithmetic on errors, as code.
#include "compiler/gaps/oracle/ErrorAlgebra.h"

#include <limits>

using namespace mlir;
using namespace lh;

Value ErrorAlgebra::number(double value) {
  return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
}

Value ErrorAlgebra::infinity() {
  return number(std::numeric_limits<double>::infinity());
}

Value ErrorAlgebra::add(Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return apply<arith::AddFOp>(a, c);
}

Value ErrorAlgebra::multiply(Value a, Value c) {
  return a && c ? apply<arith::MulFOp>(a, c) : Value();
}

Value ErrorAlgebra::scale(Value a, double factor) {
  if (!a || factor == 0)
    return Value();
  return factor == 1 ? a : apply<arith::MulFOp>(a, number(factor));
}

Value ErrorAlgebra::larger(Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return choose(compare(Predicate::OGT, a, c), a, c);
}

Value ErrorAlgebra::choose(Value condition, Value a, Value c) {
  if (a == c)
    return a;
  return arith::SelectOp::create(b, loc, condition, orZero(a), orZero(c));
}

Value ErrorAlgebra::divide(Value a, Value c) {
  return a ? apply<arith::DivFOp>(a, c) : Value();
}

Value ErrorAlgebra::subtract(Value a, Value c) {
  return apply<arith::SubFOp>(a, c);
}

Value ErrorAlgebra::minus(Value a, Value error) {
  return error ? subtract(a, error) : a;
}

Value ErrorAlgebra::plus(Value a, Value error) {
  return error ? apply<arith::AddFOp>(a, error) : a;
}

Value ErrorAlgebra::smaller(Value a, Value c) {
  return choose(compare(Predicate::OLT, a, c), a, c);
}

Value ErrorAlgebra::magnitude(Value a) { return apply<math::AbsFOp>(a); }

Value ErrorAlgebra::compare(Predicate predicate, Value a, Value c) {
  return arith::CmpFOp::create(b, loc, predicate, a, c);
}

Value ErrorAlgebra::both(Value a, Value c) {
  return arith::AndIOp::create(b, loc, a, c);
}

Value ErrorAlgebra::either(Value a, Value c) {
  return arith::OrIOp::create(b, loc, a, c);
}

Value ErrorAlgebra::spread(Value low, Value high, Value result, Value error) {
  if (!error)
    return Value();
  // Of infinite numbers a difference may be NaN, which `larger` ignores on
  // its left; what is left of it then means anything.
  Value width = larger(subtract(high, result), subtract(result, low));
  width = choose(compare(Predicate::UNO, width, width), infinity(), width);
  Value exact = either(compare(Predicate::OEQ, low, high),
                       compare(Predicate::OEQ, error, number(0)));
  // Where overflow is open, what `larger` made of low and high means nothing.
  Value open = compare(Predicate::OEQ, error, infinity());
  return choose(open, infinity(), choose(exact, Value(), width));
}
