// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the gap passes take as a product of matrices.
#include "compiler/gaps/products/Products.h"

#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/products/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace lh;
using namespace mlir;

bool lh::addsProducts(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  if (body.getOperations().size() != 3)
    return false;
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum) &&
         isa<arith::MulFOp, arith::MulIOp>(body.front());
}

bool lh::isZeros(Value tensor) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  return fill && isZero(fill.getInputs()[0]);
}

bool lh::readsWindows(Operation *op) {
  auto reader = dyn_cast<linalg::LinalgOp>(op);
  return reader &&
         llvm::any_of(reader.getIndexingMapsArray(), [](AffineMap map) {
           return !map.isProjectedPermutation(/*allowZeroInResults=*/true);
         });
}

bool lh::hasMatrixForm(linalg::LinalgOp op) {
  unsigned loops = op.getNumLoops();
  if (loops < 3 || loops > 4 || op.getNumReductionLoops() != 1 ||
      !linalg::isaContractionOpInterface(op) || !op.hasPureTensorSemantics())
    return false;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto types = op.getIteratorTypesArray();
  AffineMap result = op.getIndexingMapsArray()[2];
  return types.back() == utils::IteratorType::reduction &&
         result == AffineMap::getMultiDimIdentityMap(loops, op.getContext())
                       .getMajorSubMap(loops - 1) &&
         !ShapedType::isDynamic(sizes[loops - 1]) &&
         !ShapedType::isDynamic(sizes[loops - 2]);
}

bool lh::hasImageWindows(linalg::LinalgOp op) {
  return linalg::isaConvolutionOpInterface(op) && op.getNumLoops() == 7 &&
         op.getNumReductionLoops() == 3 && op.hasPureTensorSemantics() &&
         op.getIndexingMapsArray()[2] ==
             AffineMap::getMultiDimMapWithTargets(7, {0, 1, 2, 3},
                                                  op.getContext()) &&
         !ShapedType::isDynamicShape(op.getStaticLoopRanges());
}

std::optional<int64_t> lh::lengthOfSum(linalg::LinalgOp op) {
  int64_t length = 1;
  for (auto [size, kind] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction) {
      if (ShapedType::isDynamic(size))
        return std::nullopt;
      length *= size;
    }
  return length;
}

linalg::GenericOp lh::productLike(OpBuilder &builder, linalg::LinalgOp product,
                                  ValueRange factors, Value start,
                                  SumOfTerm add) {
  return linalg::GenericOp::create(
      builder, product.getLoc(), start.getType(), factors, start,
      product.getIndexingMapsArray(), product.getIteratorTypesArray(),
      [&](OpBuilder &b, Location at, ValueRange values) {
        linalg::YieldOp::create(b, at,
                                add(b, at, values[2], values[0], values[1]));
      });
}

linalg::GenericOp lh::widenSums(linalg::LinalgOp product) {
  OpBuilder builder(product);
  TensorBuilder tensors(builder, product.getLoc());
  Type wide = builder.getF32Type();
  Value old = product->getResult(0), start = product.getDpsInits()[0];
  // Zeros needn't be extended element by element.
  start = isZeros(start) ? tensors.zerosLike(start, wide)
                         : tensors.converted(start, wide);
  linalg::GenericOp sums = productLike(
      builder, product, product->getOperands().take_front(2), start,
      [&](OpBuilder &b, Location at, Value sum, Value left, Value right) {
        ArithBuilder arith(b, at);
        left = convertScalarToDtype(b, at, left, wide, false);
        right = convertScalarToDtype(b, at, right, wide, false);
        return arith.add(sum, arith.mul(left, right));
      });
  old.replaceAllUsesWith(tensors.converted(
      sums.getResult(0), getElementTypeOrSelf(old.getType())));
  product.erase();
  return sums;
}

bool lh::hasKnownLoops(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return !ShapedType::isDynamicShape(ranges) && !llvm::is_contained(ranges, 0);
}
