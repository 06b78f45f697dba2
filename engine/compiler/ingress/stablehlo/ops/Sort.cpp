// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort with any comparison, and top_k.
#include "compiler/ingress/emit/Sort.h"

#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/stablehlo/OpTable.h"
#include "compiler/ingress/stablehlo/Regions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

namespace {
/// The elements along one dimension, as the middle of three.
struct Lines {
  OpFoldResult outer, length, inner;
  Sizes flat() const { return {outer, length, inner}; }
};
} // namespace

static Lines linesOf(Emitter &emit, const Sizes &sizes, size_t along) {
  ArrayRef<OpFoldResult> all(sizes);
  return {emit.product(all.take_front(along)), all[along],
          emit.product(all.drop_front(along + 1))};
}

using LineOrder =
    llvm::function_ref<Value(ArrayRef<Value> line, Value i, Value j)>;

/// The first `kept` positions of every line, in the order that `comesBefore`
/// gives; int64, (outer, kept, inner).
static Value sortedPositions(Emitter &emit, const Lines &lines,
                             OpFoldResult kept, LineOrder comesBefore) {
  SortSize size{emit.asValue(lines.length), emit.asValue(kept)};
  Value places =
      emit.empty({lines.outer, kept, lines.inner}, emit.typeOf(DType::Int64));
  return emitLoop(
      emit, lines.outer, {places}, [&](Value outer, ValueRange state) {
        return emitLoop(
            emit, lines.inner, {state[0]}, [&](Value inner, ValueRange line) {
              auto placeOf = [&](Value p) {
                return SmallVector<Value>{outer, p, inner};
              };
              return SmallVector<Value>{
                  emitSort(emit, line[0], size, placeOf, [&](Value i, Value j) {
                    return comesBefore({outer, inner}, i, j);
                  })};
            });
      })[0];
}

/// The elements of `tensor` (outer, length, inner) at sorted positions.
static Value pickedAt(Emitter &emit, Value tensor, Value positions) {
  return emit.generate(
      emit.sizesOf(positions), tensorTypeOf(tensor).getElementType(),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Value from = toIndex(b, loc, extractElement(b, loc, positions, at),
                             DType::Int64);
        return extractElement(b, loc, tensor, {at[0], from, at[2]});
      });
}

/// Whether item i comes before j: what compares less both ways keeps its order.
static Value stably(Emitter &emit, Value less, Value greater, Value i,
                    Value j) {
  OpBuilder &b = emit.builder;
  Value earlier = indexLess(b, emit.loc, i, j);
  Value no = arith::ConstantOp::create(b, emit.loc, b.getBoolAttr(false));
  Value tie = arith::SelectOp::create(b, emit.loc, greater, no, earlier);
  return arith::OrIOp::create(b, emit.loc, less, tie);
}

static LogicalResult sort(OpContext &c) {
  if (c.resultCount() != c.inputCount())
    return c.error("it needs a result for each operand");
  int64_t dim = c.integer("dimension", -1);
  if (dim < 0)
    dim += c.rank();
  if (dim < 0 || dim >= c.rank())
    return c.error("'dimension' names no dimension of shape " +
                   shapeText(c.in(0)));
  Emitter &emit = c.emit;
  Sizes sizes = emit.sizesOf(c.in(0));
  Lines lines = linesOf(emit, sizes, static_cast<size_t>(dim));
  SmallVector<Value> data;
  for (size_t i = 0; i < c.inputCount(); ++i) {
    if (tensorTypeOf(c.in(i)).getShape() != tensorTypeOf(c.in(0)).getShape())
      return c.mismatch("operand " + Twine(i) + " of shape " +
                        shapeText(c.in(i)) + " must have shape " +
                        shapeText(c.in(0)));
    data.push_back(emit.reshape(c.in(i), lines.flat()));
  }
  ScalarBodyOf compares(c);
  auto isLess = [&](ArrayRef<Value> line, Value i, Value j) {
    SmallVector<Value> arguments;
    for (Value tensor : data)
      for (Value at : {i, j})
        arguments.push_back(emit.extract(tensor, {line[0], at, line[1]}));
    return Scalars(emit.builder, emit.loc, DType::Bool)
        .fromBool(
            compares(emit.builder, emit.loc, arguments, {DType::Bool}).front());
  };
  Value positions = sortedPositions(
      emit, lines, lines.length, [&](ArrayRef<Value> line, Value i, Value j) {
        return stably(emit, isLess(line, i, j), isLess(line, j, i), i, j);
      });
  for (auto [i, tensor] : llvm::enumerate(data))
    c.set(i, emit.reshape(pickedAt(emit, tensor, positions), sizes));
  return compares.finish(success());
}

/// The largest elements of the last dimension, NaN before all, and where they
/// are.
static LogicalResult topK(OpContext &c) {
  FailureOr<int64_t> k = c.integer("k");
  if (failed(k))
    return failure();
  if (c.rank() < 1 || *k < 0)
    return c.error("it takes tensors of at least one dimension, and no "
                   "negative k");
  Emitter &emit = c.emit;
  Sizes sizes = emit.sizesOf(c.in(0));
  Lines lines = linesOf(emit, sizes, sizes.size() - 1);
  if (std::optional<int64_t> length = emit.known(lines.length);
      length && *k > *length)
    return c.mismatch("'k' is " + Twine(*k) + ", there are " + Twine(*length) +
                      " elements");
  Value data = emit.reshape(c.in(0), lines.flat());
  DType dtype = c.dtype();
  auto isLess = [&](ArrayRef<Value> line, Value i, Value j) {
    Scalars s(emit.builder, emit.loc, dtype);
    return lessWithNaN(s, emit.extract(data, {line[0], i, line[1]}),
                       emit.extract(data, {line[0], j, line[1]}));
  };
  Value positions = sortedPositions(
      emit, lines, emit.index(*k), [&](ArrayRef<Value> line, Value i, Value j) {
        return stably(emit, isLess(line, j, i), isLess(line, i, j), i, j);
      });
  sizes.back() = emit.index(*k);
  c.set(0, emit.reshape(pickedAt(emit, data, positions), sizes));
  c.set(1, emit.reshape(emit.convert(positions, DType::Int64, c.resultType(1)),
                        sizes));
  return success();
}

void lh::addSortOps(HloTable &t) {
  t["stablehlo.sort"] = {1, HloRow::any, HloRow::any, 1, sort};
  t["chlo.top_k"] = {1, 1, 2, 0, topK};
}
