// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one tensor: mathematics, activations, Clip.
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace lh;
using namespace mlir;

/// Scalars with the functions that activations are written in.
struct Body : Scalars {
  Body(OpBuilder &b, Location loc, DType dtype, const NodeContext &node)
      : Scalars(b, loc, dtype), node(node) {}

  Value exp(Value x) const { return math::ExpOp::create(builder, loc, x); }
  Value log(Value x) const { return math::LogOp::create(builder, loc, x); }
  Value tanh(Value x) const { return math::TanhOp::create(builder, loc, x); }
  Value erf(Value x) const { return math::ErfOp::create(builder, loc, x); }
  Value log1p(Value x) const { return math::Log1pOp::create(builder, loc, x); }
  Value expm1(Value x) const { return math::ExpM1Op::create(builder, loc, x); }
  /// `a` where x > 0, else `b`.
  Value ifPositive(Value x, Value a, Value b) const {
    return select(less(number(0), x), a, b);
  }
  Value sigmoid(Value x) const {
    return div(number(1), add(number(1), exp(neg(x))));
  }
  Value parameter(StringRef name, double otherwise) const {
    return number(node.number(name, otherwise));
  }
  /// log(1 + e^x) without overflow.
  Value softplus(Value x) const {
    return add(max(x, number(0)), log1p(exp(neg(abs(x)))));
  }

  const NodeContext &node;
};

using Function = Value (*)(const Body &, Value);

static LogicalResult applyTo(NodeContext &node, DType result, Function f) {
  DType dtype = node.dtype();
  return node.resultOfMap({node.in(0)}, result,
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            return f(Body(b, loc, dtype, node), v[0]);
                          });
}

template <Function f> static LogicalResult unary(NodeContext &node) {
  return applyTo(node, node.dtype(), f);
}

template <typename Op> static Value mathOp(const Body &s, Value x) {
  return Op::create(s.builder, s.loc, x);
}

static Value negate(const Body &s, Value x) { return s.neg(x); }
static Value absolute(const Body &s, Value x) { return s.abs(x); }
static Value reciprocal(const Body &s, Value x) {
  return s.div(s.number(1), x);
}
static Value sign(const Body &s, Value x) {
  Value zero = s.number(0);
  Value negative = isUnsigned(s.dtype) ? zero : s.number(-1);
  Value result = s.select(s.less(x, zero), negative, zero);
  result = s.select(s.less(zero, x), s.number(1), result);
  return s.isFloating() ? s.select(s.isNaN(x), x, result) : result;
}
static Value relu(const Body &s, Value x) { return s.max(x, s.number(0)); }
static Value sigmoid(const Body &s, Value x) { return s.sigmoid(x); }
static Value softplus(const Body &s, Value x) { return s.softplus(x); }
static Value softsign(const Body &s, Value x) {
  return s.div(x, s.add(s.number(1), s.abs(x)));
}
static Value leakyRelu(const Body &s, Value x) {
  Value scaled = s.mul(s.parameter("alpha", 0.01), x);
  return s.select(s.less(x, s.number(0)), scaled, x);
}
static Value thresholdedRelu(const Body &s, Value x) {
  Value above = s.less(s.parameter("alpha", 1.0), x);
  return s.select(above, x, s.number(0));
}
static Value elu(const Body &s, Value x) {
  Value curve = s.mul(s.parameter("alpha", 1.0), s.expm1(x));
  return s.select(s.less(x, s.number(0)), curve, x);
}
static Value celu(const Body &s, Value x) {
  Value alpha = s.parameter("alpha", 1.0);
  Value curve = s.mul(alpha, s.expm1(s.div(x, alpha)));
  return s.add(s.max(s.number(0), x), s.min(s.number(0), curve));
}
static Value selu(const Body &s, Value x) {
  bool isOld = s.node.opset < 6; // with shorter constants
  Value alpha =
      s.parameter("alpha", isOld ? 1.6732 : 1.67326319217681884765625);
  Value gamma =
      s.parameter("gamma", isOld ? 1.0507 : 1.05070102214813232421875);
  Value curve = s.mul(alpha, s.expm1(x));
  return s.mul(gamma, s.ifPositive(x, x, curve));
}
static Value hardSigmoidWith(const Body &s, Value x, Value alpha, Value beta) {
  Value line = s.add(s.mul(alpha, x), beta);
  return s.max(s.number(0), s.min(s.number(1), line));
}
static Value hardSigmoid(const Body &s, Value x) {
  return hardSigmoidWith(s, x, s.parameter("alpha", 0.2),
                         s.parameter("beta", 0.5));
}
static Value hardSwish(const Body &s, Value x) {
  return s.mul(x, hardSigmoidWith(s, x, s.number(1.0 / 6), s.number(0.5)));
}
static Value mish(const Body &s, Value x) {
  return s.mul(x, s.tanh(s.softplus(x)));
}
static Value swish(const Body &s, Value x) {
  return s.mul(x, s.sigmoid(s.mul(s.parameter("alpha", 1.0), x)));
}
static Value gelu(const Body &s, Value x) {
  Value half = s.number(0.5), one = s.number(1);
  if (s.node.text("approximate", "none") == "tanh") {
    Value cube = s.mul(s.mul(x, x), x);
    Value inner = s.add(x, s.mul(s.number(0.044715), cube));
    // (1 + tanh(u)) / 2 is sigmoid(2 u), which doesn't cancel far to the left.
    Value twice = s.number(2 * std::sqrt(2 * std::numbers::inv_pi));
    return s.mul(x, s.sigmoid(s.mul(twice, inner)));
  }
  Value scaled = s.div(x, s.number(std::numbers::sqrt2));
  return s.mul(s.mul(half, x), s.add(one, s.erf(scaled)));
}
static Value shrink(const Body &s, Value x) {
  if (!s.isFloating()) { // the parameters need not be whole numbers
    OpBuilder &b = s.builder;
    Body wide(b, s.loc, DType::Float64, s.node);
    Value shrunk =
        shrink(wide, convertScalar(b, s.loc, x, s.dtype, DType::Float64));
    return convertScalar(b, s.loc, shrunk, DType::Float64, s.dtype);
  }
  Value lambd = s.parameter("lambd", 0.5), bias = s.parameter("bias", 0.0);
  Value zero = s.number(0);
  Value high = s.select(s.less(lambd, x), s.sub(x, bias), zero);
  return s.select(s.less(x, s.neg(lambd)), s.add(x, bias), high);
}

static LogicalResult checkedGelu(NodeContext &node) {
  std::string approximation = node.text("approximate", "none");
  if (approximation != "none" && approximation != "tanh")
    return node.error("'approximate' must be 'none' or 'tanh', not '" +
                      approximation + "'");
  return unary<gelu>(node);
}

/// Shapes stay known through a sign change.
static LogicalResult negation(NodeContext &node) {
  if (!node.hasKnownElements(0) || node.dtype() != DType::Int64)
    return unary<negate>(node);
  Sizes elements;
  for (OpFoldResult element : *node.raw(0).elements)
    elements.push_back(node.emit.sub(node.emit.index(0), element));
  return node.resultElements(elements, node.raw(0).isScalar, DType::Int64);
}

static LogicalResult isNaN(NodeContext &node) {
  return applyTo(node, DType::Bool,
                 [](const Body &s, Value x) { return s.toBool(s.isNaN(x)); });
}

static LogicalResult isInf(NodeContext &node) {
  return applyTo(node, DType::Bool, [](const Body &s, Value x) {
    Value none = s.number(0);
    Value high = s.node.integer("detect_positive", 1) ? s.highest() : none;
    Value low = s.node.integer("detect_negative", 1) ? s.lowest() : none;
    // A bound that is not looked for is 0, which no infinity equals.
    Value infinite = s.equal(s.abs(x), s.highest());
    Value wanted = arith::OrIOp::create(s.builder, s.loc, s.equal(x, high),
                                        s.equal(x, low));
    return s.toBool(arith::AndIOp::create(s.builder, s.loc, infinite, wanted));
  });
}

static LogicalResult pRelu(NodeContext &node) {
  DType dtype = node.dtype();
  Value slope = node.in(1);
  // Before opset 7 a slope per channel was not yet spread by its shape.
  if (node.opset < 7 && rankOf(slope) == 1 && node.rank(0) > 2 &&
      tensorTypeOf(slope).getDimSize(0) != 1) {
    Sizes sizes = node.emit.sizesOf(slope);
    for (int64_t dim = 2; dim < node.rank(0); ++dim)
      sizes.push_back(node.emit.index(1));
    slope = node.emit.reshape(slope, sizes);
  }
  return node.resultOfMap({node.in(0), slope}, dtype,
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            Scalars s(b, loc, dtype);
                            return s.select(s.less(v[0], s.number(0)),
                                            s.mul(v[1], v[0]), v[0]);
                          });
}

/// Bounds are attributes before opset 11, optional scalar inputs after.
static LogicalResult clip(NodeContext &node) {
  DType dtype = node.dtype();
  Value low, high;
  for (size_t i = 1; i < 3; ++i) {
    if (!node.has(i))
      continue;
    if (node.dtype(i) != dtype)
      return node.error("the bounds must have the type of the input");
    FailureOr<Value> bound = node.scalar(i);
    if (failed(bound))
      return failure();
    (i == 1 ? low : high) = *bound;
  }
  const OnnxAttribute *minimum = node.attribute("min");
  const OnnxAttribute *maximum = node.attribute("max");
  return node.resultOfMap(
      {node.in(0)}, dtype, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, dtype);
        Value x = v[0];
        if (low || minimum)
          x = s.max(x, low ? low : s.number(static_cast<double>(minimum->f)));
        if (high || maximum)
          x = s.min(x, high ? high : s.number(static_cast<double>(maximum->f)));
        return x;
      });
}

static void addMathematics(OpTable &table) {
  using namespace OpRule;
  unsigned real = Float | WidenHalf, any = Numeric | WidenHalf;
  table.add("Abs", {1, 1, any, unary<absolute>});
  table.add("Neg", {1, 1, any, negation});
  table.add("Sign", {9, 1, any, unary<sign>});
  table.add("Exp", {1, 1, real, unary<mathOp<math::ExpOp>>});
  table.add("Log", {1, 1, real, unary<mathOp<math::LogOp>>});
  table.add("Sqrt", {1, 1, real, unary<mathOp<math::SqrtOp>>});
  table.add("Sin", {7, 1, real, unary<mathOp<math::SinOp>>});
  table.add("Cos", {7, 1, real, unary<mathOp<math::CosOp>>});
  table.add("Tan", {7, 1, real, unary<mathOp<math::TanOp>>});
  table.add("Asin", {7, 1, real, unary<mathOp<math::AsinOp>>});
  table.add("Acos", {7, 1, real, unary<mathOp<math::AcosOp>>});
  table.add("Atan", {7, 1, real, unary<mathOp<math::AtanOp>>});
  table.add("Sinh", {9, 1, real, unary<mathOp<math::SinhOp>>});
  table.add("Cosh", {9, 1, real, unary<mathOp<math::CoshOp>>});
  table.add("Asinh", {9, 1, real, unary<mathOp<math::AsinhOp>>});
  table.add("Acosh", {9, 1, real, unary<mathOp<math::AcoshOp>>});
  table.add("Atanh", {9, 1, real, unary<mathOp<math::AtanhOp>>});
  table.add("Tanh", {1, 1, real, unary<mathOp<math::TanhOp>>});
  table.add("Erf", {9, 1, real, unary<mathOp<math::ErfOp>>});
  table.add("Ceil", {1, 1, real, unary<mathOp<math::CeilOp>>});
  table.add("Floor", {1, 1, real, unary<mathOp<math::FloorOp>>});
  table.add("Round", {11, 1, real, unary<mathOp<math::RoundEvenOp>>});
  table.add("Reciprocal", {1, 1, real, unary<reciprocal>});
  table.add("IsNaN", {9, 1, real, isNaN});
  table.add("IsInf", {10, 1, real, isInf});
}

void lh::addActivationOps(OpTable &table) {
  using namespace OpRule;
  addMathematics(table);
  unsigned real = Float | WidenHalf, any = Numeric | WidenHalf;
  table.add("Relu", {1, 1, any, unary<relu>});
  table.add("Sigmoid", {1, 1, real, unary<sigmoid>});
  table.add("Softplus", {1, 1, real, unary<softplus>});
  table.add("Softsign", {1, 1, real, unary<softsign>});
  table.add("LeakyRelu", {1, 1, real, unary<leakyRelu>});
  table.add("ThresholdedRelu", {10, 1, real, unary<thresholdedRelu>});
  table.add("Elu", {1, 1, real, unary<elu>});
  table.add("Celu", {12, 1, real, unary<celu>});
  table.add("Selu", {1, 1, real, unary<selu>});
  table.add("HardSigmoid", {1, 1, real, unary<hardSigmoid>});
  table.add("HardSwish", {14, 1, real, unary<hardSwish>});
  table.add("Mish", {18, 1, real, unary<mish>});
  table.add("Swish", {24, 1, real, unary<swish>});
  table.add("Gelu", {20, 1, real, checkedGelu});
  table.add("Shrink", {9, 1, any, unary<shrink>});
  table.add("PRelu", {1, 2, any | Same, pRelu});
  table.add("Clip", {1, 1, any, clip});
}
