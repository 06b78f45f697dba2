// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the forms of tensor code that gap passes make.
#include "compiler/gaps/TensorBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace lh;
using namespace mlir;

SmallVector<ReassociationIndices> lh::rowsOf(Value tensor) {
  int64_t last = typeOf(tensor).getRank() - 1;
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, last)), {last}};
}

Value TensorBuilder::empty(ArrayRef<int64_t> shape, Type element) {
  return tensor::EmptyOp::create(builder, loc, shape, element);
}

Value TensorBuilder::emptyLike(Value like, Type element) {
  return tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, like),
      element ? element : typeOf(like).getElementType());
}

Value TensorBuilder::filled(Value into, Value number) {
  return linalg::FillOp::create(builder, loc, number, into).getResult(0);
}

Value TensorBuilder::filled(Value into, Value number, Numbers offsets,
                            Numbers sizes) {
  if (llvm::any_of(sizes, isZeroInteger))
    return into;
  return changed(into, offsets, sizes,
                 [&](Value part) { return filled(part, number); });
}

Value TensorBuilder::zero(Type element) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
}

Value TensorBuilder::zeros(ArrayRef<int64_t> shape, Type element) {
  Value into = empty(shape, element);
  return filled(into, zero(element));
}

Value TensorBuilder::zerosLike(Value like, Type element) {
  Value into = emptyLike(like, element);
  return filled(into, zero(typeOf(into).getElementType()));
}

linalg::GenericOp TensorBuilder::generic(ValueRange inputs,
                                         ArrayRef<AffineMap> maps, Value into,
                                         Body body) {
  auto rank = static_cast<unsigned>(typeOf(into).getRank());
  SmallVector<AffineMap> all(maps);
  all.push_back(builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, into.getType(), inputs, into, all, loops,
      [&](OpBuilder &b, Location at, ValueRange values) {
        linalg::YieldOp::create(b, at, body(b, at, values));
      });
}

Value TensorBuilder::map(ValueRange inputs, Type element, Body body) {
  Value into = emptyLike(inputs.front(), element);
  auto rank = static_cast<unsigned>(typeOf(into).getRank());
  SmallVector<AffineMap> maps(inputs.size(),
                              builder.getMultiDimIdentityMap(rank));
  return generic(inputs, maps, into, body).getResult(0);
}

Value TensorBuilder::add(Value a, Value b) {
  return map({a, b}, typeOf(a).getElementType(),
             [](OpBuilder &in, Location at, ValueRange values) {
               return ArithBuilder(in, at).add(values[0], values[1]);
             });
}

Value TensorBuilder::converted(Value tensor, Type element) {
  return map(tensor, element,
             [&](OpBuilder &b, Location at, ValueRange values) {
               return convertScalarToDtype(b, at, values[0], element,
                                           /*isUnsignedCast=*/false);
             });
}

Value TensorBuilder::transposed(Value tensor, ArrayRef<int64_t> order) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  applyPermutationToVector(sizes, order);
  Value into = tensor::EmptyOp::create(builder, loc, sizes,
                                       typeOf(tensor).getElementType());
  return linalg::TransposeOp::create(builder, loc, tensor, into, order)
      ->getResult(0);
}

Value TensorBuilder::collapsed(Value tensor,
                               ArrayRef<ReassociationIndices> groups) {
  return tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
}

SmallVector<OpFoldResult> TensorBuilder::numbers(ArrayRef<int64_t> all) {
  return getAsIndexOpFoldResult(builder.getContext(), all);
}

Value TensorBuilder::slice(Value tensor, Numbers offsets, Numbers sizes) {
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, tensor, offsets, sizes,
                                        ones);
}

Value TensorBuilder::inserted(Value piece, Value into, Numbers offsets,
                              Numbers sizes) {
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(builder, loc, piece, into, offsets,
                                       sizes, ones);
}

Value TensorBuilder::changed(Value into, Numbers offsets, Numbers sizes,
                             llvm::function_ref<Value(Value)> write) {
  return inserted(write(slice(into, offsets, sizes)), into, offsets, sizes);
}

Value TensorBuilder::index(int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

Value TensorBuilder::apply(AffineExpr expression, ValueRange values) {
  return affine::AffineApplyOp::create(
      builder, loc,
      AffineMap::get(static_cast<unsigned>(values.size()), 0, expression),
      values);
}

Value TensorBuilder::loop(Value count, Value carried,
                          llvm::function_ref<Value(Value, Value)> step) {
  auto loop = scf::ForOp::create(builder, loc, index(0), count, index(1),
                                 ValueRange{carried});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value next = step(loop.getInductionVar(), loop.getRegionIterArg(0));
  scf::YieldOp::create(builder, loc, next);
  return loop.getResult(0);
}
