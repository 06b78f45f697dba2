// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers that are the same at every run and under every schedule:
// number i of a node is output i of the generator SplitMix64 (Steele, Lea and
// Flood 2014), whose state starts from the bits of the attribute `seed`, or,
// without one, from the name of the node's first output.
#include "compiler/gaps/Marks.h"
#include "compiler/ingress/onnx/ops/ArgExtreme.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/bit.h"

#include <numbers>

using namespace lh;
using namespace mlir;

/// FNV-1a over 64 bits.
static uint64_t hashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

static uint64_t seedOf(const NodeContext &node) {
  if (const OnnxAttribute *seed = node.attribute("seed"))
    return llvm::bit_cast<uint32_t>(seed->f);
  return hashOf(node.node.outputs.front());
}

/// 64-bit constants and operations on i64 that wrap.
struct Bits {
  OpBuilder &builder;
  Location loc;

  Value constant(uint64_t value) const {
    return arith::ConstantOp::create(
        builder, loc, builder.getI64IntegerAttr(static_cast<int64_t>(value)));
  }
  Value add(Value a, Value b) const {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) const {
    return arith::MulIOp::create(builder, loc, a, b);
  }
  Value shiftRight(Value a, uint64_t bits) const {
    return arith::ShRUIOp::create(builder, loc, a, constant(bits));
  }
  Value mixed(Value a, uint64_t shift) const {
    return arith::XOrIOp::create(builder, loc, a, shiftRight(a, shift));
  }
};

/// Output `i` (i64) of the generator.
static Value randomBits(const Bits &bits, uint64_t seed, Value i) {
  constexpr uint64_t step = 0x9e3779b97f4a7c15;
  Value state =
      bits.add(bits.mul(i, bits.constant(step)), bits.constant(seed + step));
  state = bits.mul(bits.mixed(state, 30), bits.constant(0xbf58476d1ce4e5b9));
  state = bits.mul(bits.mixed(state, 27), bits.constant(0x94d049bb133111eb));
  return bits.mixed(state, 31);
}

/// In [0, 1): the upper 53 bits, as float64.
static Value uniform(const Scalars &s, uint64_t seed, Value i) {
  Bits bits{s.builder, s.loc};
  Value upper = bits.shiftRight(randomBits(bits, seed, i), 11);
  return s.mul(
      convertScalar(s.builder, s.loc, upper, DType::UInt64, DType::Float64),
      s.number(0x1p-53));
}

/// Box and Muller's method on numbers 2i and 2i + 1.
static Value normal(const Scalars &s, uint64_t seed, Value i) {
  Bits bits{s.builder, s.loc};
  Value twice = bits.add(i, i);
  Value first = uniform(s, seed, twice);
  Value second = uniform(s, seed, bits.add(twice, bits.constant(1)));
  // 1 - u is in (0, 1], of which there is a logarithm.
  Value log = math::LogOp::create(s.builder, s.loc, s.sub(s.number(1), first));
  Value radius =
      math::SqrtOp::create(s.builder, s.loc, s.mul(s.number(-2), log));
  Value angle = s.mul(s.number(2 * std::numbers::pi), second);
  return s.mul(radius, math::CosOp::create(s.builder, s.loc, angle));
}

/// Each element from its row-major number, in float64.
static Value
drawn(NodeContext &node, const Sizes &sizes, DType dtype,
      llvm::function_ref<Value(const Scalars &, Value number, ValueRange at)>
          draw) {
  Emitter &emit = node.emit;
  SmallVector<Value> extents = emit.asValues(sizes);
  Value numbers = emit.generate(
      sizes, node.typeOf(dtype),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, DType::Float64);
        Value number = indexConstant(b, loc, 0);
        for (auto [position, extent] : llvm::zip(at, extents))
          number = indexAdd(b, loc, indexMul(b, loc, number, extent), position);
        Value wide = fromIndex(b, loc, number, DType::Int64);
        return convertScalar(b, loc, draw(s, wide, at), DType::Float64, dtype);
      });
  numbers.getDefiningOp()->setDiscardableAttr(drawnMark,
                                              emit.builder.getUnitAttr());
  return numbers;
}

static FailureOr<DType> drawnType(NodeContext &node, DType otherwise) {
  if (!node.attribute("dtype"))
    return otherwise;
  if (std::optional<DType> dtype = dtypeOfOnnx(node.integer("dtype", 0)))
    return *dtype;
  return node.error("'dtype' is not supported",
                    DiagKind::IngressUnsupportedType);
}

static LogicalResult drawInto(NodeContext &node, const Sizes &sizes,
                              DType dtype) {
  if (!isFloat(dtype))
    return node.error("a float type is needed, not '" + dtypeName(dtype) + "'");
  uint64_t seed = seedOf(node);
  if (node.opType().starts_with("RandomNormal")) {
    double mean = node.number("mean", 0.0), scale = node.number("scale", 1.0);
    return node.result(drawn(node, sizes, dtype,
                             [&](const Scalars &s, Value i, ValueRange) {
                               return s.add(
                                   s.mul(normal(s, seed, i), s.number(scale)),
                                   s.number(mean));
                             }),
                       dtype);
  }
  double low = node.number("low", 0.0), high = node.number("high", 1.0);
  return node.result(
      drawn(node, sizes, dtype,
            [&](const Scalars &s, Value i, ValueRange) {
              return s.add(s.mul(uniform(s, seed, i), s.number(high - low)),
                           s.number(low));
            }),
      dtype);
}

static LogicalResult randomOfShape(NodeContext &node) {
  FailureOr<DType> dtype = drawnType(node, DType::Float32);
  if (failed(dtype))
    return failure();
  std::optional<std::vector<int64_t>> shape = node.integers("shape");
  if (!shape)
    return node.error("'shape' is missing");
  int64_t total = 1;
  for (int64_t size : *shape) {
    if (size < 0 || size > (int64_t(1) << 40) / std::max<int64_t>(total, 1))
      return node.error("'shape' holds " + Twine(size),
                        DiagKind::IngressShapeMismatch);
    total *= size;
  }
  return drawInto(node, node.emit.staticSizes(*shape), *dtype);
}

static LogicalResult randomLike(NodeContext &node) {
  FailureOr<DType> dtype = drawnType(node, node.dtype());
  if (failed(dtype))
    return failure();
  return drawInto(node, node.emit.sizesOf(node.in(0)), *dtype);
}

/// 1 with the probability that the input holds.
static LogicalResult bernoulli(NodeContext &node) {
  FailureOr<DType> dtype = drawnType(node, node.dtype());
  if (failed(dtype))
    return failure();
  uint64_t seed = seedOf(node);
  Value input = node.in(0);
  DType own = node.dtype();
  return node.result(drawn(node, node.emit.sizesOf(input), *dtype,
                           [&](const Scalars &s, Value i, ValueRange at) {
                             Value limit = convertScalar(
                                 s.builder, s.loc,
                                 extractElement(s.builder, s.loc, input, at),
                                 own, DType::Float64);
                             return s.select(s.less(uniform(s, seed, i), limit),
                                             s.number(1), s.number(0));
                           }),
                     *dtype);
}

/// Gumbel's method: a sample is the class whose log-probability is largest
/// after a number with Gumbel's distribution is added; one reduction.
static LogicalResult multinomial(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<DType> dtype = drawnType(node, DType::Int32);
  int64_t count = node.integer("sample_size", 1);
  if (failed(dtype))
    return failure();
  if (node.rank(0) != 2 || count < 0 || count > (int64_t(1) << 40))
    return node.error("the input must be (batch, classes), 'sample_size' a "
                      "count");
  Value input = node.in(0);
  DType own = node.dtype();
  uint64_t seed = seedOf(node);
  Sizes sizes = emit.sizesOf(input);
  OpFoldResult samples = emit.index(count);
  Value noisy = drawn(
      node, {sizes[0], samples, sizes[1]}, DType::Float64,
      [&](const Scalars &s, Value i, ValueRange at) {
        Value logit = extractElement(s.builder, s.loc, input, {at[0], at[2]});
        logit = convertScalar(s.builder, s.loc, logit, own, DType::Float64);
        Value u = s.sub(s.number(1), uniform(s, seed, i));
        Value inner = math::LogOp::create(s.builder, s.loc, u);
        // log(1) is 0; the largest noise is as good as infinite.
        inner = s.max(s.neg(inner), s.number(0x1p-1000));
        return s.sub(logit, math::LogOp::create(s.builder, s.loc, inner));
      });
  Value best = emitArgExtreme(node, noisy, 2, DType::Float64, {});
  return node.result(emit.convert(best, DType::Int64, *dtype), *dtype);
}

void lh::addRandomOps(OpTable &table) {
  using namespace OpRule;
  table.add("RandomNormal", {1, 0, None, randomOfShape});
  table.add("RandomUniform", {1, 0, None, randomOfShape});
  table.add("RandomNormalLike", {1, 1, None, randomLike});
  table.add("RandomUniformLike", {1, 1, None, randomLike});
  table.add("Bernoulli", {15, 1, Float, bernoulli});
  table.add("Multinomial", {7, 1, Float, multinomial});
}
