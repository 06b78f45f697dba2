// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations of the domain com.microsoft, fused with what is before them.
#include "compiler/ingress/onnx/OpTable.h"
#include "compiler/ingress/onnx/ops/Attention.h"
#include "compiler/ingress/onnx/ops/LayerNormalization.h"

using namespace lh;
using namespace mlir;

/// Input `i` in the type it is computed in; no value when it is absent.
static Value optionalInput(NodeContext &node, size_t i, DType dtype) {
  return node.has(i) ? node.emit.convert(node.in(i), node.dtype(i), dtype)
                     : Value();
}

/// Normalises over the last dimension; sets outputs 0 to 2.
static LogicalResult finishNorm(NodeContext &node, RowNorm &norm) {
  norm.axes.assign(static_cast<size_t>(rankOf(norm.tensor)), false);
  norm.axes.back() = true;
  norm.epsilon = node.number("epsilon", 1e-12);
  for (Value vector : {norm.scale, norm.bias})
    if (vector &&
        failed(checkBroadcast(node, vector, norm.tensor, "a scale or bias")))
      return failure();
  RowNormResult result = emitRowNorm(node, norm);
  if (result.mean)
    node.set(1, result.mean, norm.dtype);
  node.set(2, result.inverseDeviation, norm.dtype);
  DType stored = node.dtype(0);
  return node.result(node.emit.convert(result.normalized, norm.dtype, stored),
                     stored);
}

/// The norm of input + skip (+ bias). RMS normalisation has no second vector.
template <bool isCentred>
static LogicalResult skipNormalization(NodeContext &node) {
  if (node.rank(0) < 1)
    return node.error("the input must have a dimension");
  RowNorm norm;
  norm.dtype = norm.affine = computedType(node.dtype(0));
  norm.isCentred = isCentred;
  norm.scale = optionalInput(node, 2, norm.dtype);
  if (isCentred)
    norm.bias = optionalInput(node, 3, norm.dtype);
  SmallVector<Value> terms{optionalInput(node, 0, norm.dtype)};
  for (size_t i : {size_t(1), size_t(isCentred ? 4 : 3)}) {
    Value term = optionalInput(node, i, norm.dtype);
    if (term && failed(checkBroadcast(node, term, terms[0], "a summand")))
      return failure();
    if (term)
      terms.push_back(term);
  }
  Value sum = node.emit.mapTo(node.emit.sizesOf(terms[0]), terms,
                              node.typeOf(norm.dtype),
                              [&](OpBuilder &b, Location loc, ValueRange v) {
                                Scalars s(b, loc, norm.dtype);
                                Value total = v.front();
                                for (Value next : v.drop_front())
                                  total = s.add(total, next);
                                return total;
                              });
  if (node.wants(3))
    node.set(3, node.emit.convert(sum, norm.dtype, node.dtype(0)),
             node.dtype(0));
  norm.tensor = sum;
  return finishNorm(node, norm);
}

/// Row `id` of the table in input `i`, at column `column`.
static Value embedding(NodeContext &node, OpBuilder &b, Location loc, size_t i,
                       Value id, Value rows, Value column) {
  return extractElement(b, loc, node.in(i),
                        {normalizeIndex(b, loc, id, rows), column});
}

/// The sum of the embeddings of words, positions and segments.
static Value embeddingSum(NodeContext &node, DType dtype) {
  Emitter &emit = node.emit;
  Sizes ids = emit.sizesOf(node.in(0));
  OpFoldResult width = emit.sizesOf(node.in(2))[1];
  SmallVector<Value> rows(5);
  for (size_t i : {2, 3, 4})
    if (node.has(i))
      rows[i] = emit.asValue(emit.sizesOf(node.in(i))[0]);
  bool sharesPositions =
      node.has(8) && emit.known(emit.sizesOf(node.in(8))[0]) == 1;
  DType idType = node.dtype(0);
  return emit.generate(
      {ids[0], ids[1], width}, node.typeOf(dtype),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, dtype);
        auto idOf = [&](size_t i, Value row) {
          Value id = extractElement(b, loc, node.in(i), {row, at[1]});
          return toIndex(b, loc, id, idType);
        };
        auto row = [&](size_t i, Value id) {
          Value element = embedding(node, b, loc, i, id, rows[i], at[2]);
          return convertScalar(b, loc, element, node.dtype(2), dtype);
        };
        Value position = at[1];
        if (node.has(8))
          position =
              idOf(8, sharesPositions ? indexConstant(b, loc, 0) : at[0]);
        Value sum = s.add(row(2, idOf(0, at[0])), row(3, position));
        return node.has(4) ? s.add(sum, row(4, idOf(1, at[0]))) : sum;
      });
}

/// How many elements of each row of the mask are 1; zeros without a mask.
static Value maskLengths(NodeContext &node) {
  Emitter &emit = node.emit;
  Scalars s = node.scalars(DType::Int32);
  if (!node.has(7))
    return emit.filled({emit.sizesOf(node.in(0))[0]}, s.integer(0));
  Value ones = emit.map({node.in(7)}, s.type(),
                        [](OpBuilder &b, Location loc, ValueRange v) {
                          Scalars at(b, loc, DType::Int32);
                          return at.select(at.equal(v[0], at.integer(1)),
                                           at.integer(1), at.integer(0));
                        });
  return emit.reduce(ones, {false, true}, s.integer(0),
                     [](OpBuilder &b, Location loc, ValueRange v) {
                       return Scalars(b, loc, DType::Int32).add(v[0], v[1]);
                     });
}

static LogicalResult checkEmbedding(NodeContext &node) {
  Emitter &emit = node.emit;
  for (size_t i : {2, 3, 5, 6})
    if (!node.has(i) || !isFloat(node.dtype(i)) ||
        node.dtype(i) != node.dtype(2))
      return node.error("inputs 2, 3, 5 and 6 must be floats of one type");
  if (node.has(1) != node.has(4))
    return node.error("segment ids and their embedding go together");
  for (size_t i : {0, 1, 2, 3, 4, 7, 8}) {
    if (!node.has(i))
      continue;
    bool isTable = i >= 2 && i <= 4;
    bool fits = isTable ? node.dtype(i) == node.dtype(2)
                        : node.dtype(i) == DType::Int32;
    if (!fits || node.rank(i) != 2)
      return node.error("input " + Twine(i) + " must be a matrix of " +
                        (isTable ? "the embeddings' type" : "int32"));
    Sizes own = emit.sizesOf(node.in(i));
    if (isTable && failed(checkSame(node, own[1], emit.sizesOf(node.in(2))[1],
                                    "the widths of the embeddings")))
      return failure();
    Sizes ids = emit.sizesOf(node.in(0));
    bool isShared = i == 8 && emit.known(own[0]) == 1;
    if (!isTable && ((!isShared &&
                      failed(checkSame(node, own[0], ids[0], "the batches"))) ||
                     failed(checkSame(node, own[1], ids[1], "the lengths"))))
      return failure();
  }
  return success();
}

static LogicalResult embedLayerNormalization(NodeContext &node) {
  if (failed(checkEmbedding(node)))
    return failure();
  DType stored = node.dtype(2);
  RowNorm norm;
  norm.dtype = norm.affine = computedType(stored);
  norm.scale = optionalInput(node, 5, norm.dtype);
  norm.bias = optionalInput(node, 6, norm.dtype);
  norm.epsilon = node.number("epsilon", 1e-12);
  norm.axes = {false, false, true};
  norm.tensor = embeddingSum(node, norm.dtype);
  for (Value vector : {norm.scale, norm.bias})
    if (failed(checkBroadcast(node, vector, norm.tensor, "a scale or bias")))
      return failure();
  node.set(1, maskLengths(node), DType::Int32);
  if (node.wants(2))
    node.set(2, node.emit.convert(norm.tensor, norm.dtype, stored), stored);
  Value result = emitRowNorm(node, norm).normalized;
  return node.result(node.emit.convert(result, norm.dtype, stored), stored);
}

namespace lh {
void addContribNormalizationOps(OpTable &table) {
  using namespace OpRule;
  unsigned same = Float | Same;
  table.add("com.microsoft.SkipLayerNormalization",
            {1, 3, same, skipNormalization<true>});
  table.add("com.microsoft.SkipSimplifiedLayerNormalization",
            {1, 3, same, skipNormalization<false>});
  table.add("com.microsoft.EmbedLayerNormalization",
            {1, 1, None, embedLayerNormalization});
}
} // namespace lh
