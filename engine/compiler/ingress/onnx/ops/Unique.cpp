// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unique: positions are sorted by what lies there; a change from one to the
// next starts a new value.
#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/emit/Sort.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

/// The slices to compare: (outer, n, inner), slice i is (:, i, :).
struct Slices {
  Value data;
  OpFoldResult outer, count, inner;
  DType dtype;
};

/// What is found, per value or per slice; only `groups` values are used.
struct UniqueValues {
  Value groups;  ///< index
  Value firsts;  ///< per value: the first slice that has it
  Value counts;  ///< per value: how many slices have it
  Value inverse; ///< per slice: its value
};

static Value asIndex(Emitter &emit, Value list, Value at) {
  return toIndex(emit.builder, emit.loc, emit.extract(list, {at}),
                 DType::Int64);
}

static Value store(Emitter &emit, Value list, Value at, Value index) {
  return tensor::InsertOp::create(
      emit.builder, emit.loc,
      fromIndex(emit.builder, emit.loc, index, DType::Int64), list,
      ValueRange{at});
}

/// -1, 0 or 1 (as index): how slice `i` compares with slice `j`, by the first
/// element that differs.
static Value compareSlices(Emitter &emit, const Slices &slices, Value i,
                           Value j) {
  OpBuilder &b = emit.builder;
  Location loc = emit.loc;
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  Value inner = emit.asValue(slices.inner);
  Value length = emit.asValue(emit.mul(slices.outer, slices.inner));
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange{zero.getType(), zero.getType()}, ValueRange{zero, zero},
      [&](OpBuilder &, Location, ValueRange carried) {
        Value more = indexLess(b, loc, carried[0], length);
        Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           carried[1], zero);
        Value goesOn = arith::AndIOp::create(b, loc, more, same);
        scf::ConditionOp::create(b, loc, goesOn, carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        Scalars s(b, loc, slices.dtype);
        Value row = indexDiv(b, loc, carried[0], inner);
        Value column = indexRem(b, loc, carried[0], inner);
        Value x = emit.extract(slices.data, {row, i, column});
        Value y = emit.extract(slices.data, {row, j, column});
        Value above = indexSelect(b, loc, lessWithNaN(s, y, x), one, zero);
        Value result = indexSelect(b, loc, lessWithNaN(s, x, y),
                                   indexConstant(b, loc, -1), above);
        Value next = indexAdd(b, loc, carried[0], one);
        scf::YieldOp::create(b, loc, ValueRange{next, result});
      });
  return loop.getResult(1);
}

/// The slices' numbers in ascending order of the slices, then of the numbers.
static Value sortedSlices(NodeContext &node, const Slices &slices) {
  Emitter &emit = node.emit;
  Value count = emit.asValue(slices.count);
  Value list = emit.empty({slices.count}, node.typeOf(DType::Int64));
  return emitSort(
      emit, list, {count, count}, [](Value p) { return SmallVector<Value>{p}; },
      [&](Value i, Value j) -> Value {
        OpBuilder &b = emit.builder;
        Value zero = indexConstant(b, emit.loc, 0);
        Value order = compareSlices(emit, slices, i, j);
        Value less = indexLess(b, emit.loc, order, zero);
        Value equal = arith::CmpIOp::create(
            b, emit.loc, arith::CmpIPredicate::eq, order, zero);
        Value tie = arith::AndIOp::create(b, emit.loc, equal,
                                          indexLess(b, emit.loc, i, j));
        return arith::OrIOp::create(b, emit.loc, less, tie);
      });
}

/// Before the first slice: no groups, and room for one of each slice.
static SmallVector<Value> noValues(NodeContext &node, const Slices &slices) {
  SmallVector<Value> start{indexConstant(node.emit.builder, node.emit.loc, 0)};
  for (int list = 0; list < 3; ++list)
    start.push_back(node.emit.filled({slices.count},
                                     node.scalars(DType::Int64).integer(0)));
  return start;
}

/// Walks through the sorted slices; values come in ascending order.
static UniqueValues ascendingValues(NodeContext &node, const Slices &slices) {
  Emitter &emit = node.emit;
  OpBuilder &b = emit.builder;
  Value order = sortedSlices(node, slices);
  SmallVector<Value> start = noValues(node, slices);
  SmallVector<Value> found =
      emitLoop(emit, slices.count, start, [&](Value p, ValueRange carried) {
        Location loc = emit.loc;
        Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
        Value slice = asIndex(emit, order, p);
        Value isFirst = indexLess(b, loc, p, one);
        Value previous =
            indexSelect(b, loc, isFirst, p, indexSub(b, loc, p, one));
        Value change =
            compareSlices(emit, slices, asIndex(emit, order, previous), slice);
        Value differs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                              change, zero);
        Value isNew = arith::OrIOp::create(b, loc, isFirst, differs);
        Value groups =
            indexAdd(b, loc, carried[0], indexSelect(b, loc, isNew, one, zero));
        Value group = indexSub(b, loc, groups, one);
        Value first =
            indexSelect(b, loc, isNew, slice, asIndex(emit, carried[1], group));
        Value seen =
            indexSelect(b, loc, isNew, zero, asIndex(emit, carried[2], group));
        return SmallVector<Value>{
            groups, store(emit, carried[1], group, first),
            store(emit, carried[2], group, indexAdd(b, loc, seen, one)),
            store(emit, carried[3], slice, group)};
      });
  return {found[0], found[1], found[2], found[3]};
}

/// The same values in the order of their first slices.
static UniqueValues valuesAsTheyCome(NodeContext &node, const Slices &slices,
                                     const UniqueValues &ascending) {
  Emitter &emit = node.emit;
  OpBuilder &b = emit.builder;
  SmallVector<Value> start = noValues(node, slices);
  // A slice that comes first makes its value the next one.
  SmallVector<Value> found =
      emitLoop(emit, slices.count, start, [&](Value i, ValueRange carried) {
        Location loc = emit.loc;
        Value one = indexConstant(b, loc, 1);
        Value group = asIndex(emit, ascending.inverse, i);
        Value isFirst =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                  asIndex(emit, ascending.firsts, group), i);
        Value now = indexSelect(b, loc, isFirst, carried[0],
                                asIndex(emit, carried[3], group));
        Value first =
            indexSelect(b, loc, isFirst, i, asIndex(emit, carried[1], now));
        Value count = asIndex(emit, ascending.counts, group);
        Value next = indexAdd(b, loc, carried[0], one);
        return SmallVector<Value>{
            indexSelect(b, loc, isFirst, next, carried[0]),
            store(emit, carried[1], now, first),
            store(emit, carried[2], now, count),
            store(emit, carried[3], group, now)};
      });
  Value renamed = found[3];
  Value inverse =
      emit.map({ascending.inverse}, node.typeOf(DType::Int64),
               [&](OpBuilder &at, Location loc, ValueRange v) {
                 return extractElement(at, loc, renamed,
                                       {toIndex(at, loc, v[0], DType::Int64)});
               });
  return {found[0], found[1], found[2], inverse};
}

/// The slices that `values.firsts` names.
static Value pickSlices(NodeContext &node, const Slices &slices,
                        const UniqueValues &values) {
  Value firsts = values.firsts, data = slices.data;
  return node.emit.generate(
      {slices.outer, values.groups, slices.inner}, node.elementType(),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Value raw = extractElement(b, loc, firsts, {at[1]});
        Value from = toIndex(b, loc, raw, DType::Int64);
        return extractElement(b, loc, data, {at[0], from, at[2]});
      });
}

static LogicalResult unique(NodeContext &node) {
  Emitter &emit = node.emit;
  Value input = node.in(0);
  Sizes sizes{emit.product(emit.sizesOf(input))};
  size_t along = 0;
  if (node.attribute("axis")) {
    FailureOr<int64_t> axis = node.axis(node.integer("axis", 0), node.rank(0));
    if (failed(axis))
      return failure();
    along = static_cast<size_t>(*axis);
    sizes = emit.sizesOf(input);
  }
  ArrayRef<OpFoldResult> all(sizes);
  Slices slices{Value(), emit.product(all.take_front(along)), sizes[along],
                emit.product(all.drop_front(along + 1)), node.dtype()};
  slices.data = emit.reshape(input, {slices.outer, slices.count, slices.inner});
  UniqueValues values = ascendingValues(node, slices);
  if (node.integer("sorted", 1) == 0)
    values = valuesAsTheyCome(node, slices, values);
  sizes[along] = values.groups;
  auto used = [&](Value list) {
    return emit.slice(list, {emit.index(0)}, {values.groups}, {emit.index(1)});
  };
  if (node.wants(1))
    node.set(1, used(values.firsts), DType::Int64);
  if (node.wants(2))
    node.set(2, values.inverse, DType::Int64);
  if (node.wants(3))
    node.set(3, used(values.counts), DType::Int64);
  return node.result(emit.reshape(pickSlices(node, slices, values), sizes),
                     node.dtype());
}

void lh::addUniqueOps(OpTable &table) {
  table.add("Unique", {11, 1, OpRule::None, unique});
}
