// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scatter: updates one after the other, at places that indices and the position
// in a window give. What would lie outside is left out.
#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/stablehlo/OpTable.h"
#include "compiler/ingress/stablehlo/Regions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

namespace {
struct ScatterDimensions {
  SmallVector<int64_t> window, inserted, operandBatch, indexBatch, toOperand;
  int64_t vectorDim = 0;
};
} // namespace

static FailureOr<ScatterDimensions> scatterDimensionsOf(OpContext &c,
                                                        size_t count) {
  int64_t rank = c.rank(0), indexRank = c.rank(count),
          updateRank = c.rank(count + 1);
  auto window = c.dimensions("update_window_dims", updateRank);
  auto inserted = c.dimensions("inserted_window_dims", rank);
  auto operandBatch = c.dimensions("input_batching_dims", rank);
  auto indexBatch = c.dimensions("scatter_indices_batching_dims", indexRank);
  auto toOperand = c.dimensions("scatter_dims_to_operand_dims", rank);
  if (failed(window) || failed(inserted) || failed(operandBatch) ||
      failed(indexBatch) || failed(toOperand))
    return failure();
  ScatterDimensions dims{*window,     *inserted,  *operandBatch,
                         *indexBatch, *toOperand, 0};
  dims.vectorDim = c.integer("index_vector_dim", 0);
  int64_t vectorSize = 1;
  bool fits = dims.vectorDim >= 0 && dims.vectorDim <= indexRank;
  if (fits && dims.vectorDim < indexRank)
    vectorSize = tensorTypeOf(c.in(count))
                     .getDimSize(static_cast<unsigned>(dims.vectorDim));
  int64_t batches = indexRank - (dims.vectorDim < indexRank ? 1 : 0);
  fits = fits && vectorSize == static_cast<int64_t>(dims.toOperand.size()) &&
         dims.operandBatch.size() == dims.indexBatch.size() &&
         !llvm::is_contained(dims.indexBatch, dims.vectorDim) &&
         static_cast<size_t>(rank) == dims.window.size() +
                                          dims.inserted.size() +
                                          dims.operandBatch.size() &&
         updateRank == batches + static_cast<int64_t>(dims.window.size()) &&
         isInteger(c.dtype(count));
  for (int64_t dim : dims.inserted)
    fits = fits && !llvm::is_contained(dims.operandBatch, dim);
  if (fits)
    return dims;
  return c.mismatch("its dimension numbers don't fit an operand of shape " +
                    shapeText(c.in(0)) + ", indices of shape " +
                    shapeText(c.in(count)) + " and updates of shape " +
                    shapeText(c.in(count + 1)));
}

static LogicalResult checkScattered(OpContext &c, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    bool fits =
        tensorTypeOf(c.in(i)).getShape() == tensorTypeOf(c.in(0)).getShape() &&
        tensorTypeOf(c.in(count + 1 + i)).getShape() ==
            tensorTypeOf(c.in(count + 1)).getShape() &&
        c.dtype(i) == c.dtype(count + 1 + i);
    if (!fits)
      return c.mismatch("operand " + Twine(i) + " of shape " +
                        shapeText(c.in(i)) + " and its updates of shape " +
                        shapeText(c.in(count + 1 + i)) +
                        " don't fit the others");
  }
  return success();
}

/// Where the update at `at` goes.
static SmallVector<Value> targetOf(OpContext &c, const ScatterDimensions &dims,
                                   size_t count, ArrayRef<Value> at) {
  Emitter &emit = c.emit;
  OpBuilder &b = emit.builder;
  Value indices = c.in(count);
  int64_t indexRank = c.rank(count);
  SmallVector<Value> batch,
      target(static_cast<size_t>(c.rank(0)), indexConstant(b, emit.loc, 0));
  for (auto [dim, place] : llvm::enumerate(at))
    if (!llvm::is_contained(dims.window, static_cast<int64_t>(dim)))
      batch.push_back(place);
  for (auto [k, dim] : llvm::enumerate(dims.toOperand)) {
    SmallVector<Value> where(batch);
    if (dims.vectorDim < indexRank)
      where.insert(where.begin() + dims.vectorDim,
                   indexConstant(b, emit.loc, static_cast<int64_t>(k)));
    target[static_cast<size_t>(dim)] =
        toIndex(b, emit.loc, emit.extract(indices, where), c.dtype(count));
  }
  for (auto [own, index] : llvm::zip(dims.operandBatch, dims.indexBatch))
    target[static_cast<size_t>(own)] =
        batch[static_cast<size_t>(index - (index > dims.vectorDim))];
  size_t next = 0;
  for (size_t dim = 0; dim < target.size(); ++dim)
    if (!llvm::is_contained(dims.inserted, static_cast<int64_t>(dim)) &&
        !llvm::is_contained(dims.operandBatch, static_cast<int64_t>(dim)))
      target[dim] = indexAdd(b, emit.loc, target[dim],
                             at[static_cast<size_t>(dims.window[next++])]);
  return target;
}

/// A loop for each dimension of the updates, the first outermost.
static SmallVector<Value>
nest(Emitter &emit, ArrayRef<OpFoldResult> sizes, SmallVector<Value> &at,
     ArrayRef<Value> carried,
     llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  if (at.size() == sizes.size())
    return body(carried);
  return emitLoop(
      emit, sizes[at.size()], carried, [&](Value place, ValueRange state) {
        at.push_back(place);
        SmallVector<Value> inner(state);
        SmallVector<Value> next = nest(emit, sizes, at, inner, body);
        at.pop_back();
        return next;
      });
}

static LogicalResult scatter(OpContext &c) {
  size_t count = (c.inputCount() - 1) / 2;
  if (c.inputCount() != 2 * count + 1 || c.resultCount() != count)
    return c.error("it needs updates and a result for each operand");
  FailureOr<ScatterDimensions> dims = scatterDimensionsOf(c, count);
  if (failed(dims) || failed(checkScattered(c, count)))
    return failure();
  Emitter &emit = c.emit;
  OpBuilder &b = emit.builder;
  SmallVector<Value> limits = emit.asValues(emit.sizesOf(c.in(0))), operands;
  SmallVector<DType> types;
  for (size_t i = 0; i < count; ++i) {
    operands.push_back(c.in(i));
    types.push_back(c.dtype(i));
  }
  ScalarBodyOf merge(c);
  SmallVector<Value> at;
  auto results = nest(
      emit, emit.sizesOf(c.in(count + 1)), at, operands, [&](ValueRange state) {
        SmallVector<Value> target = targetOf(c, *dims, count, at);
        Value isInside =
            arith::ConstantOp::create(b, emit.loc, b.getBoolAttr(true));
        for (auto [place, limit] : llvm::zip(target, limits))
          isInside = arith::AndIOp::create(
              b, emit.loc, isInside,
              arith::CmpIOp::create(b, emit.loc, arith::CmpIPredicate::ult,
                                    place, limit));
        auto branch = scf::IfOp::create(
            b, emit.loc, isInside,
            [&](OpBuilder &inner, Location loc) {
              SmallVector<Value> arguments, next;
              for (Value tensor : state)
                arguments.push_back(extractElement(inner, loc, tensor, target));
              for (size_t i = 0; i < count; ++i)
                arguments.push_back(
                    extractElement(inner, loc, c.in(count + 1 + i), at));
              auto merged = merge(inner, loc, arguments, types);
              for (auto [tensor, value] : llvm::zip(state, merged))
                next.push_back(tensor::InsertOp::create(inner, loc, value,
                                                        tensor, target));
              scf::YieldOp::create(inner, loc, next);
            },
            [&](OpBuilder &inner, Location loc) {
              scf::YieldOp::create(inner, loc, state);
            });
        return SmallVector<Value>(branch.getResults());
      });
  for (auto [i, result] : llvm::enumerate(results))
    c.set(i, emit.remember(result, emit.sizesOf(c.in(i))));
  return merge.finish(success());
}

void lh::addScatterOps(HloTable &t) {
  t["stablehlo.scatter"] = {3, HloRow::any, HloRow::any, 1, scatter};
}
