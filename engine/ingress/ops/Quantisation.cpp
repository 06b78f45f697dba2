// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear and the integer
// contractions.
#include "ingress/OpTable.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

/// Per-tensor scale and zero point broadcast as they are; one per channel is
/// laid along `axis`.
static FailureOr<Value> alongAxis(NodeContext &node, size_t i) {
  Value value = node.in(i);
  if (rankOf(value) == 0)
    return value;
  Sizes own = node.emit.sizesOf(value);
  if (own.size() == 1 && node.emit.known(own[0]) == 1)
    return node.emit.reshape(value, {});
  FailureOr<int64_t> axis = node.axis(node.integer("axis", 1), node.rank(0));
  if (failed(axis))
    return failure();
  if (own.size() != 1)
    return node.error("blocked scales are not supported",
                      DiagKind::IngressUnsupportedOp);
  Sizes sizes(static_cast<size_t>(node.rank(0)), node.emit.index(1));
  sizes[static_cast<size_t>(*axis)] = own[0];
  return node.emit.reshape(value, sizes);
}

/// round-half-even(x / scale) + zero point, saturated.
static Value quantized(OpBuilder &b, Location loc, Value x, Value scale,
                       Value zeroPoint, DType target) {
  Scalars s(b, loc, DType::Float32);
  Value rounded = math::RoundEvenOp::create(b, loc, s.div(x, scale));
  Value shift = convertScalar(b, loc, zeroPoint, target, DType::Float32);
  return convertScalar(b, loc, s.add(rounded, shift), DType::Float32, target);
}

static LogicalResult quantizeLinear(NodeContext &node) {
  DType target = node.has(2) ? node.dtype(2) : DType::UInt8;
  bool isByte = target == DType::UInt8 || target == DType::Int8 ||
                target == DType::UInt16 || target == DType::Int16;
  if (!isByte || isFloat(target))
    return node.error("the zero point must be an 8- or 16-bit integer");
  FailureOr<Value> scale = alongAxis(node, 1);
  FailureOr<Value> zero =
      node.has(2) ? alongAxis(node, 2)
                  : FailureOr<Value>(node.emit.constant({}, {0}, target));
  if (failed(scale) || failed(zero))
    return failure();
  DType source = node.dtype(0), scaleType = node.dtype(1);
  FailureOr<Value> result =
      node.map({node.in(0), *scale, *zero}, target,
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Value x = convertScalar(b, loc, v[0], source, DType::Float32);
                 Value by =
                     convertScalar(b, loc, v[1], scaleType, DType::Float32);
                 return quantized(b, loc, x, by, v[2], target);
               });
  return failed(result) ? failure() : node.result(*result, target);
}

static LogicalResult dequantizeLinear(NodeContext &node) {
  DType source = node.dtype(0), scaleType = node.dtype(1);
  if (isFloat(source) || !isFloat(scaleType) ||
      (node.has(2) && node.dtype(2) != source))
    return node.error("integers with a float scale and a zero point of their "
                      "own type are needed");
  FailureOr<Value> scale = alongAxis(node, 1);
  FailureOr<Value> zero =
      node.has(2) ? alongAxis(node, 2)
                  : FailureOr<Value>(node.emit.constant({}, {0}, source));
  if (failed(scale) || failed(zero))
    return failure();
  FailureOr<Value> result = node.map(
      {node.in(0), *scale, *zero}, scaleType,
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Value x = convertScalar(b, loc, v[0], source, DType::Int32);
        Value shift = convertScalar(b, loc, v[2], source, DType::Int32);
        Value distance = Scalars(b, loc, DType::Int32).sub(x, shift);
        Value wide =
            convertScalar(b, loc, distance, DType::Int32, DType::Float32);
        Value by = convertScalar(b, loc, v[1], scaleType, DType::Float32);
        Value product = Scalars(b, loc, DType::Float32).mul(wide, by);
        return convertScalar(b, loc, product, DType::Float32, scaleType);
      });
  return failed(result) ? failure() : node.result(*result, scaleType);
}

/// Scale and zero point from the range of the input, which includes 0.
static LogicalResult dynamicQuantizeLinear(NodeContext &node) {
  Emitter &emit = node.emit;
  OpBuilder &b = emit.builder;
  Location loc = emit.loc;
  SmallVector<bool> all(static_cast<size_t>(node.rank(0)), true);
  Scalars s = node.scalars(DType::Float32);
  Value zero = s.number(0);
  auto extreme = [&](Value (Scalars::*op)(Value, Value) const) {
    return emit.scalarOf(emit.reduce(
        node.in(0), all, zero, [&](OpBuilder &at, Location here, ValueRange v) {
          return (Scalars(at, here, DType::Float32).*op)(v[0], v[1]);
        }));
  };
  Value low = extreme(&Scalars::min), high = extreme(&Scalars::max);
  Value range = s.sub(high, low);
  Value scale = s.div(range, s.number(255));
  Value isFlat = s.equal(range, zero);
  Value safe = s.select(isFlat, s.number(1), scale);
  Value start = s.div(s.sub(zero, low), safe);
  Value rounded = math::RoundEvenOp::create(b, loc, start);
  Value point = convertScalar(b, loc, rounded, DType::Float32, DType::UInt8);
  Value result =
      emit.map({node.in(0)}, node.typeOf(DType::UInt8),
               [&](OpBuilder &at, Location here, ValueRange v) {
                 return quantized(at, here, v[0], safe, point, DType::UInt8);
               });
  node.set(1, emit.filled({}, scale), DType::Float32);
  node.set(2, emit.filled({}, point), DType::UInt8);
  return node.result(result, DType::UInt8);
}

/// An 8-bit tensor minus its zero point, in `target`.
static FailureOr<Value> centred(NodeContext &node, size_t i,
                                std::optional<size_t> zeroPoint, bool isRows) {
  Emitter &emit = node.emit;
  DType source = node.dtype(i);
  if (source != DType::UInt8 && source != DType::Int8)
    return node.error("input " + Twine(i) + " must be 8-bit");
  if (!zeroPoint || !node.has(*zeroPoint))
    return emit.convert(node.in(i), source, DType::Int32);
  if (node.dtype(*zeroPoint) != source)
    return node.error("zero point " + Twine(*zeroPoint) +
                      " must have the type of its tensor");
  Value zero = node.in(*zeroPoint);
  if (rankOf(zero) == 1 && emit.known(emit.sizesOf(zero)[0]) == 1)
    zero = emit.reshape(zero, {});
  else if (rankOf(zero) == 1 && isRows) // one per row of A
    zero = emit.reshape(zero, {emit.sizesOf(zero)[0], emit.index(1)});
  return node.map({node.in(i), zero}, DType::Int32,
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    Value x = convertScalar(b, loc, v[0], source, DType::Int32);
                    Value shift =
                        convertScalar(b, loc, v[1], source, DType::Int32);
                    return Scalars(b, loc, DType::Int32).sub(x, shift);
                  });
}

static LogicalResult matMulInteger(NodeContext &node) {
  FailureOr<Value> a = centred(node, 0, 2, true);
  FailureOr<Value> b = centred(node, 1, 3, false);
  if (failed(a) || failed(b))
    return failure();
  FailureOr<Value> product = emitOnnxMatMul(node, *a, *b, DType::Int32);
  return failed(product) ? failure() : node.result(*product, DType::Int32);
}

/// (a - a0) * (b - b0) in int32, then scaled to the result's type.
static LogicalResult qLinearMatMul(NodeContext &node) {
  FailureOr<Value> a = centred(node, 0, 2, true);
  FailureOr<Value> b = centred(node, 3, 5, false);
  if (failed(a) || failed(b))
    return failure();
  FailureOr<Value> product = emitOnnxMatMul(node, *a, *b, DType::Int32);
  if (failed(product))
    return failure();
  DType target = node.dtype(7);
  FailureOr<Value> result =
      node.map({*product, node.in(1), node.in(4), node.in(6), node.in(7)},
               target, [&](OpBuilder &at, Location loc, ValueRange v) {
                 Scalars s(at, loc, DType::Float32);
                 Value wide =
                     convertScalar(at, loc, v[0], DType::Int32, DType::Float32);
                 Value real = s.mul(s.mul(wide, v[1]), v[2]);
                 return quantized(at, loc, real, v[3], v[4], target);
               });
  return failed(result) ? failure() : node.result(*result, target);
}

void lh::addQuantisationOps(OpTable &table) {
  using namespace OpRule;
  table.add("QuantizeLinear", {10, 2, Numeric, quantizeLinear});
  table.add("DequantizeLinear", {10, 2, Integer, dequantizeLinear});
  table.add("DynamicQuantizeLinear", {11, 1, Float, dynamicQuantizeLinear});
  table.add("MatMulInteger", {10, 2, Integer, matMulInteger});
  table.add("QLinearMatMul", {10, 8, Integer, qLinearMatMul});
}
