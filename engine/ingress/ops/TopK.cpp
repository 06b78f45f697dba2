// TopK, as two reductions: ranks first, then a selection by rank.
#include "ingress/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

/// Whether element (value `a`, position `i`) comes before (`b`, `j`): equal
/// values keep the order of their positions.
static Value comesBefore(const Scalars &s, Value a, Value i, Value b, Value j,
                         bool largest) {
  Value better = largest ? s.less(b, a) : s.less(a, b);
  Value earlier = arith::AndIOp::create(s.builder, s.loc, s.equal(a, b),
                                        indexLess(s.builder, s.loc, i, j));
  return arith::OrIOp::create(s.builder, s.loc, better, earlier);
}

/// How many elements of the axis come before each one: its place when sorted.
static Value ranksAlong(NodeContext &node, unsigned along, bool largest) {
  Emitter &emit = node.emit;
  auto rank = static_cast<unsigned>(node.rank(0));
  MLIRContext *context = emit.builder.getContext();
  SmallVector<AffineExpr> own, other;
  for (unsigned dim = 0; dim < rank; ++dim) {
    own.push_back(emit.builder.getAffineDimExpr(dim));
    other.push_back(emit.builder.getAffineDimExpr(dim == along ? rank : dim));
  }
  SmallVector<bool> loops(rank + 1, false);
  loops.back() = true;
  AffineMap ownMap = AffineMap::get(rank + 1, 0, own, context);
  Scalars count = node.scalars(DType::Int64);
  DType dtype = node.dtype();
  return emit.generic(
      {node.in(0), node.in(0)},
      {ownMap, AffineMap::get(rank + 1, 0, other, context), ownMap},
      emit.filled(emit.sizesOf(node.in(0)), count.integer(0)), loops,
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, dtype), n(b, loc, DType::Int64);
        Value before =
            comesBefore(s, v[1], Emitter::loopIndex(b, loc, rank), v[0],
                        Emitter::loopIndex(b, loc, along), largest);
        return n.select(before, n.add(v[2], n.integer(1)), v[2]);
      });
}

/// Place p of the result is the element whose rank is p: found by a reduction
/// over the axis.
static LogicalResult topK(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", -1), node.rank(0));
  if (failed(axis))
    return failure();
  OpFoldResult k = emit.index(node.integer("k", 1));
  if (node.has(1)) {
    FailureOr<Sizes> given = node.elements(1);
    if (failed(given))
      return failure();
    if (given->size() != 1)
      return node.error("'k' must be one number");
    k = given->front();
  }
  auto along = static_cast<unsigned>(*axis);
  auto rank = static_cast<unsigned>(node.rank(0));
  Sizes sizes = emit.sizesOf(node.in(0));
  std::optional<int64_t> count = emit.known(k), size = emit.known(sizes[along]);
  if (count && (*count < 0 || (size && *count > *size)))
    return node.error("'k' is " + Twine(*count) + ", the axis has " +
                      Twine(size.value_or(0)) + " elements");
  sizes[along] = k;
  DType dtype = node.dtype();
  Value ranks = ranksAlong(node, along, node.integer("largest", 1) != 0);
  SmallVector<AffineExpr> read, write;
  for (unsigned dim = 0; dim < rank; ++dim) {
    write.push_back(emit.builder.getAffineDimExpr(dim));
    read.push_back(emit.builder.getAffineDimExpr(dim == along ? rank : dim));
  }
  MLIRContext *context = emit.builder.getContext();
  AffineMap readMap = AffineMap::get(rank + 1, 0, read, context);
  AffineMap writeMap = AffineMap::get(rank + 1, 0, write, context);
  SmallVector<bool> loops(rank + 1, false);
  loops.back() = true;
  SmallVector<Value> both = emit.genericMany(
      {node.in(0), ranks}, {readMap, readMap, writeMap, writeMap},
      {emit.filled(sizes, node.scalars(dtype).number(0)),
       emit.filled(sizes, node.scalars(DType::Int64).integer(0))},
      loops, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars n(b, loc, DType::Int64);
        Value place =
            fromIndex(b, loc, Emitter::loopIndex(b, loc, along), DType::Int64);
        Value from =
            fromIndex(b, loc, Emitter::loopIndex(b, loc, rank), DType::Int64);
        Value here = n.equal(v[1], place);
        return SmallVector<Value>{n.select(here, v[0], v[2]),
                                  n.select(here, from, v[3])};
      });
  if (node.wants(1))
    node.set(1, both[1], DType::Int64);
  return node.result(both[0], dtype);
}

namespace lh {
void addTopKOps(OpTable &table) {
  using namespace OpRule;
  table.add("TopK", {1, 1, Numeric | WidenHalf, topK});
}
} // namespace lh
