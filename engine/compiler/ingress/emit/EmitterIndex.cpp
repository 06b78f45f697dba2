// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index arithmetic: folded where known, arith operations where not.
#include "compiler/ingress/emit/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace lh;
using namespace mlir;

OpFoldResult Emitter::index(int64_t value) const {
  return builder.getIndexAttr(value);
}

std::optional<int64_t> Emitter::known(OpFoldResult size) const {
  return getConstantIntValue(size);
}

bool Emitter::same(OpFoldResult a, OpFoldResult b) const {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return *x == *y;
  return a == b;
}

Value Emitter::asValue(OpFoldResult size) {
  if (auto value = dyn_cast<Value>(size))
    return value;
  return indexConstant(builder, loc, *known(size));
}

SmallVector<Value> Emitter::asValues(ArrayRef<OpFoldResult> sizes) {
  return llvm::map_to_vector(sizes,
                             [&](OpFoldResult size) { return asValue(size); });
}

/// Wraps on overflow, as the operation in the module would.
static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

OpFoldResult Emitter::add(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return index(wrap(static_cast<uint64_t>(*x) + static_cast<uint64_t>(*y)));
  if (x && *x == 0)
    return b;
  if (y && *y == 0)
    return a;
  return indexAdd(builder, loc, asValue(a), asValue(b));
}

OpFoldResult Emitter::sub(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return index(wrap(static_cast<uint64_t>(*x) - static_cast<uint64_t>(*y)));
  if (y && *y == 0)
    return a;
  if (same(a, b))
    return index(0);
  return indexSub(builder, loc, asValue(a), asValue(b));
}

OpFoldResult Emitter::mul(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return index(wrap(static_cast<uint64_t>(*x) * static_cast<uint64_t>(*y)));
  if ((x && *x == 0) || (y && *y == 0))
    return index(0);
  if (x && *x == 1)
    return b;
  if (y && *y == 1)
    return a;
  return indexMul(builder, loc, asValue(a), asValue(b));
}

OpFoldResult Emitter::floorDiv(OpFoldResult a, int64_t divisor) {
  if (divisor == 1)
    return a;
  if (std::optional<int64_t> x = known(a))
    return index(llvm::divideFloorSigned(*x, divisor));
  Value by = indexConstant(builder, loc, divisor);
  return Value(arith::FloorDivSIOp::create(builder, loc, asValue(a), by));
}

OpFoldResult Emitter::ceilDiv(OpFoldResult a, int64_t divisor) {
  return floorDiv(add(a, index(divisor - 1)), divisor);
}

OpFoldResult Emitter::divide(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (y && *y == 0)
    return index(0);
  if (y && *y == 1)
    return a;
  if (x && y)
    return index(*y == -1 ? wrap(0 - static_cast<uint64_t>(*x)) : *x / *y);
  Value divisor = asValue(b);
  if (y)
    return indexDiv(builder, loc, asValue(a), divisor);
  Value zero = indexConstant(builder, loc, 0);
  Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       divisor, zero);
  Value safe = indexSelect(builder, loc, isZero, indexConstant(builder, loc, 1),
                           divisor);
  return indexSelect(builder, loc, isZero, zero,
                     indexDiv(builder, loc, asValue(a), safe));
}

OpFoldResult Emitter::max(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return index(std::max(*x, *y));
  if (same(a, b))
    return a;
  return Value(arith::MaxSIOp::create(builder, loc, asValue(a), asValue(b)));
}

OpFoldResult Emitter::min(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return index(std::min(*x, *y));
  if (same(a, b))
    return a;
  return Value(arith::MinSIOp::create(builder, loc, asValue(a), asValue(b)));
}

OpFoldResult Emitter::selectEqual(OpFoldResult a, OpFoldResult b,
                                  OpFoldResult then, OpFoldResult otherwise) {
  if (same(a, b) || same(then, otherwise))
    return then;
  if (known(a) && known(b))
    return otherwise;
  Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      asValue(a), asValue(b));
  return indexSelect(builder, loc, equal, asValue(then), asValue(otherwise));
}

OpFoldResult Emitter::selectLess(OpFoldResult a, OpFoldResult b,
                                 OpFoldResult then, OpFoldResult otherwise) {
  std::optional<int64_t> x = known(a), y = known(b);
  if (x && y)
    return *x < *y ? then : otherwise;
  if (same(then, otherwise))
    return then;
  Value less = indexLess(builder, loc, asValue(a), asValue(b));
  return indexSelect(builder, loc, less, asValue(then), asValue(otherwise));
}

OpFoldResult Emitter::product(ArrayRef<OpFoldResult> sizes) {
  OpFoldResult total = index(1);
  for (OpFoldResult size : sizes)
    total = mul(total, size);
  return total;
}

Value lh::indexConstant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value lh::indexAdd(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}

Value lh::indexSub(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::SubIOp::create(b, loc, x, y);
}

Value lh::indexMul(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::MulIOp::create(b, loc, x, y);
}

Value lh::indexDiv(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::DivSIOp::create(b, loc, x, y);
}

Value lh::indexRem(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::RemSIOp::create(b, loc, x, y);
}

Value lh::indexLess(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
}

Value lh::indexSelect(OpBuilder &b, Location loc, Value condition, Value x,
                      Value y) {
  if (!x.getType().isIndex())
    return arith::SelectOp::create(b, loc, condition, x, y);
  // The analysis of bounds follows values of type index, and both arms of each
  // select: a size behind n of them would take it about n^4 steps for every
  // pair of slices that bufferization compares.
  Type wide = b.getI64Type();
  Value chosen = arith::SelectOp::create(
      b, loc, condition, arith::IndexCastOp::create(b, loc, wide, x),
      arith::IndexCastOp::create(b, loc, wide, y));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), chosen);
}

Value lh::toIndex(OpBuilder &b, Location loc, Value scalar, DType dtype) {
  if (isUnsigned(dtype))
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), scalar);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), scalar);
}

Value lh::fromIndex(OpBuilder &b, Location loc, Value index, DType dtype) {
  return arith::IndexCastOp::create(
      b, loc, elementTypeOf(dtype, b.getContext()), index);
}

Value lh::doubleFromIndex(OpBuilder &b, Location loc, Value index) {
  return convertScalar(b, loc, fromIndex(b, loc, index, DType::Int64),
                       DType::Int64, DType::Float64);
}

Value lh::normalizeIndex(OpBuilder &b, Location loc, Value index, Value size) {
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  Value fromEnd = indexAdd(b, loc, index, size);
  Value wrapped =
      indexSelect(b, loc, indexLess(b, loc, index, zero), fromEnd, index);
  Value last = indexSub(b, loc, size, one);
  Value below = arith::MinSIOp::create(b, loc, wrapped, last);
  return arith::MaxSIOp::create(b, loc, below, zero);
}
