// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of sliding windows and loops over them.
#include "compiler/ingress/emit/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace lh;
using namespace mlir;

OpFoldResult lh::windowCount(Emitter &emit, OpFoldResult padded,
                             const Window &window, size_t i) {
  OpFoldResult room = emit.sub(padded, emit.index(window.extent(i)));
  return emit.add(emit.floorDiv(room, window.strides[i]), emit.index(1));
}

Value lh::padSpatially(Emitter &emit, Value input, const Padding &padding,
                       Value scalar) {
  Sizes low{emit.index(0), emit.index(0)}, high = low;
  low.append(padding.low);
  high.append(padding.high);
  return emit.pad(input, low, high, scalar);
}

Value lh::channelsSecond(Emitter &emit, Value tensor) {
  int64_t last = rankOf(tensor) - 1;
  SmallVector<int64_t> order{0, last};
  for (int64_t dim = 1; dim < last; ++dim)
    order.push_back(dim);
  return emit.transpose(tensor, order);
}

Value lh::channelsLast(Emitter &emit, Value tensor) {
  SmallVector<int64_t> order{0};
  for (int64_t dim = 2; dim < rankOf(tensor); ++dim)
    order.push_back(dim);
  order.push_back(1);
  return emit.transpose(tensor, order);
}

Source lh::sourceOf(OpBuilder &b, Location loc, Value output, Value cut,
                    Value k, Value size, int64_t stride, int64_t dilation) {
  Value reach = indexMul(b, loc, k, indexConstant(b, loc, dilation));
  Value start = indexSub(b, loc, indexAdd(b, loc, output, cut), reach);
  Value step = indexConstant(b, loc, stride);
  Value index = indexDiv(b, loc, start, step);
  Value back = indexMul(b, loc, index, step);
  Value isWhole =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, back, start);
  Value isInside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, size);
  return {normalizeIndex(b, loc, index, size),
          arith::AndIOp::create(b, loc, isWhole, isInside)};
}

/// The sizes of a tensor of `own` sizes with `margins`.
static Sizes sizesWithMargins(Emitter &emit, const Sizes &own,
                              const Margins &margins) {
  Sizes sizes;
  for (size_t dim = 0; dim < own.size(); ++dim) {
    OpFoldResult places =
        emit.max(emit.sub(own[dim], emit.index(1)), emit.index(0));
    OpFoldResult inner =
        emit.add(own[dim], emit.mul(places, margins.interior[dim]));
    sizes.push_back(
        emit.add(emit.add(margins.low[dim], inner), margins.high[dim]));
  }
  return sizes;
}

/// Each element of the result is one of the tensor, or between two of them.
static Value spreadOut(Emitter &emit, Value tensor, const Sizes &sizes,
                       const Margins &margins, Value scalar) {
  SmallVector<Value> lows = emit.asValues(margins.low), steps,
                     own = emit.asValues(emit.sizesOf(tensor));
  for (OpFoldResult gap : margins.interior)
    steps.push_back(emit.asValue(emit.add(gap, emit.index(1))));
  auto source = [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
    Value isThere = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    SmallVector<Value> from;
    for (auto [dim, place] : llvm::enumerate(at)) {
      Value moved = indexSub(b, loc, place, lows[dim]);
      Value index = indexDiv(b, loc, moved, steps[dim]);
      Value back = indexMul(b, loc, index, steps[dim]);
      Value isWhole =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, back, moved);
      Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                             index, own[dim]);
      isThere = arith::AndIOp::create(
          b, loc, isThere, arith::AndIOp::create(b, loc, isWhole, isInside));
      from.push_back(normalizeIndex(b, loc, index, own[dim]));
    }
    Value value = extractElement(b, loc, tensor, from);
    return arith::SelectOp::create(b, loc, isThere, value, scalar);
  };
  return emit.generate(sizes, tensorTypeOf(tensor).getElementType(), source);
}

Value lh::withMargins(Emitter &emit, Value tensor, const Margins &margins,
                      Value scalar) {
  auto isNone = [&](OpFoldResult gap) { return emit.known(gap) == 0; };
  auto isNotCut = [&](OpFoldResult margin) {
    std::optional<int64_t> known = emit.known(margin);
    return known && *known >= 0;
  };
  if (llvm::all_of(margins.interior, isNone) &&
      llvm::all_of(margins.low, isNotCut) &&
      llvm::all_of(margins.high, isNotCut))
    return emit.pad(tensor, margins.low, margins.high, scalar);
  Sizes own = emit.sizesOf(tensor);
  Sizes sizes = sizesWithMargins(emit, own, margins);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (std::optional<int64_t> known = emit.known(size); known && *known < 0) {
      emit.mistake = "the padding leaves " + std::to_string(*known) +
                     " elements of dimension " + std::to_string(dim);
      return tensor;
    }
  if (llvm::any_of(own, isNone))
    return emit.filled(sizes, scalar);
  return spreadOut(emit, tensor, sizes, margins, scalar);
}

WindowLoops lh::windowLoops(Builder &b, const Window &window) {
  auto rank = static_cast<unsigned>(window.rank());
  unsigned loops = 2 + 2 * rank;
  SmallVector<AffineExpr> read{b.getAffineDimExpr(0), b.getAffineDimExpr(1)};
  SmallVector<AffineExpr> kernel;
  for (unsigned i = 0; i < rank; ++i) {
    AffineExpr position = b.getAffineDimExpr(2 + i);
    AffineExpr inside = b.getAffineDimExpr(2 + rank + i);
    read.push_back(position * window.strides[i] + inside * window.dilations[i]);
    kernel.push_back(inside);
  }
  MLIRContext *context = b.getContext();
  WindowLoops result;
  result.read = AffineMap::get(loops, 0, read, context);
  result.kernel = AffineMap::get(loops, 0, kernel, context);
  result.result = AffineMap::getMultiDimIdentityMap(2 + rank, context)
                      .replaceDimsAndSymbols({}, {}, loops, 0);
  result.reduces.assign(loops, false);
  std::fill(result.reduces.begin() + 2 + rank, result.reduces.end(), true);
  return result;
}

Value lh::windowed(Emitter &emit, Value padded, Value init,
                   const Window &window, ScalarBody combine) {
  WindowLoops loops = windowLoops(emit.builder, window);
  Value shape = emit.empty(emit.staticSizes(window.kernel),
                           tensorTypeOf(padded).getElementType());
  return emit.generic({padded, shape}, {loops.read, loops.kernel, loops.result},
                      init, loops.reduces,
                      [&](OpBuilder &at, Location loc, ValueRange v) {
                        return combine(at, loc, ValueRange{v[0], v[2]});
                      });
}

Value lh::sumPool(Emitter &emit, Value padded, const Sizes &sizes,
                  const Window &window, DType dtype) {
  Value init = emit.filled(sizes, emit.scalars(dtype).number(0));
  if (window.rank() == 2)
    return namedPool<linalg::PoolingNchwSumOp>(emit, padded, init, window);
  return windowed(emit, padded, init, window,
                  [&](OpBuilder &b, Location loc, ValueRange v) {
                    return Scalars(b, loc, dtype).add(v[0], v[1]);
                  });
}
