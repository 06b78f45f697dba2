// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batch normalisation, and quantisation as an operation of its own.
#include "compiler/ingress/stablehlo/OpTable.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace lh;
using namespace mlir;

namespace {
/// What all three forms are given.
struct Batch {
  size_t feature;
  double epsilon;
  SmallVector<bool> axes; ///< all dimensions but that of features
  DType dtype;            ///< that sums are kept in
};
} // namespace

static FailureOr<Batch> readBatch(OpContext &c) {
  FailureOr<int64_t> feature = c.integer("feature_index");
  if (failed(feature))
    return failure();
  auto epsilon = dyn_cast_or_null<FloatAttr>(c.attribute("epsilon"));
  bool fits =
      epsilon && *feature >= 0 && *feature < c.rank() && isFloat(c.dtype());
  for (size_t i = 1; fits && i < c.inputCount(); ++i)
    fits = c.dtype(i) == c.dtype() && (c.rank(i) == 1 || c.rank(i) == c.rank());
  if (!fits)
    return c.error("its operands must be floats of one type, 'feature_index' "
                   "a dimension of the first, 'epsilon' a float");
  Batch batch{static_cast<size_t>(*feature), epsilon.getValueAsDouble(),
              SmallVector<bool>(static_cast<size_t>(c.rank()), true),
              computeTypeOf(c.dtype())};
  batch.axes[batch.feature] = false;
  return batch;
}

/// One number for each feature, beside the operand's other dimensions.
static Value spread(OpContext &c, const Batch &batch, Value vector) {
  Sizes sizes(batch.axes.size(), c.emit.index(1));
  sizes[batch.feature] = c.emit.sizesOf(vector)[0];
  return c.emit.reshape(vector, sizes);
}

static Value mapped(OpContext &c, const Batch &batch, ArrayRef<Value> inputs,
                    llvm::function_ref<Value(const Scalars &, ValueRange)> f) {
  return c.emit.map(inputs, c.emit.typeOf(batch.dtype),
                    [&](OpBuilder &b, Location loc, ValueRange v) {
                      return f(Scalars(b, loc, batch.dtype), v);
                    });
}

/// The number of elements of one feature.
static Value countOf(OpContext &c, const Batch &batch) {
  Emitter &emit = c.emit;
  OpFoldResult count = emit.index(1);
  for (auto [dim, size] : llvm::enumerate(emit.sizesOf(c.in(0))))
    if (dim != batch.feature)
      count = emit.mul(count, size);
  Value whole =
      fromIndex(emit.builder, emit.loc, emit.asValue(count), DType::Int64);
  return convertScalar(emit.builder, emit.loc, whole, DType::Int64,
                       batch.dtype);
}

static Value meanOf(OpContext &c, const Batch &batch, Value tensor) {
  Value sum =
      c.emit.reduce(tensor, batch.axes, c.emit.scalars(batch.dtype).number(0),
                    [&](OpBuilder &b, Location loc, ValueRange v) {
                      return Scalars(b, loc, batch.dtype).add(v[1], v[0]);
                    });
  Value count = countOf(c, batch);
  return mapped(c, batch, {sum}, [&](const Scalars &s, ValueRange v) {
    return s.div(v[0], count);
  });
}

/// 1 / sqrt(variance + epsilon).
static Value inverseDeviation(OpContext &c, const Batch &batch,
                              Value variance) {
  return mapped(c, batch, {variance}, [&](const Scalars &s, ValueRange v) {
    Value sum = s.add(v[0], s.number(batch.epsilon));
    return Value(math::RsqrtOp::create(s.builder, s.loc, sum));
  });
}

/// (x - mean) / deviation * scale + offset.
static Value normalised(OpContext &c, const Batch &batch, Value mean,
                        Value variance) {
  Value inverse = inverseDeviation(c, batch, variance);
  return mapped(
      c, batch,
      {c.computed(0), spread(c, batch, mean), spread(c, batch, inverse),
       spread(c, batch, c.computed(1)), spread(c, batch, c.computed(2))},
      [](const Scalars &s, ValueRange v) {
        return s.add(s.mul(s.mul(s.sub(v[0], v[1]), v[2]), v[3]), v[4]);
      });
}

static LogicalResult inference(OpContext &c) {
  FailureOr<Batch> batch = readBatch(c);
  if (failed(batch))
    return failure();
  return c.result(c.rounded(normalised(c, *batch, c.computed(3), c.computed(4)),
                            batch->dtype));
}

static std::pair<Value, Value> momentsOf(OpContext &c, const Batch &batch) {
  Value mean = meanOf(c, batch, c.computed(0));
  Value squares = mapped(c, batch, {c.computed(0), spread(c, batch, mean)},
                         [](const Scalars &s, ValueRange v) {
                           Value distance = s.sub(v[0], v[1]);
                           return s.mul(distance, distance);
                         });
  return {mean, meanOf(c, batch, squares)};
}

static LogicalResult training(OpContext &c) {
  FailureOr<Batch> batch = readBatch(c);
  if (failed(batch))
    return failure();
  auto [mean, variance] = momentsOf(c, *batch);
  Value result = normalised(c, *batch, mean, variance);
  Value made[] = {result, mean, variance};
  for (auto [i, tensor] : llvm::enumerate(made))
    c.set(i, c.rounded(tensor, batch->dtype));
  return success();
}

/// Operands: x, scale, mean, variance, gradient of the result. Gives those of
/// x, scale and offset (spec, "batch_norm_grad").
static LogicalResult gradient(OpContext &c) {
  FailureOr<Batch> read = readBatch(c);
  if (failed(read))
    return failure();
  const Batch &batch = *read;
  Value inverse = inverseDeviation(c, batch, c.computed(3));
  Value centred =
      mapped(c, batch, {c.computed(0), spread(c, batch, c.computed(2))},
             [](const Scalars &s, ValueRange v) { return s.sub(v[0], v[1]); });
  auto product = [](const Scalars &s, ValueRange v) {
    return s.mul(v[0], v[1]);
  };
  Value weighted = mapped(c, batch, {c.computed(4), centred}, product);
  Value meanWeighted = meanOf(c, batch, weighted);
  Value meanGradient = meanOf(c, batch, c.computed(4));
  Value count = countOf(c, batch);
  auto total = [&](Value mean) {
    return mapped(c, batch, {mean}, [&](const Scalars &s, ValueRange v) {
      return s.mul(v[0], count);
    });
  };
  Value ofScale = mapped(c, batch, {total(meanWeighted), inverse}, product);
  Value ofOperand =
      mapped(c, batch,
             {c.computed(4), centred, spread(c, batch, meanGradient),
              spread(c, batch, meanWeighted), spread(c, batch, inverse),
              spread(c, batch, c.computed(1))},
             [](const Scalars &s, ValueRange v) {
               Value along = s.mul(s.mul(v[1], v[3]), s.mul(v[4], v[4]));
               Value rest = s.sub(s.sub(v[0], v[2]), along);
               return s.mul(s.mul(v[5], v[4]), rest);
             });
  Value made[] = {ofOperand, ofScale, total(meanGradient)};
  for (auto [i, tensor] : llvm::enumerate(made))
    c.set(i, c.rounded(tensor, batch.dtype));
  return success();
}

/// Quantised values are kept as the numbers that they stand for; the importer
/// rounds what is declared as quantised.
static LogicalResult asNumbers(OpContext &c) {
  return c.result(c.rounded(c.in(0), c.dtype()));
}

void lh::addNormalisationOps(HloTable &t) {
  t["stablehlo.batch_norm_inference"] = {5, 5, 1, 0, inference};
  t["stablehlo.batch_norm_training"] = {3, 3, 3, 0, training};
  t["stablehlo.batch_norm_grad"] = {5, 5, 3, 0, gradient};
  t["stablehlo.uniform_quantize"] = {1, 1, 1, 0, asNumbers};
  t["stablehlo.uniform_dequantize"] = {1, 1, 1, 0, asNumbers};
}
