// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, comparison, logic and bit operators, with broadcasting.
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

using Binary = Value (*)(const Scalars &, Value, Value);

/// Before opset 7 a second operand was aligned at `axis`, not at the end.
static FailureOr<Value> alignLegacyOperand(NodeContext &node, Value other) {
  if (node.opset >= 7 || !node.attribute("axis"))
    return other;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", 0), node.rank(0));
  if (failed(axis))
    return failure();
  Sizes sizes = node.emit.sizesOf(other);
  if (*axis + static_cast<int64_t>(sizes.size()) > node.rank(0))
    return node.error("the second operand does not fit at axis " +
                      Twine(*axis));
  while (*axis + static_cast<int64_t>(sizes.size()) < node.rank(0))
    sizes.push_back(node.emit.index(1));
  return node.emit.reshape(other, sizes);
}

static LogicalResult binary(NodeContext &node, DType result, Binary op) {
  DType dtype = node.dtype();
  FailureOr<Value> other = alignLegacyOperand(node, node.in(1));
  if (failed(other))
    return failure();
  return node.resultOfMap({node.in(0), *other}, result,
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            return op(Scalars(b, loc, dtype), v[0], v[1]);
                          });
}

/// Arithmetic on small integers stays in index arithmetic, so that shapes
/// computed from shapes remain known.
using Fold = OpFoldResult (Emitter::*)(OpFoldResult, OpFoldResult);

template <Fold fold>
static bool foldElements(NodeContext &node, DType result = DType::Int64) {
  if (!node.hasKnownElements(0) || !node.hasKnownElements(1))
    return false;
  if (node.dtype() != DType::Int64 || node.dtype(1) != DType::Int64)
    return false;
  const ImportedValue &a = node.raw(0), &b = node.raw(1);
  size_t x = a.elements->size(), y = b.elements->size();
  if (x != y && x != 1 && y != 1)
    return false;
  Sizes folded;
  size_t count = x == 1 ? y : x;
  for (size_t i = 0; i < count; ++i)
    folded.push_back((node.emit.*fold)((*a.elements)[x == 1 ? 0 : i],
                                       (*b.elements)[y == 1 ? 0 : i]));
  (void)node.resultElements(folded, a.isScalar && b.isScalar, result);
  return true;
}

template <Value (Scalars::*op)(Value, Value) const, Fold fold>
static LogicalResult arithmetic(NodeContext &node) {
  if (foldElements<fold>(node))
    return success();
  return binary(node, node.dtype(), [](const Scalars &s, Value a, Value b) {
    return (s.*op)(a, b);
  });
}

static Value compareEqual(const Scalars &s, Value a, Value b) {
  return s.toBool(s.equal(a, b));
}
static Value compareLess(const Scalars &s, Value a, Value b) {
  return s.toBool(s.less(a, b));
}
static Value compareLessEqual(const Scalars &s, Value a, Value b) {
  return s.toBool(s.lessEqual(a, b));
}
static Value compareGreater(const Scalars &s, Value a, Value b) {
  return s.toBool(s.less(b, a));
}
static Value compareGreaterEqual(const Scalars &s, Value a, Value b) {
  return s.toBool(s.lessEqual(b, a));
}
template <typename Op>
static Value bitwise(const Scalars &s, Value a, Value b) {
  return Op::create(s.builder, s.loc, a, b);
}
template <typename Op>
static Value logical(const Scalars &s, Value a, Value b) {
  return s.toBool(bitwise<Op>(s, s.fromBool(a), s.fromBool(b)));
}

/// Comparing sizes with constants, as exporters do before Expand.
static LogicalResult equal(NodeContext &node) {
  if (foldElements<&Emitter::equals>(node, DType::Bool))
    return success();
  return binary(node, DType::Bool, compareEqual);
}

template <Binary op> static LogicalResult toBool(NodeContext &node) {
  return binary(node, DType::Bool, op);
}
template <Binary op> static LogicalResult sameType(NodeContext &node) {
  return binary(node, node.dtype(), op);
}

/// Shifting by the width or more gives 0 (it is poison in arith).
template <typename Shift>
static Value guardedShift(const Scalars &s, Value a, Value b) {
  Value width = s.integer(static_cast<int64_t>(byteSize(s.dtype) * 8));
  Value fits = s.less(b, width);
  Value amount = s.select(fits, b, s.integer(0));
  Value shifted = Shift::create(s.builder, s.loc, a, amount);
  return s.select(fits, shifted, s.integer(0));
}

static LogicalResult bitShift(NodeContext &node) {
  std::string direction = node.text("direction", "");
  if (!isUnsigned(node.dtype()))
    return node.error("BitShift takes unsigned integers");
  if (direction == "LEFT")
    return binary(node, node.dtype(), guardedShift<arith::ShLIOp>);
  if (direction == "RIGHT")
    return binary(node, node.dtype(), guardedShift<arith::ShRUIOp>);
  return node.error("'direction' must be 'LEFT' or 'RIGHT', not '" + direction +
                    "'");
}

/// The sign of the result follows the divisor.
static Value floorMod(const Scalars &s, Value a, Value b) {
  Value remainder = s.rem(a, b);
  if (isUnsigned(s.dtype))
    return remainder;
  Value zero = s.integer(0);
  Value differs = arith::XOrIOp::create(
      s.builder, s.loc, s.less(remainder, zero), s.less(b, zero));
  Value moved = s.select(differs, s.add(remainder, b), remainder);
  return s.select(s.equal(remainder, zero), remainder, moved);
}

static Value truncatedMod(const Scalars &s, Value a, Value b) {
  return s.rem(a, b);
}

static LogicalResult mod(NodeContext &node) {
  bool truncates = node.integer("fmod", 0) != 0;
  if (!truncates && isFloat(node.dtype()))
    return node.error("Mod of floats needs fmod = 1");
  return binary(node, node.dtype(), truncates ? truncatedMod : floorMod);
}

/// Powers for exponents from 64 up, where all but 0, 1 and -1 overflow, and
/// for negative ones, where all but 1 and -1 truncate to 0.
static Value extremePower(const Scalars &s, Value base, Value isOdd) {
  Value one = s.integer(1), zero = s.integer(0);
  Value result = s.select(s.equal(base, one), one, zero);
  if (isUnsigned(s.dtype))
    return result;
  Value alternating = s.select(isOdd, base, one);
  return s.select(s.equal(base, s.integer(-1)), alternating, result);
}

/// base^exponent by repeated squaring; overflow wraps. `exponent` is an i64.
static Value integerPower(const Scalars &s, Value base, Value exponent) {
  OpBuilder &b = s.builder;
  Scalars wide(b, s.loc, DType::UInt64);
  auto hasBit = [&](int64_t bit) -> Value {
    Value masked = arith::AndIOp::create(b, s.loc, exponent, wide.integer(bit));
    return arith::CmpIOp::create(b, s.loc, arith::CmpIPredicate::ne, masked,
                                 wide.integer(0));
  };
  Value power = s.integer(1), square = base;
  for (int64_t bit = 1; bit < 64; bit *= 2) {
    power = s.select(hasBit(bit), s.mul(power, square), power);
    square = s.mul(square, square);
  }
  // As an unsigned number a negative exponent is a large one.
  return s.select(wide.less(exponent, wide.integer(64)), power,
                  extremePower(s, base, hasBit(1)));
}

static Value powerOf(OpBuilder &b, Location loc, ValueRange v, DType base,
                     DType exponent) {
  if (!isFloat(base) && !isFloat(exponent)) {
    Value wide = convertScalar(b, loc, v[1], exponent, DType::Int64);
    return integerPower(Scalars(b, loc, base), v[0], wide);
  }
  DType compute =
      isFloat(base) && base != DType::Float64 ? DType::Float32 : DType::Float64;
  Value x = convertScalar(b, loc, v[0], base, compute);
  Value y = convertScalar(b, loc, v[1], exponent, compute);
  Value power = math::PowFOp::create(b, loc, x, y);
  return convertScalar(b, loc, power, compute, base);
}

/// Pow's result has the base's type.
static LogicalResult pow(NodeContext &node) {
  DType base = node.dtype(0), exponent = node.dtype(1);
  FailureOr<Value> other = alignLegacyOperand(node, node.in(1));
  if (failed(other))
    return failure();
  return node.resultOfMap({node.in(0), *other}, base,
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            return powerOf(b, loc, v, base, exponent);
                          });
}

/// Max, Min, Sum and Mean take any number of operands.
static FailureOr<Value> foldOperands(NodeContext &node,
                                     Value (Scalars::*op)(Value, Value) const) {
  FailureOr<SmallVector<Value>> inputs = node.allInputs();
  if (failed(inputs))
    return failure();
  DType dtype = node.dtype();
  return node.map(*inputs, dtype,
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    Scalars s(b, loc, dtype);
                    Value result = v.front();
                    for (Value next : v.drop_front())
                      result = (s.*op)(result, next);
                    return result;
                  });
}

template <Value (Scalars::*op)(Value, Value) const, Fold fold>
static LogicalResult variadic(NodeContext &node) {
  if (node.inputCount() == 2 && node.has(1) && foldElements<fold>(node))
    return success();
  FailureOr<Value> value = foldOperands(node, op);
  return failed(value) ? failure() : node.result(*value, node.dtype());
}

static LogicalResult mean(NodeContext &node) {
  FailureOr<Value> sum = foldOperands(node, &Scalars::add);
  if (failed(sum))
    return failure();
  DType dtype = node.dtype();
  auto count = static_cast<double>(node.inputCount());
  return node.resultOfMap({*sum}, dtype,
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            Scalars s(b, loc, dtype);
                            return s.div(v[0], s.number(count));
                          });
}

static LogicalResult logicalNot(NodeContext &node) {
  // What decides whether an optional is there is to stay known.
  if (auto known = node.knownNumbers(0); known && node.rank(0) == 0)
    return node.result(
        node.emit.constant({}, {known->front() == 0 ? 1.0 : 0.0}, DType::Bool),
        DType::Bool);
  return node.resultOfMap({node.in(0)}, DType::Bool,
                          [](OpBuilder &b, Location loc, ValueRange v) {
                            Scalars s(b, loc, DType::Bool);
                            return s.toBool(s.equal(v[0], s.integer(0)));
                          });
}

static LogicalResult bitNot(NodeContext &node) {
  DType dtype = node.dtype();
  return node.resultOfMap(
      {node.in(0)}, dtype, [&](OpBuilder &b, Location loc, ValueRange v) {
        return bitwise<arith::XOrIOp>(Scalars(b, loc, dtype), v[0],
                                      Scalars(b, loc, dtype).integer(-1));
      });
}

/// Choosing between known small integers, element by element.
static bool whereElements(NodeContext &node) {
  Sizes chosen;
  size_t count = 1;
  bool isScalar = true;
  for (size_t i = 0; i < 3; ++i) {
    if (!node.hasKnownElements(i))
      return false;
    size_t size = node.raw(i).elements->size();
    if (size != count && size != 1 && count != 1)
      return false;
    count = count == 1 ? size : count;
    isScalar &= node.raw(i).isScalar;
  }
  auto at = [&](size_t i, size_t k) {
    const Sizes &elements = *node.raw(i).elements;
    return elements[elements.size() == 1 ? 0 : k];
  };
  for (size_t k = 0; k < count; ++k)
    chosen.push_back(node.emit.selectEqual(at(0, k), node.emit.index(0),
                                           at(2, k), at(1, k)));
  (void)node.resultElements(chosen, isScalar, node.dtype(1));
  return true;
}

static LogicalResult where(NodeContext &node) {
  if (node.dtype(0) != DType::Bool || node.dtype(1) != node.dtype(2))
    return node.error("Where takes a bool condition and two tensors of one "
                      "type");
  if (whereElements(node))
    return success();
  DType dtype = node.dtype(1);
  return node.resultOfMap({node.in(0), node.in(1), node.in(2)}, dtype,
                          [](OpBuilder &b, Location loc, ValueRange v) {
                            Scalars s(b, loc, DType::Bool);
                            return s.select(s.fromBool(v[0]), v[1], v[2]);
                          });
}

void lh::addElementwiseOps(OpTable &table) {
  using namespace OpRule;
  unsigned numeric = Numeric | Same | WidenHalf;
  table.add("Add", {1, 2, numeric, arithmetic<&Scalars::add, &Emitter::add>});
  table.add("Sub", {1, 2, numeric, arithmetic<&Scalars::sub, &Emitter::sub>});
  table.add("Mul", {1, 2, numeric, arithmetic<&Scalars::mul, &Emitter::mul>});
  table.add("Div",
            {1, 2, numeric, arithmetic<&Scalars::div, &Emitter::divide>});
  table.add("Mod", {10, 2, numeric, mod});
  table.add("Pow", {1, 2, Numeric | WidenHalf, pow});
  table.add("Equal", {1, 2, Same | WidenHalf, equal});
  table.add("Less", {1, 2, numeric, toBool<compareLess>});
  table.add("Greater", {1, 2, numeric, toBool<compareGreater>});
  table.add("LessOrEqual", {12, 2, numeric, toBool<compareLessEqual>});
  table.add("GreaterOrEqual", {12, 2, numeric, toBool<compareGreaterEqual>});
  table.add("And", {1, 2, Bool, toBool<logical<arith::AndIOp>>});
  table.add("Or", {1, 2, Bool, toBool<logical<arith::OrIOp>>});
  table.add("Xor", {1, 2, Bool, toBool<logical<arith::XOrIOp>>});
  table.add("Not", {1, 1, Bool, logicalNot});
  table.add("BitwiseAnd",
            {18, 2, Integer | Same, sameType<bitwise<arith::AndIOp>>});
  table.add("BitwiseOr",
            {18, 2, Integer | Same, sameType<bitwise<arith::OrIOp>>});
  table.add("BitwiseXor",
            {18, 2, Integer | Same, sameType<bitwise<arith::XOrIOp>>});
  table.add("BitwiseNot", {18, 1, Integer, bitNot});
  table.add("BitShift", {11, 2, Integer | Same, bitShift});
  table.add("Max", {1, 1, numeric, variadic<&Scalars::max, &Emitter::max>});
  table.add("Min", {1, 1, numeric, variadic<&Scalars::min, &Emitter::min>});
  table.add("Sum", {1, 1, numeric, variadic<&Scalars::add, &Emitter::add>});
  table.add("Mean", {1, 1, numeric | Float, mean});
  table.add("Where", {9, 3, None, where});
}
