// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that carry values, and the slices that they read and write.
#include "compiler/ingress/emit/EmitterLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

SmallVector<Value> lh::emitLoop(Emitter &emit, OpFoldResult count,
                                ArrayRef<Value> inits, LoopBody body) {
  OpBuilder &builder = emit.builder;
  SmallVector<Sizes> sizes;
  for (Value init : inits)
    sizes.push_back(isTensor(init) ? emit.sizesOf(init) : Sizes());
  auto keepSizes = [&](ValueRange values) {
    for (auto [value, own] : llvm::zip(values, sizes))
      if (isTensor(value))
        emit.remember(value, own);
  };
  auto op = scf::ForOp::create(
      builder, emit.loc, indexConstant(builder, emit.loc, 0),
      emit.asValue(count), indexConstant(builder, emit.loc, 1), inits,
      [&](OpBuilder &, Location at, Value i, ValueRange carried) {
        keepSizes(carried);
        SmallVector<Value> next = body(i, carried);
        for (auto [value, init] : llvm::zip(next, inits))
          if (isTensor(value))
            value = emit.castTo(value, tensorTypeOf(init));
        scf::YieldOp::create(builder, at, next);
      });
  keepSizes(op.getResults());
  return SmallVector<Value>(op.getResults());
}

/// Sizes that turn out to be constants become part of the type.
static void foldKnown(Emitter &emit, Sizes &sizes) {
  for (OpFoldResult &size : sizes)
    if (std::optional<int64_t> value = emit.known(size))
      size = emit.index(*value);
}

Value lh::sliceWithout(Emitter &emit, Value tensor, Sizes offsets, Sizes sizes,
                       ArrayRef<bool> dropped) {
  Sizes kept;
  SmallVector<int64_t> shape;
  foldKnown(emit, sizes);
  for (auto [size, isDropped] : llvm::zip(sizes, dropped)) {
    if (isDropped)
      continue;
    kept.push_back(size);
    shape.push_back(emit.known(size).value_or(ShapedType::kDynamic));
  }
  auto type =
      RankedTensorType::get(shape, tensorTypeOf(tensor).getElementType());
  Sizes strides(sizes.size(), emit.index(1));
  return emit.remember(tensor::ExtractSliceOp::create(emit.builder, emit.loc,
                                                      type, tensor, offsets,
                                                      sizes, strides),
                       kept);
}

Value lh::insertSlice(Emitter &emit, Value part, Value target, Sizes offsets,
                      Sizes sizes) {
  Sizes strides(sizes.size(), emit.index(1)), own = emit.sizesOf(target);
  foldKnown(emit, sizes);
  return emit.remember(tensor::InsertSliceOp::create(emit.builder, emit.loc,
                                                     part, target, offsets,
                                                     sizes, strides),
                       own);
}
