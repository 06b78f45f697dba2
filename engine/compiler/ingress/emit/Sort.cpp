// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A heap in a tensor: the parent of places 2p + 1 and 2p + 2 is p, and comes
// after both.
#include "compiler/ingress/emit/Sort.h"

#include "compiler/ingress/emit/EmitterLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

namespace {

/// What all steps of one sort share.
struct Heap {
  Emitter &emit;
  PlaceOf placeOf;
  ComesBefore comesBefore;

  OpBuilder &builder() const { return emit.builder; }
  Value constant(int64_t value) const {
    return indexConstant(emit.builder, emit.loc, value);
  }
  Value read(Value list, Value place) const {
    return toIndex(emit.builder, emit.loc, emit.extract(list, placeOf(place)),
                   DType::Int64);
  }
  Value write(Value list, Value place, Value item) const {
    return tensor::InsertOp::create(
        emit.builder, emit.loc,
        fromIndex(emit.builder, emit.loc, item, DType::Int64), list,
        placeOf(place));
  }
  Value both(Value a, Value b) const {
    return arith::AndIOp::create(emit.builder, emit.loc, a, b);
  }
  Value less(Value a, Value b) const {
    return indexLess(emit.builder, emit.loc, a, b);
  }
  Value select(Value condition, Value a, Value b) const {
    return indexSelect(emit.builder, emit.loc, condition, a, b);
  }
  Value add(Value a, Value b) const {
    return indexAdd(emit.builder, emit.loc, a, b);
  }

  std::pair<Value, Value> sinkOnce(Value list, Value place, Value size) const;
  Value sink(Value list, Value place, Value size) const;
};

} // namespace

/// Swaps the item at `place` with the later of its children if that one comes
/// after it. Gives the list and where the item is now; `size` when it stays.
std::pair<Value, Value> Heap::sinkOnce(Value list, Value place,
                                       Value size) const {
  Value one = constant(1);
  Value left = add(add(place, place), one);
  Value hasRight = less(add(left, one), size);
  Value right = select(hasRight, add(left, one), left);
  Value leftItem = read(list, left), rightItem = read(list, right);
  Value takesRight = both(hasRight, comesBefore(leftItem, rightItem));
  Value child = select(takesRight, right, left);
  Value childItem = select(takesRight, rightItem, leftItem);
  Value item = read(list, place);
  Value swaps = comesBefore(item, childItem);
  list = write(list, place, select(swaps, childItem, item));
  list = write(list, child, select(swaps, item, childItem));
  return {list, select(swaps, child, size)};
}

Value Heap::sink(Value list, Value place, Value size) const {
  auto loop = scf::WhileOp::create(
      builder(), emit.loc, TypeRange{list.getType(), place.getType()},
      ValueRange{list, place},
      [&](OpBuilder &b, Location loc, ValueRange carried) {
        Value left = add(add(carried[1], carried[1]), constant(1));
        scf::ConditionOp::create(b, loc, less(left, size), carried);
      },
      [&](OpBuilder &b, Location loc, ValueRange carried) {
        auto [next, now] = sinkOnce(carried[0], carried[1], size);
        scf::YieldOp::create(b, loc, ValueRange{next, now});
      });
  return loop.getResult(0);
}

/// Makes a heap of the first `kept` items.
static Value buildHeap(const Heap &heap, Value list, Value kept) {
  list = emitLoop(heap.emit, kept, {list}, [&](Value p, ValueRange carried) {
    return SmallVector<Value>{heap.write(carried[0], p, p)};
  })[0];
  Value parents =
      indexDiv(heap.builder(), heap.emit.loc, kept, heap.constant(2));
  return emitLoop(heap.emit, parents, {list}, [&](Value i, ValueRange carried) {
    Value last =
        indexSub(heap.builder(), heap.emit.loc, parents, heap.constant(1));
    Value place = indexSub(heap.builder(), heap.emit.loc, last, i);
    return SmallVector<Value>{heap.sink(carried[0], place, kept)};
  })[0];
}

/// Each further item that comes before the top takes its place.
static Value offerRest(const Heap &heap, Value list, const SortSize &size) {
  Emitter &emit = heap.emit;
  Value rest = indexSub(emit.builder, emit.loc, size.items, size.kept);
  // Nothing is offered to an empty heap.
  rest = heap.select(heap.less(heap.constant(0), size.kept), rest,
                     heap.constant(0));
  return emitLoop(emit, rest, {list}, [&](Value i, ValueRange carried) {
    Value item = heap.add(size.kept, i), top = heap.constant(0);
    Value enters = heap.comesBefore(item, heap.read(carried[0], top));
    auto branch = scf::IfOp::create(
        emit.builder, emit.loc, enters,
        [&](OpBuilder &b, Location loc) {
          Value placed = heap.write(carried[0], top, item);
          scf::YieldOp::create(b, loc, heap.sink(placed, top, size.kept));
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, carried[0]);
        });
    return SmallVector<Value>{branch.getResult(0)};
  })[0];
}

/// The top, which comes last, moves to the end of what is left.
static Value unwindHeap(const Heap &heap, Value list, Value kept) {
  Emitter &emit = heap.emit;
  return emitLoop(emit, kept, {list}, [&](Value i, ValueRange carried) {
    Value one = heap.constant(1), top = heap.constant(0);
    Value left = indexSub(emit.builder, emit.loc, kept, i);
    Value last = indexSub(emit.builder, emit.loc, left, one);
    Value first = heap.read(carried[0], top);
    Value moved = heap.read(carried[0], last);
    Value next = heap.write(carried[0], top, moved);
    next = heap.write(next, last, first);
    return SmallVector<Value>{heap.sink(next, top, last)};
  })[0];
}

Value lh::emitSort(Emitter &emit, Value list, const SortSize &size,
                   PlaceOf placeOf, ComesBefore comesBefore) {
  Heap heap{emit, placeOf, comesBefore};
  list = buildHeap(heap, list, size.kept);
  list = offerRest(heap, list, size);
  return unwindHeap(heap, list, size.kept);
}

Value lh::lessWithNaN(const Scalars &s, Value a, Value b) {
  Value less = s.less(a, b);
  if (!s.isFloating())
    return less;
  Value bIsNaN = s.isNaN(b);
  Value aIsNumber = s.equal(a, a);
  Value below = arith::AndIOp::create(s.builder, s.loc, aIsNumber, bIsNaN);
  return arith::OrIOp::create(s.builder, s.loc, less, below);
}
