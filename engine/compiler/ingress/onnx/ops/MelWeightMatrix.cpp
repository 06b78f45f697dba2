// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MelWeightMatrix: triangular filters on the mel scale.
#include "compiler/ingress/onnx/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

/// 2595 log10(1 + f / 700).
static Value melOf(const Scalars &s, Value frequency) {
  Value ratio = s.add(s.number(1), s.div(frequency, s.number(700)));
  Value power = math::Log10Op::create(s.builder, s.loc, ratio);
  return s.mul(s.number(2595), power);
}

static Value frequencyOf(const Scalars &s, Value mel) {
  Value power = math::PowFOp::create(s.builder, s.loc, s.number(10),
                                     s.div(mel, s.number(2595)));
  return s.mul(s.number(700), s.sub(power, s.number(1)));
}

/// The operands as index values and float64 scalars.
struct MelScale {
  OpFoldResult bands, length, rate;
  Value lowest, highest;
};

/// The spectrogram bins at which the triangles start, peak and end: element i
/// starts triangle i, peaks in i - 1 and ends i - 2.
static Value edgeBins(NodeContext &node, const MelScale &scale) {
  Emitter &emit = node.emit;
  OpFoldResult count = emit.add(scale.bands, emit.index(2));
  Value points = emit.asValue(count), rate = emit.asValue(scale.rate);
  Value length = emit.asValue(emit.add(scale.length, emit.index(1)));
  return emit.generate(
      {count}, node.typeOf(DType::Int64),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, DType::Float64);
        Value low = melOf(s, scale.lowest), high = melOf(s, scale.highest);
        Value step =
            s.div(s.sub(high, low), doubleFromIndex(s.builder, s.loc, points));
        Value mel =
            s.add(s.mul(doubleFromIndex(s.builder, s.loc, at[0]), step), low);
        Value bin = s.div(s.mul(doubleFromIndex(s.builder, s.loc, length),
                                frequencyOf(s, mel)),
                          doubleFromIndex(s.builder, s.loc, rate));
        Value whole = math::FloorOp::create(b, loc, bin);
        return convertScalar(b, loc, whole, DType::Float64, DType::Int64);
      });
}

/// The triangle with these corners at `bin`, all of int64; its peak is 1.
static Value triangle(OpBuilder &b, Location loc, Value bin, Value start,
                      Value peak, Value end) {
  Scalars n(b, loc, DType::Int64), s(b, loc, DType::Float64);
  auto ratio = [&](Value over, Value under) {
    Value one = n.integer(1), zero = n.integer(0);
    Value safe = n.select(n.less(zero, under), under, one);
    auto wide = [&](Value value) {
      return convertScalar(b, loc, value, DType::Int64, DType::Float64);
    };
    return s.div(wide(over), wide(safe));
  };
  Value rise = ratio(n.sub(bin, start), n.sub(peak, start));
  Value fall = ratio(n.sub(end, bin), n.sub(end, peak));
  Value isBefore = n.less(bin, peak), isAfter = n.less(peak, bin);
  Value value = s.select(isBefore, rise, s.number(1));
  value = s.select(isAfter, fall, value);
  Value isOutside = arith::OrIOp::create(
      b, loc, n.less(bin, start),
      arith::AndIOp::create(b, loc, isAfter, n.lessEqual(end, bin)));
  return s.select(isOutside, s.number(0), value);
}

static FailureOr<OpFoldResult> melInteger(NodeContext &node, size_t i) {
  FailureOr<Sizes> given = node.elements(i);
  if (failed(given))
    return failure();
  if (given->size() != 1)
    return node.error("input " + Twine(i) + " must be one number");
  std::optional<int64_t> value = node.emit.known(given->front());
  if (value && (*value < 1 || *value > (int64_t(1) << 32)))
    return node.error("input " + Twine(i) + " is " + Twine(*value));
  return node.emit.max(given->front(), node.emit.index(1));
}

static FailureOr<MelScale> readScale(NodeContext &node) {
  FailureOr<OpFoldResult> bands = melInteger(node, 0);
  FailureOr<OpFoldResult> length = melInteger(node, 1);
  FailureOr<OpFoldResult> rate = melInteger(node, 2);
  if (failed(bands) || failed(length) || failed(rate))
    return failure();
  MelScale scale{*bands, *length, *rate, Value(), Value()};
  for (size_t i = 3; i < 5; ++i) {
    if (!isFloat(node.dtype(i)))
      return node.error("input " + Twine(i) + " must be a float");
    (i == 3 ? scale.lowest : scale.highest) = convertScalar(
        node.emit.builder, node.emit.loc, node.emit.scalarOf(node.in(i)),
        node.dtype(i), DType::Float64);
  }
  return scale;
}

static LogicalResult melWeightMatrix(NodeContext &node) {
  Emitter &emit = node.emit;
  std::optional<DType> dtype = dtypeOfOnnx(node.integer("output_datatype", 1));
  if (!dtype)
    return node.error("'output_datatype' is not supported",
                      DiagKind::IngressUnsupportedType);
  FailureOr<MelScale> scale = readScale(node);
  if (failed(scale))
    return failure();
  Value edges = edgeBins(node, *scale);
  OpFoldResult bins = emit.add(emit.floorDiv(scale->length, 2), emit.index(1));
  return node.result(
      emit.generate(
          {bins, scale->bands}, node.typeOf(*dtype),
          [&](OpBuilder &b, Location loc, ValueRange at) {
            auto edge = [&](int64_t ahead) {
              Value i = indexAdd(b, loc, at[1], indexConstant(b, loc, ahead));
              return extractElement(b, loc, edges, {i});
            };
            Value bin = fromIndex(b, loc, at[0], DType::Int64);
            Value value = triangle(b, loc, bin, edge(0), edge(1), edge(2));
            return convertScalar(b, loc, value, DType::Float64, *dtype);
          }),
      *dtype);
}

namespace lh {
void addMelOps(OpTable &table) {
  table.add("MelWeightMatrix", {17, 5, OpRule::Integer, melWeightMatrix});
}
} // namespace lh
