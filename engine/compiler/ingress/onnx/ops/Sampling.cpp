// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taps, weights and their sums.
#include "compiler/ingress/onnx/ops/Sampling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

Value lh::numberOf(const Scalars &s, Value index) {
  Value integer = fromIndex(s.builder, s.loc, index, DType::Int64);
  return convertScalar(s.builder, s.loc, integer, DType::Int64, s.dtype);
}

Value lh::indexOf(const Scalars &s, Value number) {
  Value integer =
      convertScalar(s.builder, s.loc, number, s.dtype, DType::Int64);
  return toIndex(s.builder, s.loc, integer, DType::Int64);
}

Value lh::floorOf(const Scalars &s, Value number) {
  return math::FloorOp::create(s.builder, s.loc, number);
}

Value lh::ceilOf(const Scalars &s, Value number) {
  return math::CeilOp::create(s.builder, s.loc, number);
}

Value lh::clampIndex(OpBuilder &b, Location loc, Value index, Value size) {
  Value last = indexSub(b, loc, size, indexConstant(b, loc, 1));
  Value below = arith::MinSIOp::create(b, loc, index, last);
  return arith::MaxSIOp::create(b, loc, below, indexConstant(b, loc, 0));
}

Value lh::isInsideOf(OpBuilder &b, Location loc, Value index, Value size) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, size);
}

Value lh::andBits(OpBuilder &b, Location loc, Value a, Value other) {
  return a ? Value(arith::AndIOp::create(b, loc, a, other)) : other;
}

/// The sum over dimension indices.size() and all after it.
static Value sumFrom(const Scalars &s, ArrayRef<SmallVector<Tap>> taps,
                     ElementReader read, SmallVector<Value> &indices,
                     Value isInside) {
  if (indices.size() == taps.size()) {
    Value element = read(indices);
    return isInside ? s.select(isInside, element, s.number(0)) : element;
  }
  Value total;
  for (const Tap &tap : taps[indices.size()]) {
    Value inside = isInside;
    if (tap.isInside)
      inside = andBits(s.builder, s.loc, isInside, tap.isInside);
    indices.push_back(tap.index);
    Value part = sumFrom(s, taps, read, indices, inside);
    indices.pop_back();
    if (tap.weight)
      part = s.mul(part, tap.weight);
    total = total ? s.add(total, part) : part;
  }
  return total;
}

Value lh::interpolate(const Scalars &s, ArrayRef<SmallVector<Tap>> taps,
                      ElementReader read) {
  SmallVector<Value> indices;
  return sumFrom(s, taps, read, indices, Value());
}

SmallVector<Tap> lh::linearTaps(const Scalars &s, Value position, Value size) {
  OpBuilder &b = s.builder;
  Value base = floorOf(s, position);
  Value fraction = s.sub(position, base);
  Value first = indexOf(s, base);
  Value second = indexAdd(b, s.loc, first, indexConstant(b, s.loc, 1));
  Tap low{clampIndex(b, s.loc, first, size), s.sub(s.number(1), fraction),
          isInsideOf(b, s.loc, first, size)};
  Tap high{clampIndex(b, s.loc, second, size), fraction,
           isInsideOf(b, s.loc, second, size)};
  return {low, high};
}

SmallVector<Value> lh::cubicWeights(const Scalars &s, Value fraction,
                                    double a) {
  Value one = s.number(1);
  auto near = [&](Value x) { // |x| <= 1
    Value inner = s.sub(s.mul(s.number(a + 2), x), s.number(a + 3));
    return s.add(s.mul(s.mul(inner, x), x), one);
  };
  auto far = [&](Value x) { // 1 <= |x| <= 2
    Value inner = s.sub(s.mul(s.number(a), x), s.number(5 * a));
    inner = s.add(s.mul(inner, x), s.number(8 * a));
    return s.sub(s.mul(inner, x), s.number(4 * a));
  };
  Value rest = s.sub(one, fraction);
  return {far(s.add(fraction, one)), near(fraction), near(rest),
          far(s.add(rest, one))};
}

bool lh::mayBeSame(Emitter &emit, Value a, Value b, size_t dim) {
  std::optional<int64_t> x = emit.known(emit.sizesOf(a)[dim]);
  std::optional<int64_t> y = emit.known(emit.sizesOf(b)[dim]);
  return !x || !y || *x == *y;
}
