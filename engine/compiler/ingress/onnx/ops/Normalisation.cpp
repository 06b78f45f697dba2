// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax, batch and local response normalisation.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/LayerNormalization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

/// Elementwise in the type of input 0; the shapes are known to broadcast.
static Value
combine(NodeContext &node, ArrayRef<Value> values,
        llvm::function_ref<Value(const Scalars &, ValueRange)> body) {
  DType dtype = node.dtype();
  return node.emit.map(values, node.typeOf(dtype),
                       [&](OpBuilder &b, Location loc, ValueRange v) {
                         return body(Scalars(b, loc, dtype), v);
                       });
}

Value lh::emitLogSoftmax(NodeContext &node, Value tensor, ArrayRef<bool> axes) {
  Emitter &emit = node.emit;
  Value largest = emit.unreduce(emitMax(node, tensor, axes), axes);
  Value shifted =
      combine(node, {tensor, largest},
              [](const Scalars &s, ValueRange v) { return s.sub(v[0], v[1]); });
  Value powers = combine(node, {shifted}, [](const Scalars &s, ValueRange v) {
    return s.exp(v[0]);
  });
  Value sum = emit.unreduce(emitSum(node, powers, axes), axes);
  return combine(node, {shifted, sum}, [](const Scalars &s, ValueRange v) {
    Value logarithm = math::LogOp::create(s.builder, s.loc, v[1]);
    return s.sub(v[0], logarithm);
  });
}

Value lh::emitSoftmax(NodeContext &node, Value tensor, ArrayRef<bool> axes) {
  Emitter &emit = node.emit;
  Value largest = emit.unreduce(emitMax(node, tensor, axes), axes);
  Value powers =
      combine(node, {tensor, largest}, [](const Scalars &s, ValueRange v) {
        return s.exp(s.sub(v[0], v[1]));
      });
  Value sum = emit.unreduce(emitSum(node, powers, axes), axes);
  return combine(node, {powers, sum}, [](const Scalars &s, ValueRange v) {
    return s.div(v[0], v[1]);
  });
}

/// Before opset 13 all dimensions from `axis` on are one; then `axis` alone.
static FailureOr<SmallVector<bool>> softmaxAxes(NodeContext &node) {
  int64_t rank = node.rank(0);
  bool flattens = node.opset < 13;
  if (rank == 0)
    return node.error("the input must have a dimension");
  int64_t given = node.integer("axis", flattens ? 1 : -1);
  SmallVector<bool> axes(static_cast<size_t>(rank), false);
  if (flattens && given == rank) // nothing is left to normalise over
    return axes;
  FailureOr<int64_t> axis = node.axis(given, rank);
  if (failed(axis))
    return failure();
  for (int64_t dim = *axis; dim < rank; ++dim)
    axes[static_cast<size_t>(dim)] = flattens || dim == *axis;
  return axes;
}

template <Value (*emitOp)(NodeContext &, Value, ArrayRef<bool>)>
static LogicalResult softmax(NodeContext &node) {
  FailureOr<SmallVector<bool>> axes = softmaxAxes(node);
  if (failed(axes))
    return failure();
  return node.result(emitOp(node, node.in(0), *axes), node.dtype());
}

/// Input `i`, a vector of one value per channel, in the type of input 0.
static FailureOr<Value> channelVector(NodeContext &node, size_t i) {
  Emitter &emit = node.emit;
  Value vector = node.in(i);
  Sizes own = emit.sizesOf(vector);
  Sizes input = emit.sizesOf(node.in(0));
  std::optional<int64_t> length =
      own.size() == 1 ? emit.known(own[0]) : std::nullopt;
  std::optional<int64_t> channels = input.size() > 1 ? emit.known(input[1]) : 1;
  bool fits = isFloat(node.dtype(i)) && own.size() == 1 &&
              (!length || !channels || *length == *channels);
  if (fits)
    return emit.convert(vector, node.dtype(i), node.dtype());
  return node.error("input " + Twine(i) + " of shape " + shapeText(vector) +
                        " must have one value per channel of " +
                        shapeText(node.in(0)),
                    DiagKind::IngressShapeMismatch);
}

/// Input `i` with a value for each element of a sample: before opset 9, with
/// spatial = 0.
static FailureOr<Value> sampleTensor(NodeContext &node, size_t i) {
  if (!isFloat(node.dtype(i)) || node.rank(i) + 1 != node.rank(0))
    return node.error("input " + Twine(i) + " must have the shape of a sample");
  if (failed(checkBroadcast(node, node.in(i), node.in(0), "a tensor")))
    return failure();
  return node.emit.convert(node.in(i), node.dtype(i), node.dtype());
}

/// A vector per channel, shaped to broadcast over (N, C, ...); what has the
/// shape of a sample does so already.
static Value spreadChannels(NodeContext &node, Value vector) {
  if (rankOf(vector) != 1)
    return vector;
  Sizes sizes{node.emit.sizesOf(vector)[0]};
  for (int64_t dim = 2; dim < node.rank(0); ++dim)
    sizes.push_back(node.emit.index(1));
  return node.emit.reshape(vector, sizes);
}

/// (x - mean) / sqrt(variance + epsilon) * scale + bias.
static Value normalized(NodeContext &node, ArrayRef<Value> values) {
  double epsilon = node.number("epsilon", 1e-5);
  return combine(node, values, [&](const Scalars &s, ValueRange v) {
    Value deviation =
        math::SqrtOp::create(s.builder, s.loc, s.add(v[2], s.number(epsilon)));
    Value result = s.div(s.sub(v[0], v[1]), deviation);
    if (v.size() > 3)
      result = s.mul(result, v[3]);
    return v.size() > 4 ? s.add(result, v[4]) : result;
  });
}

/// The variance around `mean`, both with their axes kept as 1.
static Value varianceAround(NodeContext &node, Value tensor, Value mean,
                            ArrayRef<bool> axes) {
  Value squares =
      combine(node, {tensor, mean}, [](const Scalars &s, ValueRange v) {
        Value distance = s.sub(v[0], v[1]);
        return s.mul(distance, distance);
      });
  return node.emit.unreduce(emitMean(node, squares, axes), axes);
}

/// Training mode: statistics of this batch, and the running ones updated.
static LogicalResult batchNormTraining(NodeContext &node, Value scale,
                                       Value bias, Value oldMean,
                                       Value oldVariance) {
  Emitter &emit = node.emit;
  SmallVector<bool> axes(static_cast<size_t>(node.rank(0)), true);
  axes[1] = false;
  double momentum = node.number("momentum", 0.9);
  Value mean = emit.unreduce(emitMean(node, node.in(0), axes), axes);
  Value variance = varianceAround(node, node.in(0), mean, axes);
  auto updated = [&](Value before, Value now, size_t i) {
    Value mixed =
        combine(node, {before, now}, [&](const Scalars &s, ValueRange v) {
          return s.add(s.mul(v[0], s.number(momentum)),
                       s.mul(v[1], s.number(1 - momentum)));
        });
    Sizes sizes = emit.sizesOf(node.in(i));
    return emit.reshape(mixed, sizes);
  };
  if (node.wants(1))
    node.set(1, updated(oldMean, mean, 3), node.dtype());
  if (node.wants(2))
    node.set(2, updated(oldVariance, variance, 4), node.dtype());
  // Before opset 14 also what this batch alone gave.
  if (node.wants(3))
    node.set(3, emit.reshape(mean, emit.sizesOf(node.in(3))), node.dtype());
  if (node.wants(4))
    node.set(4, emit.reshape(variance, emit.sizesOf(node.in(4))), node.dtype());
  return node.result(
      normalized(node, {node.in(0), mean, variance, scale, bias}),
      node.dtype());
}

/// Inference: one multiplication and one addition per element. What they take
/// depends on weights alone, so that it can be computed once per load.
static Value batchNormInference(NodeContext &node, ArrayRef<Value> vectors) {
  double epsilon = node.number("epsilon", 1e-5);
  Value factor = combine(
      node, {vectors[0], vectors[3]}, [&](const Scalars &s, ValueRange v) {
        Value deviation = math::SqrtOp::create(s.builder, s.loc,
                                               s.add(v[1], s.number(epsilon)));
        return s.div(v[0], deviation);
      });
  Value shift = combine(node, {vectors[1], vectors[2], factor},
                        [](const Scalars &s, ValueRange v) {
                          return s.sub(v[0], s.mul(v[1], v[2]));
                        });
  return combine(
      node,
      {node.in(0), spreadChannels(node, factor), spreadChannels(node, shift)},
      [](const Scalars &s, ValueRange v) {
        return s.add(s.mul(v[0], v[1]), v[2]);
      });
}

/// Training is asked for by an attribute; between opset 7 and 13 by more
/// outputs than one.
static bool trainsBatchNorm(const NodeContext &node) {
  if (node.opset >= 14)
    return node.integer("training_mode", 0) != 0;
  if (node.opset < 7)
    return node.integer("is_test", 0) == 0;
  return node.wants(1) || node.wants(2) || node.wants(3) || node.wants(4);
}

static LogicalResult batchNormalization(NodeContext &node) {
  if (node.rank(0) < 1)
    return node.error("the input has no channels");
  bool isPerSample = node.opset < 9 && node.integer("spatial", 1) == 0;
  SmallVector<Value> vectors;
  for (size_t i = 1; i < 5; ++i) {
    FailureOr<Value> value = isPerSample && node.rank(i) != 1
                                 ? sampleTensor(node, i)
                                 : channelVector(node, i);
    if (failed(value))
      return failure();
    vectors.push_back(*value);
  }
  bool trains = trainsBatchNorm(node);
  if (!trains)
    return node.result(batchNormInference(node, vectors), node.dtype());
  if (node.rank(0) < 2)
    return node.error("the input has no channels");
  if (isPerSample)
    return node.error("training with spatial = 0 is not supported",
                      DiagKind::IngressUnsupportedOp);
  for (Value &vector : vectors)
    vector = spreadChannels(node, vector);
  return batchNormTraining(node, vectors[0], vectors[1], vectors[2],
                           vectors[3]);
}

/// x / (bias + alpha / size * sum of squares over near channels) ^ beta.
static LogicalResult localResponse(NodeContext &node) {
  Emitter &emit = node.emit;
  int64_t size = node.integer("size", 0), rank = node.rank(0);
  if (size < 1 || size > (1 << 16) || rank < 2)
    return node.error("'size' must be positive and the input have channels");
  Value squares =
      combine(node, {node.in(0)},
              [](const Scalars &s, ValueRange v) { return s.mul(v[0], v[0]); });
  Sizes low(static_cast<size_t>(rank), emit.index(0)), high = low;
  low[1] = emit.index((size - 1) / 2);
  high[1] = emit.index(size - 1 - (size - 1) / 2);
  DType dtype = node.dtype();
  Value zero = node.scalars(dtype).number(0);
  Value padded = emit.pad(squares, low, high, zero);
  Builder &b = emit.builder;
  auto loops = static_cast<unsigned>(rank) + 1;
  SmallVector<AffineExpr> read, write;
  for (unsigned dim = 0; dim + 1 < loops; ++dim) {
    write.push_back(b.getAffineDimExpr(dim));
    read.push_back(b.getAffineDimExpr(dim));
  }
  read[1] = read[1] + b.getAffineDimExpr(loops - 1);
  SmallVector<bool> reduces(loops, false);
  reduces.back() = true;
  MLIRContext *context = b.getContext();
  Value window = emit.empty({emit.index(size)}, node.typeOf(dtype));
  Value sums = emit.generic(
      {padded, window},
      {AffineMap::get(loops, 0, read, context),
       AffineMap::get(loops, 0, {b.getAffineDimExpr(loops - 1)}, context),
       AffineMap::get(loops, 0, write, context)},
      emit.filled(emit.sizesOf(node.in(0)), zero), reduces,
      [&](OpBuilder &at, Location loc, ValueRange v) {
        return Scalars(at, loc, dtype).add(v[2], v[0]);
      });
  double scale = node.number("alpha", 1e-4) / static_cast<double>(size);
  double bias = node.number("bias", 1.0), beta = node.number("beta", 0.75);
  return node.result(combine(node, {node.in(0), sums},
                             [&](const Scalars &s, ValueRange v) {
                               Value base = s.add(s.number(bias),
                                                  s.mul(s.number(scale), v[1]));
                               Value power = math::PowFOp::create(
                                   s.builder, s.loc, base, s.number(beta));
                               return s.div(v[0], power);
                             }),
                     dtype);
}

void lh::addNormalisationOps(OpTable &table) {
  using namespace OpRule;
  unsigned real = Float | WidenHalf;
  table.add("Softmax", {1, 1, real, softmax<emitSoftmax>});
  table.add("LogSoftmax", {1, 1, real, softmax<emitLogSoftmax>});
  table.add("BatchNormalization", {1, 5, real, batchNormalization});
  table.add("LRN", {1, 1, real, localResponse});
}
