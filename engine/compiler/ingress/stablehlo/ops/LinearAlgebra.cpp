// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cholesky's decomposition and triangular systems, row by row.
#include "compiler/ingress/emit/EmitterLoop.h"
#include "compiler/ingress/stablehlo/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

/// Matrices, with all batches in one dimension in front.
static Value asBatch(Emitter &emit, Value tensor) {
  Sizes sizes = emit.sizesOf(tensor);
  ArrayRef<OpFoldResult> all(sizes);
  return emit.reshape(tensor, {emit.product(all.drop_back(2)),
                               sizes[sizes.size() - 2], sizes.back()});
}

/// The sum over k < `count` of what `term` gives, in float arithmetic.
static Value summed(Emitter &emit, Value count, DType dtype, Value start,
                    llvm::function_ref<Value(const Scalars &, Value)> term) {
  return emitLoop(emit, count, {start}, [&](Value k, ValueRange state) {
    Scalars s(emit.builder, emit.loc, dtype);
    return SmallVector<Value>{s.add(state[0], term(s, k))};
  })[0];
}

static Value inserted(Emitter &emit, Value element, Value tensor,
                      ValueRange at) {
  return tensor::InsertOp::create(emit.builder, emit.loc, element, tensor, at);
}

/// L with L L^T = A, of which the lower triangle is read; the upper one of the
/// result is zero. `lower = false`: the same with U^T U and upper triangles.
static LogicalResult cholesky(OpContext &c) {
  bool isLower = c.flag("lower", false);
  Sizes sizes = c.emit.sizesOf(c.in(0));
  bool fits = isFloat(c.dtype()) && sizes.size() >= 2 &&
              c.emit.same(sizes[sizes.size() - 2], sizes.back());
  if (!fits)
    return c.mismatch("it takes square matrices of floats, not shape " +
                      shapeText(c.in(0)));
  Emitter &emit = c.emit;
  DType dtype = computeTypeOf(c.dtype());
  Value input = asBatch(emit, c.computed(0));
  Sizes flat = emit.sizesOf(input);
  Value start = emit.filled(flat, emit.scalars(dtype).number(0));
  OpBuilder &b = emit.builder;
  auto at = [&](Value batch, Value row, Value column) {
    return isLower ? SmallVector<Value>{batch, row, column}
                   : SmallVector<Value>{batch, column, row};
  };
  Value one = indexConstant(b, emit.loc, 1);
  auto rowsOf = [&](Value batch, Value factor) {
    return emitLoop(emit, flat[1], {factor}, [&](Value i, ValueRange rows) {
      Value upTo = indexAdd(b, emit.loc, i, one);
      return emitLoop(emit, upTo, {rows[0]}, [&](Value j, ValueRange row) {
        Value known =
            summed(emit, j, dtype, emit.scalars(dtype).number(0),
                   [&](const Scalars &s, Value k) {
                     return s.mul(emit.extract(row[0], at(batch, i, k)),
                                  emit.extract(row[0], at(batch, j, k)));
                   });
        Scalars s = emit.scalars(dtype);
        Value rest = s.sub(emit.extract(input, at(batch, i, j)), known);
        Value isDiagonal =
            arith::CmpIOp::create(b, emit.loc, arith::CmpIPredicate::eq, i, j);
        Value root = math::SqrtOp::create(b, emit.loc, rest);
        Value below = s.div(rest, emit.extract(row[0], at(batch, j, j)));
        Value element = s.select(isDiagonal, root, below);
        return SmallVector<Value>{
            inserted(emit, element, row[0], at(batch, i, j))};
      });
    });
  };
  Value factor =
      emitLoop(emit, flat[0], {start}, [&](Value batch, ValueRange state) {
        return rowsOf(batch, state[0]);
      })[0];
  return c.result(c.rounded(emit.reshape(factor, sizes), dtype));
}

namespace {
/// op(A) X = B with a triangular A, after everything is brought to that form.
struct System {
  Value a, b; ///< (batch, n, n), (batch, n, m)
  bool isLower, isUnit, isTransposed;
};
} // namespace

static Value solved(Emitter &emit, const System &system, DType dtype) {
  OpBuilder &b = emit.builder;
  Sizes sizes = emit.sizesOf(system.b);
  Value one = indexConstant(b, emit.loc, 1);
  Value last = indexSub(b, emit.loc, emit.asValue(sizes[1]), one);
  // A transposed upper triangle is a lower one.
  bool goesDown = system.isLower != system.isTransposed;
  auto rowAt = [&](Value step) {
    return goesDown ? step : indexSub(b, emit.loc, last, step);
  };
  auto elementOf = [&](Value batch, Value row, Value column) {
    return system.isTransposed ? emit.extract(system.a, {batch, column, row})
                               : emit.extract(system.a, {batch, row, column});
  };
  auto columnOf = [&](Value batch, Value column, Value x) {
    return emitLoop(emit, sizes[1], {x}, [&](Value step, ValueRange state) {
      Value row = rowAt(step);
      Value known =
          summed(emit, step, dtype, emit.scalars(dtype).number(0),
                 [&](const Scalars &s, Value k) {
                   Value other = rowAt(k);
                   return s.mul(elementOf(batch, row, other),
                                emit.extract(state[0], {batch, other, column}));
                 });
      Scalars s = emit.scalars(dtype);
      Value rest = s.sub(emit.extract(system.b, {batch, row, column}), known);
      if (!system.isUnit)
        rest = s.div(rest, elementOf(batch, row, row));
      return SmallVector<Value>{
          inserted(emit, rest, state[0], {batch, row, column})};
    });
  };
  return emitLoop(emit, sizes[0], {system.b},
                  [&](Value batch, ValueRange outer) {
                    return emitLoop(emit, sizes[2], {outer[0]},
                                    [&](Value column, ValueRange state) {
                                      return columnOf(batch, column, state[0]);
                                    });
                  })[0];
}

static LogicalResult triangularSolve(OpContext &c) {
  bool isLeft = c.flag("left_side", true);
  std::string transposed = c.word("transpose_a", "NO_TRANSPOSE");
  Emitter &emit = c.emit;
  Sizes a = emit.sizesOf(c.in(0)), sizes = emit.sizesOf(c.in(1));
  bool fits = isFloat(c.dtype()) && c.dtype(1) == c.dtype() && a.size() >= 2 &&
              a.size() == sizes.size() &&
              emit.same(a[a.size() - 2], a.back()) &&
              emit.same(a.back(), sizes[sizes.size() - (isLeft ? 2 : 1)]);
  for (size_t dim = 0; fits && dim + 2 < a.size(); ++dim)
    fits = emit.same(a[dim], sizes[dim]);
  if (!fits)
    return c.mismatch("there is no system of shapes " + shapeText(c.in(0)) +
                      " and " + shapeText(c.in(1)));
  DType dtype = computeTypeOf(c.dtype());
  System system{asBatch(emit, c.computed(0)), asBatch(emit, c.computed(1)),
                c.flag("lower", false), c.flag("unit_diagonal", false),
                transposed == "TRANSPOSE" || transposed == "ADJOINT"};
  // X A = B is A^T X^T = B^T.
  if (!isLeft) {
    system.b = emit.transpose(system.b, {0, 2, 1});
    system.isTransposed = !system.isTransposed;
  }
  Value x = solved(emit, system, dtype);
  if (!isLeft)
    x = emit.transpose(x, {0, 2, 1});
  return c.result(c.rounded(emit.reshape(x, sizes), dtype));
}

void lh::addLinearAlgebraOps(HloTable &t) {
  t["stablehlo.cholesky"] = {1, 1, 1, 0, cholesky};
  t["stablehlo.triangular_solve"] = {2, 2, 1, 0, triangularSolve};
}
