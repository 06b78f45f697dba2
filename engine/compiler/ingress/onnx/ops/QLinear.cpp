// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// com.microsoft's operators on quantised tensors: each behaves as if its
// inputs were dequantised, the plain operator applied, and the result
// quantised again.
#include "compiler/ingress/onnx/ops/Pooling.h"
#include "compiler/ingress/onnx/ops/Quantised.h"
#include "compiler/ingress/onnx/ops/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

/// A tensor with the scale and the zero point that stand for its real values.
struct QuantisedTensor {
  Value tensor; ///< null for a result
  DType dtype;
  QuantParameter scale, zero;
};

/// Scale `i` and zero point `i` + 1, for elements of `dtype`.
static FailureOr<QuantisedTensor>
readQuantisation(NodeContext &node, size_t i, StringRef what, DType dtype) {
  if (!isQuantisedInteger(dtype))
    return node.error(what + " has element type '" + dtypeName(dtype) +
                      "', which is no quantised type");
  FailureOr<QuantParameter> scale =
      readScale(node, i, ("the scale of " + what).str());
  FailureOr<QuantParameter> zero =
      readZeroPoint(node, i + 1, ("the zero point of " + what).str(), dtype);
  if (failed(scale) || failed(zero))
    return failure();
  return QuantisedTensor{Value(), dtype, *scale, *zero};
}

/// Tensor `i` with what follows it.
static FailureOr<QuantisedTensor> readQuantised(NodeContext &node, size_t i,
                                                StringRef what) {
  if (!node.has(i))
    return node.error(what + " is missing");
  FailureOr<QuantisedTensor> result =
      readQuantisation(node, i + 1, what, node.dtype(i));
  if (succeeded(result))
    result->tensor = node.in(i);
  return result;
}

static Value realOf(const Scalars &s, Value element, const QuantisedTensor &q) {
  Value distance = centredScalar(s.builder, s.loc, element, q.zero.number,
                                 q.dtype, DType::Int32);
  Value scale = convertScalar(s.builder, s.loc, q.scale.number, q.scale.dtype,
                              DType::Float32);
  return s.mul(
      convertScalar(s.builder, s.loc, distance, DType::Int32, DType::Float32),
      scale);
}

static Value elementOf(const Scalars &s, Value real, const QuantisedTensor &q) {
  Value scale = convertScalar(s.builder, s.loc, q.scale.number, q.scale.dtype,
                              DType::Float32);
  return quantizedScalar(s.builder, s.loc, s.div(real, scale), DType::Float32,
                         q.zero.number, q.dtype);
}

using RealBody = llvm::function_ref<Value(const Scalars &, ValueRange)>;

/// `body` on the real values of `inputs`, in one elementwise operation.
static LogicalResult mapReal(NodeContext &node,
                             ArrayRef<QuantisedTensor> inputs,
                             const QuantisedTensor &output, RealBody body) {
  SmallVector<Value> tensors;
  for (const QuantisedTensor &input : inputs)
    tensors.push_back(input.tensor);
  FailureOr<Value> result = node.map(
      tensors, output.dtype, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, DType::Float32);
        SmallVector<Value> reals;
        for (auto [value, input] : llvm::zip(v, inputs))
          reals.push_back(realOf(s, value, input));
        return elementOf(s, body(s, reals), output);
      });
  return failed(result) ? failure() : node.result(*result, output.dtype);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static LogicalResult binary(NodeContext &node, RealBody body) {
  FailureOr<QuantisedTensor> a = readQuantised(node, 0, "A");
  FailureOr<QuantisedTensor> b = readQuantised(node, 3, "B");
  if (failed(a) || failed(b))
    return failure();
  FailureOr<QuantisedTensor> c = readQuantisation(node, 6, "C", a->dtype);
  if (failed(c))
    return failure();
  return mapReal(node, {*a, *b}, *c, body);
}

static LogicalResult qLinearAdd(NodeContext &node) {
  return binary(
      node, [](const Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
}

static LogicalResult qLinearMul(NodeContext &node) {
  return binary(
      node, [](const Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
}

static LogicalResult unary(NodeContext &node, RealBody body) {
  FailureOr<QuantisedTensor> x = readQuantised(node, 0, "X");
  if (failed(x))
    return failure();
  FailureOr<QuantisedTensor> y = readQuantisation(node, 3, "Y", x->dtype);
  return failed(y) ? failure() : mapReal(node, {*x}, *y, body);
}

static LogicalResult qLinearLeakyRelu(NodeContext &node) {
  double alpha = node.number("alpha", 0.01f);
  return unary(node, [&](const Scalars &s, ValueRange v) {
    Value isNegative = s.less(v[0], s.number(0));
    return s.select(isNegative, s.mul(v[0], s.number(alpha)), v[0]);
  });
}

static LogicalResult qLinearSigmoid(NodeContext &node) {
  return unary(node, [](const Scalars &s, ValueRange v) -> Value {
    Value power = math::ExpOp::create(s.builder, s.loc, s.neg(v[0]));
    return s.div(s.number(1), s.add(s.number(1), power));
  });
}

static LogicalResult qLinearWhere(NodeContext &node) {
  FailureOr<QuantisedTensor> x = readQuantised(node, 1, "X");
  FailureOr<QuantisedTensor> y = readQuantised(node, 4, "Y");
  if (failed(x) || failed(y))
    return failure();
  FailureOr<QuantisedTensor> z = readQuantisation(node, 7, "Z", x->dtype);
  if (failed(z))
    return failure();
  if (node.dtype(0) != DType::Bool)
    return node.error("the condition must be bool");
  FailureOr<Value> result =
      node.map({node.in(0), x->tensor, y->tensor}, z->dtype,
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Scalars s(b, loc, DType::Float32);
                 Value real = s.select(s.fromBool(v[0]), realOf(s, v[1], *x),
                                       realOf(s, v[2], *y));
                 return elementOf(s, real, *z);
               });
  return failed(result) ? failure() : node.result(*result, z->dtype);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// (Y's scale, Y's zero point, and a tensor, scale, zero point per input).
/// Each input is brought to Y's quantisation, then they are joined.
static LogicalResult qLinearConcat(NodeContext &node) {
  if (!node.has(1) || node.inputCount() < 5 || (node.inputCount() - 2) % 3)
    return node.error("Y's scale and zero point, then a tensor, a scale and a "
                      "zero point per input are needed");
  DType dtype = node.dtype(1);
  FailureOr<QuantisedTensor> y = readQuantisation(node, 0, "Y", dtype);
  if (failed(y))
    return failure();
  SmallVector<Value> pieces;
  for (size_t i = 2; i < node.inputCount(); i += 3) {
    FailureOr<QuantisedTensor> x =
        readQuantised(node, i, ("input " + Twine(i)).str());
    if (failed(x))
      return failure();
    pieces.push_back(
        node.emit.map({x->tensor}, node.typeOf(dtype),
                      [&](OpBuilder &b, Location loc, ValueRange v) {
                        Scalars s(b, loc, DType::Float32);
                        return elementOf(s, realOf(s, v[0], *x), *y);
                      }));
  }
  FailureOr<int64_t> axis =
      node.axis(node.integer("axis", 0), rankOf(pieces.front()));
  if (failed(axis))
    return failure();
  FailureOr<Value> joined = emitConcat(node, *axis, pieces);
  return failed(joined) ? failure() : node.result(*joined, dtype);
}

/// The mean over the marked axes, summed in int32; keeps them as ones.
static Value quantisedMean(NodeContext &node, const QuantisedTensor &x,
                           ArrayRef<bool> axes, const QuantisedTensor &y) {
  Emitter &emit = node.emit;
  Sizes removed;
  for (auto [dim, size] : llvm::enumerate(emit.sizesOf(x.tensor)))
    if (axes[dim])
      removed.push_back(size);
  Value count = convertScalar(emit.builder, emit.loc,
                              fromIndex(emit.builder, emit.loc,
                                        emit.asValue(emit.product(removed)),
                                        DType::Int64),
                              DType::Int64, DType::Float32);
  Scalars sums = node.scalars(DType::Int32);
  Value sum =
      emit.reduce(x.tensor, axes, sums.number(0),
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    Value distance = centredScalar(b, loc, v[0], x.zero.number,
                                                   x.dtype, DType::Int32);
                    return Scalars(b, loc, DType::Int32).add(v[1], distance);
                  });
  QuantisedTensor summed{sum, DType::Int32, x.scale, {}};
  Value mean =
      emit.map({sum}, node.typeOf(y.dtype),
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 Scalars s(b, loc, DType::Float32);
                 return elementOf(s, s.div(realOf(s, v[0], summed), count), y);
               });
  return emit.unreduce(mean, axes);
}

static LogicalResult qLinearGlobalAveragePool(NodeContext &node) {
  FailureOr<QuantisedTensor> x = readQuantised(node, 0, "X");
  if (failed(x))
    return failure();
  FailureOr<QuantisedTensor> y = readQuantisation(node, 3, "Y", x->dtype);
  if (failed(y))
    return failure();
  if (node.rank(0) < 2)
    return node.error("the input of shape " + shapeText(x->tensor) +
                      " has no spatial dimension");
  SmallVector<bool> axes(static_cast<size_t>(node.rank(0)), true);
  axes[0] = false;
  (node.integer("channels_last", 0) ? axes.back() : axes[1]) = false;
  return node.result(quantisedMean(node, *x, axes, *y), y->dtype);
}

static LogicalResult qLinearReduceMean(NodeContext &node) {
  FailureOr<QuantisedTensor> x = readQuantised(node, 0, "the data");
  if (failed(x))
    return failure();
  FailureOr<QuantisedTensor> y =
      readQuantisation(node, 3, "the result", x->dtype);
  if (failed(y))
    return failure();
  std::vector<int64_t> given =
      node.integers("axes").value_or(std::vector<int64_t>());
  FailureOr<SmallVector<bool>> axes = node.axisMask(given, node.rank(0));
  if (failed(axes))
    return failure();
  if (given.empty())
    axes->assign(axes->size(), true);
  Value mean = quantisedMean(node, *x, *axes, *y);
  if (node.integer("keepdims", 1) != 0)
    return node.result(mean, y->dtype);
  Sizes kept;
  for (auto [dim, size] : llvm::enumerate(node.emit.sizesOf(mean)))
    if (!(*axes)[dim])
      kept.push_back(size);
  return node.result(node.emit.reshape(mean, kept), y->dtype);
}

/// The real values of input 0 go through `convert`, a float operator with the
/// same attributes; its result is quantised.
static LogicalResult throughReal(NodeContext &node, Converter convert) {
  Emitter &emit = node.emit;
  FailureOr<QuantisedTensor> x = readQuantised(node, 0, "X");
  if (failed(x))
    return failure();
  FailureOr<QuantisedTensor> y = readQuantisation(node, 3, "Y", x->dtype);
  if (failed(y))
    return failure();
  bool swaps = node.integer("channels_last", 0) != 0 && rankOf(x->tensor) > 2;
  Value input = swaps ? channelsSecond(emit, x->tensor) : x->tensor;
  ImportedValue real;
  real.dtype = DType::Float32;
  real.tensor =
      emit.map({input}, node.typeOf(DType::Float32),
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 return realOf(Scalars(b, loc, DType::Float32), v[0], *x);
               });
  NodeContext inner(node.model, node.node, node.model.opset, emit, {&real},
                    node.bodies, node.sink);
  if (failed(convert(inner)))
    return failure();
  Value result =
      emit.map({inner.results[0]->tensor}, node.typeOf(y->dtype),
               [&](OpBuilder &b, Location loc, ValueRange v) {
                 return elementOf(Scalars(b, loc, DType::Float32), v[0], *y);
               });
  if (swaps)
    result = channelsLast(emit, result);
  return node.result(result, y->dtype);
}

static LogicalResult qLinearAveragePool(NodeContext &node) {
  return throughReal(node, convertAveragePool);
}

/// `opset` says which Softmax is meant: up to 12, all dimensions from `axis`
/// on are one.
static LogicalResult realSoftmax(NodeContext &node) {
  bool flattens = node.integer("opset", 13) < 13;
  FailureOr<int64_t> axis =
      node.axis(node.integer("axis", flattens ? 1 : -1), node.rank(0));
  if (failed(axis))
    return failure();
  SmallVector<bool> axes(static_cast<size_t>(node.rank(0)), false);
  for (int64_t dim = *axis; dim < node.rank(0); ++dim)
    axes[static_cast<size_t>(dim)] = flattens || dim == *axis;
  return node.result(emitSoftmax(node, node.in(0), axes), DType::Float32);
}

static LogicalResult qLinearSoftmax(NodeContext &node) {
  return throughReal(node, realSoftmax);
}

namespace lh {
void addQLinearOps(OpTable &table) {
  using namespace OpRule;
  // Zero points in between are optional, so few inputs are demanded here.
  auto add = [&](const Twine &name, Converter convert) {
    table.add(("com.microsoft." + name).str(), {1, 1, None, convert});
  };
  add("QLinearAdd", qLinearAdd);
  add("QLinearMul", qLinearMul);
  add("QLinearLeakyRelu", qLinearLeakyRelu);
  add("QLinearSigmoid", qLinearSigmoid);
  add("QLinearWhere", qLinearWhere);
  add("QLinearConcat", qLinearConcat);
  add("QLinearGlobalAveragePool", qLinearGlobalAveragePool);
  add("QLinearReduceMean", qLinearReduceMean);
  add("QLinearAveragePool", qLinearAveragePool);
  add("QLinearSoftmax", qLinearSoftmax);
}
} // namespace lh
