// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CumSum and CumProd: one step after the other along the axis, which may be
// known only at run time.
#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

struct Cumulation {
  Value (Scalars::*combine)(Value, Value) const = nullptr;
  double start = 0.0;
};

static constexpr Cumulation cumulativeSum{&Scalars::add, 0.0};
static constexpr Cumulation cumulativeProduct{&Scalars::mul, 1.0};

/// The input as (before the axis, axis, after the axis).
static FailureOr<Sizes> foldedSizes(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Sizes> given = node.elements(1);
  if (failed(given))
    return failure();
  if (given->size() != 1)
    return node.error("'axis' must be one number");
  OpFoldResult axis = given->front();
  std::optional<int64_t> known = emit.known(axis);
  if (known && failed(node.axis(*known, node.rank(0))))
    return failure();
  axis = emit.selectLess(axis, emit.index(0),
                         emit.add(axis, emit.index(node.rank(0))), axis);
  OpFoldResult one = emit.index(1);
  Sizes folded{one, one, one};
  for (auto [dim, size] : llvm::enumerate(emit.sizesOf(node.in(0)))) {
    OpFoldResult position = emit.index(static_cast<int64_t>(dim));
    OpFoldResult isAxis = emit.selectEqual(axis, position, one, emit.index(0));
    folded[0] =
        emit.mul(folded[0],
                 emit.selectEqual(isAxis, one, one,
                                  emit.selectLess(position, axis, size, one)));
    folded[1] = emit.mul(folded[1], emit.selectEqual(isAxis, one, size, one));
    folded[2] = emit.mul(folded[2], emit.selectLess(axis, position, size, one));
  }
  return folded;
}

/// One line of scalars: the running value is carried beside the result.
static Value alongLine(NodeContext &node, Value input, Value result, Value row,
                       const Sizes &sizes, const Cumulation &kind) {
  Emitter &emit = node.emit;
  OpBuilder &b = emit.builder;
  bool isExclusive = node.integer("exclusive", 0) != 0;
  bool isReverse = node.integer("reverse", 0) != 0;
  Value zero = indexConstant(b, emit.loc, 0);
  Value last = emit.asValue(emit.sub(sizes[1], emit.index(1)));
  Value start = node.scalars(node.dtype()).number(kind.start);
  return emitLoop(
      emit, sizes[1], {result, start}, [&](Value t, ValueRange now) {
        Scalars s = node.scalars(node.dtype());
        Value at = isReverse ? indexSub(b, emit.loc, last, t) : t;
        Value element = emit.extract(input, {row, at, zero});
        Value total = (s.*kind.combine)(now[1], element);
        Value stored =
            tensor::InsertOp::create(b, emit.loc, isExclusive ? now[1] : total,
                                     now[0], ValueRange{row, at, zero});
        return SmallVector<Value>{stored, total};
      })[0];
}

/// Whole rows at a time: each is the one before it, and one of the input. With
/// `exclusive` the step writes what it found.
static Value alongRows(NodeContext &node, Value input, Value result, Value row,
                       const Sizes &sizes, const Cumulation &kind) {
  Emitter &emit = node.emit;
  OpBuilder &b = emit.builder;
  DType dtype = node.dtype();
  bool isExclusive = node.integer("exclusive", 0) != 0;
  bool isReverse = node.integer("reverse", 0) != 0;
  Value last = emit.asValue(emit.sub(sizes[1], emit.index(1)));
  Value start = emit.filled({sizes[2]}, node.scalars(dtype).number(kind.start));
  OpFoldResult one = emit.index(1);
  Sizes rowSizes{one, one, sizes[2]};
  AffineMap identity = b.getMultiDimIdentityMap(1);
  return emitLoop(
      emit, sizes[1], {result, start}, [&](Value t, ValueRange now) {
        Value at = isReverse ? indexSub(b, emit.loc, last, t) : t;
        Sizes offsets{row, at, emit.index(0)};
        Value from =
            sliceWithout(emit, input, offsets, rowSizes, {true, true, false});
        Value to =
            sliceWithout(emit, now[0], offsets, rowSizes, {true, true, false});
        SmallVector<Value> both = emit.genericMany(
            {from}, {identity, identity, identity}, {to, now[1]}, {false},
            [&](OpBuilder &at1, Location loc, ValueRange v) {
              Value total =
                  (Scalars(at1, loc, dtype).*kind.combine)(v[2], v[0]);
              return SmallVector<Value>{isExclusive ? v[2] : total, total};
            });
        return SmallVector<Value>{
            insertSlice(emit, both[0], now[0], offsets, rowSizes), both[1]};
      })[0];
}

template <const Cumulation &kind>
static LogicalResult cumulate(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Sizes> sizes = foldedSizes(node);
  if (failed(sizes))
    return failure();
  Value input = emit.reshape(node.in(0), *sizes);
  Value empty = emit.empty(*sizes, node.typeOf(node.dtype()));
  bool isLine = emit.known((*sizes)[2]) == 1;
  Value result =
      emitLoop(emit, (*sizes)[0], {empty}, [&](Value row, ValueRange carried) {
        auto along = isLine ? alongLine : alongRows;
        return SmallVector<Value>{
            along(node, input, carried[0], row, *sizes, kind)};
      })[0];
  return node.result(emit.reshape(result, emit.sizesOf(node.in(0))),
                     node.dtype());
}

void lh::addCumulativeOps(OpTable &table) {
  using namespace OpRule;
  unsigned any = Numeric | WidenHalf;
  table.add("CumSum", {11, 2, any, cumulate<cumulativeSum>});
  table.add("CumProd", {26, 2, any, cumulate<cumulativeProduct>});
}
