// Builds the forms of tensor code that gap passes make.
#include "compiler/gaps/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace lh;
using namespace mlir;

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
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
  Type element = typeOf(a).getElementType();
  return map({a, b}, element,
             [&](OpBuilder &in, Location at, ValueRange values) -> Value {
               if (isa<FloatType>(element))
                 return arith::AddFOp::create(in, at, values[0], values[1]);
               return arith::AddIOp::create(in, at, values[0], values[1]);
             });
}

Value TensorBuilder::extended(Value tensor, Type element) {
  return map(tensor, element,
             [&](OpBuilder &b, Location at, ValueRange values) -> Value {
               return arith::ExtFOp::create(b, at, element, values[0]);
             });
}

Value TensorBuilder::rounded(Value tensor, Type element) {
  return map(tensor, element,
             [&](OpBuilder &b, Location at, ValueRange values) -> Value {
               return arith::TruncFOp::create(b, at, element, values[0]);
             });
}

Value TensorBuilder::transposed(Value tensor, ArrayRef<int64_t> order) {
  Value into = empty(applyPermutation(typeOf(tensor).getShape(), order),
                     typeOf(tensor).getElementType());
  return linalg::TransposeOp::create(builder, loc, tensor, into, order)
      ->getResult(0);
}

Value TensorBuilder::collapsed(Value tensor,
                               ArrayRef<ReassociationIndices> groups) {
  return tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
}
