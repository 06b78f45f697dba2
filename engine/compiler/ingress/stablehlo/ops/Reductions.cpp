// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce, and map, which is a reduction of nothing.
#include "compiler/ingress/stablehlo/OpTable.h"
#include "compiler/ingress/stablehlo/Regions.h"

using namespace lh;
using namespace mlir;

/// Inputs of one shape, then a scalar for each.
static LogicalResult checkReduced(OpContext &c) {
  size_t count = c.inputCount() / 2;
  if (c.inputCount() != 2 * count || count == 0 || c.resultCount() != count)
    return c.error("it needs an initial value and a result for each input");
  for (size_t i = 0; i < count; ++i) {
    if (failed(c.needScalar(count + i, "an initial value")))
      return failure();
    if (c.dtype(count + i) != c.dtype(i))
      return c.error("initial value " + Twine(i) +
                     " has another element type than its input");
    if (c.rank(i) != c.rank(0) ||
        failed(c.emit.broadcastSizes({c.in(0), c.in(i)})))
      return c.mismatch("inputs of shape " + shapeText(c.in(0)) + " and " +
                        shapeText(c.in(i)) + " must have one shape");
  }
  return success();
}

/// A sum, product or extreme of one input: in the type that sums are kept in.
static LogicalResult combined(OpContext &c, ArrayRef<bool> axes,
                              Combination how) {
  Emitter &emit = c.emit;
  DType dtype = computeTypeOf(c.dtype());
  Value init = convertScalar(emit.builder, emit.loc, emit.scalarOf(c.in(1)),
                             c.dtype(1), dtype);
  Value reduced = emit.reduce(
      c.computed(0), axes, init, [&](OpBuilder &b, Location loc, ValueRange v) {
        return combine(Scalars(b, loc, dtype), how, v[1], v[0]);
      });
  return c.result(c.rounded(reduced, dtype));
}

static LogicalResult reduce(OpContext &c) {
  if (failed(checkReduced(c)))
    return failure();
  auto dims = c.dimensions("dimensions", c.rank());
  if (failed(dims))
    return failure();
  SmallVector<bool> axes(static_cast<size_t>(c.rank()), false);
  for (int64_t dim : *dims)
    axes[static_cast<size_t>(dim)] = true;
  size_t count = c.resultCount();
  Combination how = combinationOf(c.op.getRegion(0));
  if (count == 1 && how != Combination::None && c.dtype() != DType::Bool &&
      c.resultType() == c.dtype())
    return combined(c, axes, how);
  Emitter &emit = c.emit;
  Sizes kept;
  SmallVector<AffineExpr> exprs;
  for (auto [dim, size] : llvm::enumerate(emit.sizesOf(c.in(0)))) {
    if (axes[dim])
      continue;
    kept.push_back(size);
    exprs.push_back(emit.builder.getAffineDimExpr(static_cast<unsigned>(dim)));
  }
  auto rank = static_cast<unsigned>(axes.size());
  AffineMap read = emit.builder.getMultiDimIdentityMap(rank);
  AffineMap write = AffineMap::get(rank, 0, exprs, read.getContext());
  SmallVector<AffineMap> maps(count, read);
  maps.append(count, write);
  SmallVector<Value> inputs, inits;
  for (size_t i = 0; i < count; ++i) {
    inputs.push_back(c.in(i));
    inits.push_back(emit.filled(kept, emit.scalarOf(c.in(count + i))));
  }
  ScalarBodyOf body(c);
  SmallVector<DType> types;
  for (size_t i = 0; i < count; ++i)
    types.push_back(c.dtype(i));
  auto results = emit.genericMany(
      inputs, maps, inits, axes, [&](OpBuilder &b, Location loc, ValueRange v) {
        // The accumulators come first.
        SmallVector<Value> arguments(v.drop_front(count));
        arguments.append(v.begin(), v.begin() + static_cast<ptrdiff_t>(count));
        return body(b, loc, arguments, types);
      });
  for (auto [i, result] : llvm::enumerate(results))
    c.set(i, result);
  return body.finish(success());
}

static LogicalResult map(OpContext &c) {
  SmallVector<Value> inputs;
  for (size_t i = 0; i < c.inputCount(); ++i) {
    if (tensorTypeOf(c.in(i)).getShape() != tensorTypeOf(c.in(0)).getShape())
      return c.mismatch("operand " + Twine(i) + " of shape " +
                        shapeText(c.in(i)) + " must have shape " +
                        shapeText(c.in(0)));
    inputs.push_back(c.in(i));
  }
  ScalarBodyOf body(c);
  Emitter &emit = c.emit;
  Value result =
      emit.mapTo(emit.sizesOf(c.in(0)), inputs, emit.typeOf(c.resultType()),
                 [&](OpBuilder &b, Location loc, ValueRange v) {
                   return body(b, loc, v, {c.resultType()}).front();
                 });
  return body.finish(c.result(result));
}

void lh::addReductionOps(HloTable &t) {
  t["stablehlo.reduce"] = {2, HloRow::any, HloRow::any, 1, reduce};
  t["stablehlo.map"] = {1, HloRow::any, 1, 1, map};
}
