// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The discrete Fourier transform, in float64: a product with a matrix of
// twiddle factors for short or prime lengths; other lengths n1 * n2 are n2
// transforms of length n1, factors between, and n1 transforms of length n2.
#include "compiler/ingress/onnx/ops/Fourier.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace lh;
using namespace mlir;

/// Up to here a product with a matrix is as good as splitting.
static constexpr int64_t maxDirectLength = 32;

/// The factor of `length` nearest below its square root; 1 for primes.
static int64_t splitOf(int64_t length) {
  int64_t best = 1;
  for (int64_t factor = 2; factor * factor <= length; ++factor)
    if (length % factor == 0)
      best = factor;
  return best;
}

/// cos and sin of 2 pi m / length for m below `length`, (length, 2). The angle
/// is brought into [-pi/4, pi/4] as a whole number of turns before it is
/// rounded, so that multiples of a quarter are exact.
static Value circle(NodeContext &node, OpFoldResult length) {
  Emitter &emit = node.emit;
  Value size = emit.asValue(length);
  return emit.generate(
      {length, emit.index(2)}, node.typeOf(DType::Float64),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, DType::Float64);
        // Of 8 * m / length, the nearest even number is the quadrant.
        Value four = indexConstant(b, loc, 4), two = indexConstant(b, loc, 2);
        Value turned = indexMul(b, loc, at[0], four);
        Value half = indexDiv(b, loc, size, two);
        Value quadrant = indexDiv(b, loc, indexAdd(b, loc, turned, half), size);
        Value rest = indexSub(b, loc, turned, indexMul(b, loc, quadrant, size));
        Value angle = s.mul(s.div(doubleFromIndex(s.builder, s.loc, rest),
                                  doubleFromIndex(s.builder, s.loc, size)),
                            s.number(std::numbers::pi / 2));
        Value cosine = math::CosOp::create(b, loc, angle);
        Value sine = math::SinOp::create(b, loc, angle);
        // The sine is the cosine of one quadrant less.
        Value less =
            indexAdd(b, loc, quadrant,
                     indexMul(b, loc, at[1], indexConstant(b, loc, 3)));
        Value which = indexRem(b, loc, less, four);
        auto is = [&](int64_t value) {
          return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, which,
                                       indexConstant(b, loc, value));
        };
        Value result = s.select(is(1), s.neg(sine), cosine);
        result = s.select(is(2), s.neg(cosine), result);
        return s.select(is(3), sine, result);
      });
}

/// The matrix from (n, c) to (k, d): what part c of input n gives to part d of
/// result k; (n * parts, bins * 2).
static Value twiddleMatrix(NodeContext &node, OpFoldResult count, int64_t parts,
                           const FourierTransform &transform) {
  Emitter &emit = node.emit;
  Value table = circle(node, transform.length);
  Value length = emit.asValue(transform.length);
  bool isInverse = transform.isInverse;
  Value matrix = emit.generate(
      {count, emit.index(parts), transform.bins, emit.index(2)},
      node.typeOf(DType::Float64),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, DType::Float64);
        Value turns = indexRem(b, loc, indexMul(b, loc, at[0], at[2]), length);
        Value isMixed = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                              at[1], at[3]);
        Value part = indexSelect(b, loc, isMixed, indexConstant(b, loc, 1),
                                 indexConstant(b, loc, 0));
        Value value = extractElement(b, loc, table, {turns, part});
        // e^(-ia) (x + iy) = (x cos a + y sin a) + i (y cos a - x sin a)
        Value low = indexConstant(b, loc, isInverse ? 1 : 0);
        Value keepsSign =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at[3], low);
        Value negated = s.select(keepsSign, value, s.neg(value));
        return s.select(isMixed, negated, value);
      });
  return emit.reshape(matrix, {emit.mul(count, emit.index(parts)),
                               emit.mul(transform.bins, emit.index(2))});
}

/// Rows times a matrix. The reduction is the middle loop: the inner one runs
/// along both the matrix and the result.
static Value timesMatrix(NodeContext &node, Value rows, Value matrix) {
  Emitter &emit = node.emit;
  AffineExpr m, k, n;
  bindDims(emit.builder.getContext(), m, k, n);
  auto mapTo = [&](AffineExpr x, AffineExpr y) {
    return AffineMap::get(3, 0, {x, y}, emit.builder.getContext());
  };
  Value init = emit.filled({emit.sizesOf(rows)[0], emit.sizesOf(matrix)[1]},
                           node.scalars(DType::Float64).number(0));
  return emit.generic({rows, matrix}, {mapTo(m, k), mapTo(k, n), mapTo(m, n)},
                      init, {false, true, false},
                      [&](OpBuilder &b, Location loc, ValueRange v) {
                        Scalars s(b, loc, DType::Float64);
                        return s.add(v[2], s.mul(v[0], v[1]));
                      });
}

static Value directTransform(NodeContext &node, Value rows,
                             const FourierTransform &transform) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(rows);
  int64_t parts = *emit.known(sizes[2]);
  // Of a longer row only the start is transformed.
  OpFoldResult count = emit.min(sizes[1], transform.length);
  if (!emit.same(count, sizes[1])) {
    OpFoldResult zero = emit.index(0), one = emit.index(1);
    rows = emit.slice(rows, {zero, zero, zero}, {sizes[0], count, sizes[2]},
                      {one, one, one});
  }
  Value flat =
      emit.reshape(rows, {sizes[0], emit.mul(count, emit.index(parts))});
  Value product =
      timesMatrix(node, flat, twiddleMatrix(node, count, parts, transform));
  return emit.reshape(product, {sizes[0], transform.bins, emit.index(2)});
}

static Value transformAll(NodeContext &node, Value rows, int64_t length,
                          bool isInverse);

/// (rows, n1, n2, 2) with each value turned by n1 * n2 steps of the circle.
static Value turned(NodeContext &node, Value values, int64_t length,
                    bool isInverse) {
  Emitter &emit = node.emit;
  Value table = circle(node, emit.index(length));
  return emit.generate(
      emit.sizesOf(values), node.typeOf(DType::Float64),
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Scalars s(b, loc, DType::Float64);
        Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
        Value turns = indexMul(b, loc, at[1], at[2]);
        Value cosine = extractElement(b, loc, table, {turns, zero});
        Value sine = extractElement(b, loc, table, {turns, one});
        if (isInverse)
          sine = s.neg(sine);
        auto part = [&](Value which) {
          return extractElement(b, loc, values, {at[0], at[1], at[2], which});
        };
        Value x = part(zero), y = part(one);
        Value real = s.add(s.mul(x, cosine), s.mul(y, sine));
        Value imaginary = s.sub(s.mul(y, cosine), s.mul(x, sine));
        Value isReal = indexLess(b, loc, at[3], one);
        return s.select(isReal, real, imaginary);
      });
}

/// Position p2 + n2 * p1 becomes frequency q1 + n1 * q2.
static Value splitTransform(NodeContext &node, Value rows, int64_t n1,
                            int64_t n2, bool isInverse) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(rows);
  OpFoldResult first = emit.index(n1), second = emit.index(n2);
  OpFoldResult count = sizes[0], two = emit.index(2);
  Value grid = emit.reshape(rows, {count, first, second, sizes[2]});
  Value columns = emit.reshape(emit.transpose(grid, {0, 2, 1, 3}),
                               {emit.mul(count, second), first, sizes[2]});
  Value inner = emit.reshape(transformAll(node, columns, n1, isInverse),
                             {count, second, first, two});
  Value between = turned(node, inner, n1 * n2, isInverse);
  Value lines = emit.reshape(emit.transpose(between, {0, 2, 1, 3}),
                             {emit.mul(count, first), second, two});
  Value outer = emit.reshape(transformAll(node, lines, n2, isInverse),
                             {count, first, second, two});
  return emit.reshape(emit.transpose(outer, {0, 2, 1, 3}),
                      {count, emit.index(n1 * n2), two});
}

/// All frequencies of rows that are as long as the transform.
static Value transformAll(NodeContext &node, Value rows, int64_t length,
                          bool isInverse) {
  int64_t factor = splitOf(length);
  if (length > maxDirectLength && factor > 1)
    return splitTransform(node, rows, factor, length / factor, isInverse);
  OpFoldResult size = node.emit.index(length);
  return directTransform(node, rows, {size, size, isInverse});
}

/// Cut or padded with zeros to `length`.
static Value fitted(NodeContext &node, Value rows, OpFoldResult length) {
  Emitter &emit = node.emit;
  Sizes sizes = emit.sizesOf(rows);
  OpFoldResult zero = emit.index(0), one = emit.index(1);
  OpFoldResult kept = emit.min(sizes[1], length);
  if (!emit.same(kept, sizes[1]))
    rows = emit.slice(rows, {zero, zero, zero}, {sizes[0], kept, sizes[2]},
                      {one, one, one});
  return emit.pad(rows, {zero, zero, zero},
                  {zero, emit.sub(length, kept), zero},
                  node.scalars(DType::Float64).number(0));
}

Value lh::emitFourier(NodeContext &node, Value rows,
                      const FourierTransform &transform) {
  Emitter &emit = node.emit;
  std::optional<int64_t> length = emit.known(transform.length);
  bool isSplit = length && *length > maxDirectLength && splitOf(*length) > 1;
  Value result;
  if (isSplit) {
    result = transformAll(node, fitted(node, rows, transform.length), *length,
                          transform.isInverse);
    Sizes sizes = emit.sizesOf(result);
    OpFoldResult zero = emit.index(0), one = emit.index(1);
    if (!emit.same(sizes[1], transform.bins))
      result =
          emit.slice(result, {zero, zero, zero},
                     {sizes[0], transform.bins, sizes[2]}, {one, one, one});
  } else {
    result = directTransform(node, rows, transform);
  }
  if (!transform.isInverse)
    return result;
  Value size = emit.asValue(transform.length);
  return emit.map({result}, node.typeOf(DType::Float64),
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    Scalars s(b, loc, DType::Float64);
                    return s.div(v[0], doubleFromIndex(s.builder, s.loc, size));
                  });
}
