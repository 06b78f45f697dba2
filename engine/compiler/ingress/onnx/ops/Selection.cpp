// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results as long as the data says: NonZero and Compress. Positions are
// collected one after the other into the longest possible result, of which a
// slice is kept.
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

/// The row-major positions for which `isWanted` holds, and their number.
struct Positions {
  Value list;  ///< tensor<?xi64>, as long as the input
  Value count; ///< index
};

static Positions collectPositions(
    Emitter &emit, OpFoldResult length,
    llvm::function_ref<Value(OpBuilder &, Location, Value)> isWanted) {
  OpBuilder &b = emit.builder;
  Scalars integers(b, emit.loc, DType::Int64);
  Value zero = indexConstant(b, emit.loc, 0);
  Value one = indexConstant(b, emit.loc, 1);
  Value list = emit.filled({length}, integers.integer(0));
  auto loop = scf::ForOp::create(
      b, emit.loc, zero, emit.asValue(length), one, ValueRange{list, zero},
      [&](OpBuilder &at, Location loc, Value i, ValueRange carried) {
        // What is not wanted is overwritten by the next one.
        Value wanted = isWanted(at, loc, i);
        Value next = indexAdd(at, loc, carried[1], indexConstant(at, loc, 1));
        Value inserted = tensor::InsertOp::create(
            at, loc, fromIndex(at, loc, i, DType::Int64), carried[0],
            ValueRange{carried[1]});
        Value count = indexSelect(at, loc, wanted, next, carried[1]);
        scf::YieldOp::create(at, loc, ValueRange{inserted, count});
      });
  return {emit.remember(loop.getResult(0), {length}), loop.getResult(1)};
}

/// The indices of a row-major position under `sizes`.
static SmallVector<Value> unflatten(OpBuilder &b, Location loc, Value flat,
                                    ArrayRef<Value> sizes) {
  SmallVector<Value> indices(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    indices[dim] = indexRem(b, loc, flat, sizes[dim]);
    flat = indexDiv(b, loc, flat, sizes[dim]);
  }
  return indices;
}

static LogicalResult nonZero(NodeContext &node) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  Value input = node.in(0);
  Sizes own = emit.sizesOf(input);
  SmallVector<Value> sizes = emit.asValues(own);
  Positions found = collectPositions(
      emit, emit.product(own), [&](OpBuilder &b, Location loc, Value i) {
        Value element =
            extractElement(b, loc, input, unflatten(b, loc, i, sizes));
        Scalars bits(b, loc, DType::Bool);
        return bits.fromBool(
            convertScalar(b, loc, element, dtype, DType::Bool));
      });
  return node.resultByPlace(
      {emit.index(rankOf(input)), found.count}, DType::Int64,
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Value flat = toIndex(b, loc, extractElement(b, loc, found.list, at[1]),
                             DType::Int64);
        Value result = indexConstant(b, loc, 0);
        SmallVector<Value> indices = unflatten(b, loc, flat, sizes);
        for (auto [dim, index] : llvm::enumerate(indices)) {
          Value below = indexLess(
              b, loc, at[0], indexConstant(b, loc, static_cast<int64_t>(dim)));
          result = indexSelect(b, loc, below, result, index);
        }
        return fromIndex(b, loc, result, DType::Int64);
      });
}

static LogicalResult compress(NodeContext &node) {
  Emitter &emit = node.emit;
  if (node.rank(1) != 1 || node.dtype(1) != DType::Bool)
    return node.error("the condition must be a vector of bool");
  Value input = node.in(0), condition = node.in(1);
  int64_t axis = 0;
  if (!node.attribute("axis")) {
    input = emit.reshape(input, {emit.product(emit.sizesOf(input))});
  } else {
    FailureOr<int64_t> given = node.axis(node.integer("axis", 0), node.rank(0));
    if (failed(given))
      return failure();
    axis = *given;
  }
  auto along = static_cast<size_t>(axis);
  Sizes sizes = emit.sizesOf(input);
  Value limit = emit.asValue(sizes[along]);
  Positions found =
      collectPositions(emit, emit.sizesOf(condition)[0],
                       [&](OpBuilder &b, Location loc, Value i) {
                         return Scalars(b, loc, DType::Bool)
                             .fromBool(extractElement(b, loc, condition, i));
                       });
  sizes[along] = found.count;
  return node.resultByPlace(
      sizes, node.dtype(), [&](OpBuilder &b, Location loc, ValueRange at) {
        Value raw = extractElement(b, loc, found.list, at[along]);
        SmallVector<Value> from(at);
        from[along] =
            normalizeIndex(b, loc, toIndex(b, loc, raw, DType::Int64), limit);
        return extractElement(b, loc, input, from);
      });
}

void lh::addSelectionOps(OpTable &table) {
  using namespace OpRule;
  table.add("NonZero", {9, 1, None, nonZero});
  table.add("Compress", {9, 2, None, compress});
}
