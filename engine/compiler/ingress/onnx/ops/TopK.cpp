// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TopK: each line along the axis is sorted on its own, by positions.
#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/onnx/ops/ArgExtreme.h"
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/emit/Sort.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

/// Whether position `i` of a line comes before `j`: equal values keep the
/// order of their positions.
static Value precedes(const Scalars &s, Value a, Value i, Value b, Value j,
                      bool largest) {
  Value better = largest ? lessWithNaN(s, b, a) : lessWithNaN(s, a, b);
  Value worse = largest ? lessWithNaN(s, a, b) : lessWithNaN(s, b, a);
  Value earlier = indexLess(s.builder, s.loc, i, j);
  Value no =
      arith::ConstantOp::create(s.builder, s.loc, s.builder.getBoolAttr(false));
  Value tie = arith::SelectOp::create(s.builder, s.loc, worse, no, earlier);
  return arith::OrIOp::create(s.builder, s.loc, better, tie);
}

/// The first `kept` positions of every line of `data` (outer, n, inner).
static Value sortedPositions(NodeContext &node, Value data, OpFoldResult kept,
                             bool largest) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(data);
  DType dtype = node.dtype();
  SortSize size{emit.asValue(sizes[1]), emit.asValue(kept)};
  Value places =
      emit.empty({sizes[0], kept, sizes[2]}, node.typeOf(DType::Int64));
  return emitLoop(emit, sizes[0], {places}, [&](Value outer, ValueRange lines) {
    return emitLoop(emit, sizes[2], {lines[0]},
                    [&](Value inner, ValueRange line) {
                      auto placeOf = [&](Value p) {
                        return SmallVector<Value>{outer, p, inner};
                      };
                      auto comesBefore = [&](Value i, Value j) {
                        Scalars s(emit.builder, emit.loc, dtype);
                        Value a = emit.extract(data, {outer, i, inner});
                        Value b = emit.extract(data, {outer, j, inner});
                        return precedes(s, a, i, b, j, largest);
                      };
                      return SmallVector<Value>{
                          emitSort(emit, line[0], size, placeOf, comesBefore)};
                    });
  })[0];
}

/// `k`: an attribute at first, an input since opset 10.
static FailureOr<OpFoldResult> wantedCount(NodeContext &node,
                                           OpFoldResult length) {
  Emitter &emit = node.emit;
  OpFoldResult k = emit.index(node.integer("k", -1));
  if (node.has(1)) {
    FailureOr<Sizes> given = node.elements(1);
    if (failed(given))
      return failure();
    if (given->size() != 1)
      return node.error("'k' must be one number");
    k = given->front();
  }
  std::optional<int64_t> count = emit.known(k), size = emit.known(length);
  if (count && (*count < 0 || (size && *count > *size)))
    return node.error("'k' is " + Twine(*count) + ", the axis has " +
                      (size ? Twine(*size) : Twine("?")) + " elements");
  if (count && size)
    return k;
  return emit.max(emit.min(k, length), emit.index(0));
}

static LogicalResult topK(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", -1), node.rank(0));
  if (failed(axis))
    return failure();
  auto along = static_cast<size_t>(*axis);
  Sizes sizes = emit.sizesOf(node.in(0));
  FailureOr<OpFoldResult> kept = wantedCount(node, sizes[along]);
  if (failed(kept))
    return failure();
  ArrayRef<OpFoldResult> all(sizes);
  OpFoldResult outer = emit.product(all.take_front(along));
  OpFoldResult inner = emit.product(all.drop_front(along + 1));
  Value data = emit.reshape(node.in(0), {outer, sizes[along], inner});
  bool largest = node.integer("largest", 1) != 0;
  Value positions = sortedPositions(node, data, *kept, largest);
  markPicks(positions, 1);
  DType dtype = node.dtype();
  Value values =
      emit.generate({outer, *kept, inner}, node.typeOf(dtype),
                    [&](OpBuilder &b, Location loc, ValueRange at) {
                      Value from =
                          toIndex(b, loc, extractElement(b, loc, positions, at),
                                  DType::Int64);
                      return extractElement(b, loc, data, {at[0], from, at[2]});
                    });
  sizes[along] = *kept;
  if (node.wants(1))
    node.set(1, emit.reshape(positions, sizes), DType::Int64);
  return node.result(emit.reshape(values, sizes), dtype);
}

void lh::addTopKOps(OpTable &table) {
  using namespace OpRule;
  table.add("TopK", {1, 1, Numeric | WidenHalf, topK});
}
