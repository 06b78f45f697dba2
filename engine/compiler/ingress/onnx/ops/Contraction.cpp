// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gemm and MatMul.
#include "compiler/ingress/emit/Products.h"
#include "compiler/ingress/onnx/ops/Families.h"

using namespace lh;
using namespace mlir;

static Value scaled(NodeContext &node, Value tensor, double factor) {
  DType dtype = node.dtype();
  if (factor == 1.0)
    return tensor;
  return node.emit.map({tensor}, node.typeOf(dtype),
                       [&](OpBuilder &b, Location loc, ValueRange v) {
                         Scalars s(b, loc, dtype);
                         return s.mul(v[0], s.number(factor));
                       });
}

/// What the products are added to: beta * C spread over the result, or zeros.
static FailureOr<Value> gemmInit(NodeContext &node, const Sizes &sizes) {
  Scalars s = node.scalars(node.dtype());
  double beta = node.number("beta", 1.0);
  if (!node.has(2) || beta == 0.0)
    return node.emit.filled(sizes, s.number(0));
  Value c = node.in(2);
  Sizes own = node.emit.sizesOf(c);
  bool fits = own.size() <= 2;
  for (size_t dim = 0; fits && dim < own.size(); ++dim) {
    std::optional<int64_t> size = node.emit.known(own[dim]);
    std::optional<int64_t> wanted =
        node.emit.known(sizes[2 - own.size() + dim]);
    fits = !size || *size == 1 || !wanted || *size == *wanted;
  }
  if (!fits)
    return node.error("C of shape " + shapeText(c) +
                          " does not broadcast to the result",
                      DiagKind::IngressShapeMismatch);
  return node.emit.broadcastTo(scaled(node, c, beta), sizes);
}

LogicalResult lh::checkInner(NodeContext &node, OpFoldResult a,
                             OpFoldResult b) {
  std::optional<int64_t> x = node.emit.known(a), y = node.emit.known(b);
  if (!x || !y || *x == *y)
    return success();
  return node.error("the inner dimensions " + Twine(*x) + " and " + Twine(*y) +
                        " differ",
                    DiagKind::IngressShapeMismatch);
}

static LogicalResult gemm(NodeContext &node) {
  if (node.rank(0) != 2 || node.rank(1) != 2)
    return node.error("A and B must be matrices");
  bool transposeA = node.integer("transA", 0) != 0;
  bool transposeB = node.integer("transB", 0) != 0;
  Value a = node.in(0), b = node.in(1);
  Sizes aSizes = node.emit.sizesOf(a), bSizes = node.emit.sizesOf(b);
  if (failed(checkInner(node, aSizes[transposeA ? 0 : 1],
                        bSizes[transposeB ? 1 : 0])))
    return failure();
  Sizes sizes{aSizes[transposeA ? 1 : 0], bSizes[transposeB ? 0 : 1]};
  FailureOr<Value> init = gemmInit(node, sizes);
  if (failed(init))
    return failure();
  a = scaled(node, a, node.number("alpha", 1.0));
  return node.result(emitMatmul(node.emit, a, b, *init, transposeA, transposeB),
                     node.dtype());
}

/// Batched matmul: named when the batches agree, else a generic whose maps
/// broadcast.
static FailureOr<Value> batchMatmul(NodeContext &node, Value a, Value b,
                                    DType dtype) {
  Emitter &emit = node.emit;
  Sizes aSizes = emit.sizesOf(a), bSizes = emit.sizesOf(b);
  auto batchOf = [](const Sizes &sizes) {
    return Sizes(sizes.begin(), sizes.end() - 2);
  };
  Sizes aBatch = batchOf(aSizes), bBatch = batchOf(bSizes);
  Value aShape = emit.empty(aBatch, emit.builder.getI8Type());
  Value bShape = emit.empty(bBatch, emit.builder.getI8Type());
  FailureOr<Sizes> batch = emit.broadcastSizes({aShape, bShape});
  if (failed(batch))
    return node.error("cannot broadcast the batches of " + shapeText(a) +
                          " and " + shapeText(b),
                      DiagKind::IngressShapeMismatch);
  Sizes sizes = *batch;
  sizes.push_back(aSizes[aSizes.size() - 2]);
  sizes.push_back(bSizes.back());
  auto spread = [&](Value tensor, const Sizes &own) {
    bool agrees = own.size() == sizes.size();
    for (size_t i = 0; agrees && i + 2 < sizes.size(); ++i)
      agrees = emit.same(own[i], sizes[i]);
    if (agrees)
      return tensor;
    Sizes target = *batch;
    target.append(own.end() - 2, own.end());
    return emit.broadcastTo(tensor, target);
  };
  a = spread(a, aSizes);
  b = spread(b, bSizes);
  // One batch dimension is what the named operation has.
  OpFoldResult count = emit.product(*batch);
  Sizes flatA{count, sizes[sizes.size() - 2], aSizes.back()};
  Sizes flatB{count, bSizes[bSizes.size() - 2], bSizes.back()};
  a = emit.reshape(a, flatA);
  b = emit.reshape(b, flatB);
  return emit.reshape(emitBatchMatmul(emit, a, b, false, dtype), sizes);
}

/// Leading dimensions of A times one matrix: a single product.
static Value matrixMatmul(NodeContext &node, Value a, Value b, DType dtype) {
  Emitter &emit = node.emit;
  Sizes aSizes = emit.sizesOf(a), bSizes = emit.sizesOf(b);
  Sizes sizes(aSizes.begin(), aSizes.end() - 1);
  OpFoldResult rows = emit.product(sizes);
  sizes.push_back(bSizes.back());
  Value flat = emit.reshape(a, {rows, aSizes.back()});
  Value init =
      emit.filled({rows, bSizes.back()}, node.scalars(dtype).number(0));
  return emit.reshape(emitMatmul(emit, flat, b, init, false, false), sizes);
}

FailureOr<Value> lh::emitOnnxMatMul(NodeContext &node, Value a, Value b,
                                    DType dtype) {
  Emitter &emit = node.emit;
  int64_t aRank = rankOf(a), bRank = rankOf(b);
  if (aRank == 0 || bRank == 0)
    return node.error("MatMul takes no scalars");
  Sizes aSizes = emit.sizesOf(a), bSizes = emit.sizesOf(b);
  if (failed(checkInner(node, aSizes.back(),
                        bRank == 1 ? bSizes[0] : bSizes[bSizes.size() - 2])))
    return failure();
  if (aRank == 1)
    a = emit.reshape(a, {emit.index(1), aSizes[0]});
  if (bRank == 1)
    b = emit.reshape(b, {bSizes[0], emit.index(1)});
  FailureOr<Value> result =
      rankOf(b) == 2 ? FailureOr<Value>(matrixMatmul(node, a, b, dtype))
                     : batchMatmul(node, a, b, dtype);
  if (failed(result) || (aRank > 1 && bRank > 1))
    return result;
  // A vector operand's unit dimension is no part of the result.
  Sizes sizes = emit.sizesOf(*result);
  if (bRank == 1)
    sizes.pop_back();
  if (aRank == 1)
    sizes.erase(bRank == 1 ? sizes.end() - 1 : sizes.end() - 2);
  return emit.reshape(*result, sizes);
}

static LogicalResult matMul(NodeContext &node) {
  FailureOr<Value> value =
      emitOnnxMatMul(node, node.in(0), node.in(1), node.dtype());
  return failed(value) ? failure() : node.result(*value, node.dtype());
}

void lh::addContractionOps(OpTable &table) {
  using namespace OpRule;
  table.add("Gemm", {1, 2, Numeric | Same | WidenHalf, gemm});
  table.add("MatMul", {1, 2, Numeric | Same | WidenHalf, matMul});
}
