// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Det: Gauss elimination with row pivots, in float64.
#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

namespace {

/// The elimination of the matrices (batch, n, n), one after the other.
struct Elimination {
  Emitter &emit;
  Value matrix; ///< index: which one
  OpFoldResult size;

  Scalars scalars() const {
    return Scalars(emit.builder, emit.loc, DType::Float64);
  }
  Value read(Value all, Value row, Value column) const {
    return emit.extract(all, {matrix, row, column});
  }
  Value write(Value all, Value row, Value column, Value element) const {
    return tensor::InsertOp::create(emit.builder, emit.loc, element, all,
                                    ValueRange{matrix, row, column});
  }
  /// From `first` to the size.
  OpFoldResult rest(Value first) const { return emit.sub(size, first); }
  Value add(Value a, Value b) const {
    return indexAdd(emit.builder, emit.loc, a, b);
  }

  Value pivotRow(Value all, Value column) const;
  Value swapRows(Value all, Value a, Value b) const;
  Value clearBelow(Value all, Value column) const;
};

} // namespace

/// The row, from `column` on, whose element in that column is largest.
Value Elimination::pivotRow(Value all, Value column) const {
  Scalars s = scalars();
  SmallVector<Value> best = emitLoop(
      emit, rest(column), {column, s.number(-1)}, [&](Value i, ValueRange now) {
        Scalars at = scalars();
        Value row = add(column, i);
        Value found = at.abs(read(all, row, column));
        Value larger = at.less(now[1], found);
        return SmallVector<Value>{at.select(larger, row, now[0]),
                                  at.select(larger, found, now[1])};
      });
  return best[0];
}

Value Elimination::swapRows(Value all, Value a, Value b) const {
  return emitLoop(emit, size, {all}, [&](Value column, ValueRange now) {
    Value x = read(now[0], a, column), y = read(now[0], b, column);
    Value next = write(now[0], a, column, y);
    return SmallVector<Value>{write(next, b, column, x)};
  })[0];
}

/// Subtracts the pivot's row so that the column is 0 below it. A pivot of 0
/// has nothing but zeros below.
Value Elimination::clearBelow(Value all, Value column) const {
  Scalars s = scalars();
  Value one = indexConstant(emit.builder, emit.loc, 1);
  Value next = add(column, one);
  Value pivot = read(all, column, column);
  Value safe = s.select(s.equal(pivot, s.number(0)), s.number(1), pivot);
  return emitLoop(emit, rest(next), {all}, [&](Value i, ValueRange rows) {
    Value row = add(next, i);
    Value factor = scalars().div(read(rows[0], row, column), safe);
    return emitLoop(emit, rest(next), {rows[0]}, [&](Value j, ValueRange now) {
      Scalars at = scalars();
      Value where = add(next, j);
      Value above = at.mul(factor, read(now[0], column, where));
      Value left = at.sub(read(now[0], row, where), above);
      return SmallVector<Value>{write(now[0], row, where, left)};
    });
  })[0];
}

/// The product of the pivots; each exchange of two rows changes the sign.
static SmallVector<Value> eliminate(const Elimination &by, Value all) {
  Emitter &emit = by.emit;
  SmallVector<Value> start{all, by.scalars().number(1)};
  return emitLoop(emit, by.size, start, [&](Value column, ValueRange now) {
    Scalars s = by.scalars();
    Value row = by.pivotRow(now[0], column);
    Value swapped = by.swapRows(now[0], row, column);
    Value isSame = arith::CmpIOp::create(s.builder, s.loc,
                                         arith::CmpIPredicate::eq, row, column);
    Value sign = s.select(isSame, s.number(1), s.number(-1));
    Value pivot = by.read(swapped, column, column);
    Value product = s.mul(now[1], s.mul(sign, pivot));
    return SmallVector<Value>{by.clearBelow(swapped, column), product};
  });
}

static LogicalResult determinant(NodeContext &node) {
  Emitter &emit = node.emit;
  DType dtype = node.dtype();
  Sizes sizes = emit.sizesOf(node.in(0));
  std::optional<int64_t> rows, columns;
  if (sizes.size() >= 2) {
    rows = emit.known(sizes[sizes.size() - 2]);
    columns = emit.known(sizes.back());
  }
  if (sizes.size() < 2 || (rows && columns && *rows != *columns))
    return node.error("the input of shape " + shapeText(node.in(0)) +
                          " holds no square matrices",
                      DiagKind::IngressShapeMismatch);
  OpFoldResult size = sizes.back();
  Sizes batch(sizes.begin(), sizes.end() - 2);
  OpFoldResult count = emit.product(batch);
  Value wide = emit.convert(node.in(0), dtype, DType::Float64);
  Value all = emit.reshape(wide, {count, size, size});
  Value results = emit.empty({count}, node.typeOf(DType::Float64));
  SmallVector<Value> done =
      emitLoop(emit, count, {all, results}, [&](Value matrix, ValueRange now) {
        Elimination by{emit, matrix, size};
        SmallVector<Value> last = eliminate(by, now[0]);
        Value stored = tensor::InsertOp::create(emit.builder, emit.loc, last[1],
                                                now[1], ValueRange{matrix});
        return SmallVector<Value>{last[0], stored};
      });
  Value result = emit.convert(done[1], DType::Float64, dtype);
  return node.result(emit.reshape(result, batch), dtype);
}

void lh::addDeterminantOps(OpTable &table) {
  table.add("Det", {11, 1, OpRule::Float, determinant});
}
