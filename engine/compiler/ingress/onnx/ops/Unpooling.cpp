// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MaxUnpool and CenterCropPad: elements put at other places of a larger or
// smaller image.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Pool.h"
#include "compiler/ingress/onnx/ops/Sampling.h"
#include "compiler/ingress/onnx/ops/Window.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

/// The sizes that a pool with these attributes was taken from.
static FailureOr<Sizes> unpooledSizes(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Window> window = poolWindow(node);
  if (failed(window))
    return failure();
  Sizes sizes = emit.sizesOf(node.in(0));
  for (size_t i = 0; i < window->rank(); ++i) {
    OpFoldResult span = emit.mul(emit.sub(sizes[2 + i], emit.index(1)),
                                 emit.index(window->strides[i]));
    int64_t added = window->kernel[i] - window->low[i] - window->high[i];
    sizes[2 + i] = emit.max(emit.add(span, emit.index(added)), emit.index(0));
  }
  return sizes;
}

/// The input's elements at their positions in a row of zeros. A position
/// outside of it is ignored.
static Value spreadByIndices(NodeContext &node, OpFoldResult length) {
  Emitter &emit = node.emit;
  OpBuilder &b = emit.builder;
  OpFoldResult count = emit.product(emit.sizesOf(node.in(0)));
  Value elements = emit.reshape(node.in(0), {count});
  Value indices = emit.reshape(node.in(1), {count});
  Value zeros = emit.filled({length}, node.scalars(node.dtype()).number(0));
  Value limit = emit.asValue(length);
  auto loop = scf::ForOp::create(
      b, emit.loc, indexConstant(b, emit.loc, 0), emit.asValue(count),
      indexConstant(b, emit.loc, 1), ValueRange{zeros},
      [&](OpBuilder &at, Location loc, Value i, ValueRange carried) {
        Value raw =
            toIndex(at, loc, extractElement(at, loc, indices, i), DType::Int64);
        Value fits = isInsideOf(at, loc, raw, limit);
        Value where = clampIndex(at, loc, raw, limit);
        Value old = extractElement(at, loc, carried[0], where);
        Value element = extractElement(at, loc, elements, i);
        Value now = indexSelect(at, loc, fits, element, old);
        Value next = tensor::InsertOp::create(at, loc, now, carried[0], where);
        scf::YieldOp::create(at, loc, next);
      });
  return emit.remember(loop.getResult(0), {length});
}

/// `tensor` at the origin of a tensor of `sizes`, cut off or filled up with 0.
static Value fitted(NodeContext &node, Value tensor, const Sizes &sizes) {
  Emitter &emit = node.emit;
  Sizes own = emit.sizesOf(tensor), kept, low, high;
  for (size_t dim = 0; dim < own.size(); ++dim) {
    kept.push_back(emit.min(own[dim], sizes[dim]));
    low.push_back(emit.index(0));
    high.push_back(emit.sub(sizes[dim], kept.back()));
  }
  Sizes ones(own.size(), emit.index(1));
  Value cut = emit.slice(tensor, low, kept, ones);
  return emit.pad(cut, low, high, node.scalars(node.dtype()).number(0));
}

static LogicalResult maxUnpool(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Sizes> sizes = unpooledSizes(node);
  if (failed(sizes))
    return failure();
  bool fits = node.dtype(1) == DType::Int64 && node.rank(1) == node.rank(0);
  for (size_t dim = 0; fits && dim < sizes->size(); ++dim)
    fits = mayBeSame(emit, node.in(0), node.in(1), dim);
  if (!fits)
    return node.error("the indices must be int64 and have the input's shape",
                      DiagKind::IngressShapeMismatch);
  Value row = spreadByIndices(node, emit.product(*sizes));
  Value result = emit.reshape(row, *sizes);
  if (node.has(2)) {
    FailureOr<Sizes> wanted = node.elements(2);
    if (failed(wanted))
      return failure();
    if (wanted->size() != sizes->size())
      return node.error("output_shape needs " + Twine(sizes->size()) +
                            " values",
                        DiagKind::IngressShapeMismatch);
    for (OpFoldResult &size : *wanted)
      size = emit.max(size, emit.index(0));
    result = fitted(node, result, *wanted);
  }
  return node.result(result, node.dtype());
}

/// CenterCropPad: cut or filled up on both sides, the odd element at the end.
static LogicalResult centerCropPad(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Sizes> shape = node.elements(1);
  if (failed(shape))
    return failure();
  FailureOr<std::vector<size_t>> dims = node.namedDims();
  if (failed(dims))
    return failure();
  if (dims->size() != shape->size())
    return node.error("the shape has " + Twine(shape->size()) + " values for " +
                          Twine(dims->size()) + " axes",
                      DiagKind::IngressShapeMismatch);
  Sizes kept = emit.sizesOf(node.in(0));
  Sizes zeros(kept.size(), emit.index(0)), ones(kept.size(), emit.index(1));
  Sizes offsets = zeros, low = zeros, high = zeros;
  for (auto [dim, given] : llvm::zip(*dims, *shape)) {
    OpFoldResult own = kept[dim];
    OpFoldResult wanted = emit.max(given, emit.index(0));
    kept[dim] = emit.min(own, wanted);
    offsets[dim] = emit.floorDiv(emit.sub(own, kept[dim]), 2);
    OpFoldResult missing = emit.sub(wanted, kept[dim]);
    low[dim] = emit.floorDiv(missing, 2);
    high[dim] = emit.sub(missing, low[dim]);
  }
  Value cut = emit.slice(node.in(0), offsets, kept, ones);
  Value zero = node.scalars(node.dtype()).number(0);
  return node.result(emit.pad(cut, low, high, zero), node.dtype());
}

void lh::addUnpoolingOps(OpTable &table) {
  using namespace OpRule;
  table.add("MaxUnpool", {9, 2, Float, maxUnpool});
  table.add("CenterCropPad", {18, 2, None, centerCropPad});
}
