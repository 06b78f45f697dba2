// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products become C = 0 + A * B of operands whose numbers are multiplied as
// they are: casts, scales and what is added are elementwise ops of their own,
// which are vectorised and fused like any other, and done once an element.
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/products/Convolution.h"
#include "compiler/gaps/products/Products.h"
#include "compiler/gaps/sparse/SparseArguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_NORMALIZEPRODUCTSPASS
#define GEN_PASS_DEF_NORMALIZEPRODUCTSPASS
#include "compiler/gaps/products/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

//===----------------------------------------------------------------------===//
// What a product multiplies
//===----------------------------------------------------------------------===//

/// A product that lacks rows or columns. What is stored of a sparse tensor
/// isn't reshaped.
static bool multipliesVector(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) || !op.hasPureTensorSemantics() ||
      hasSparseOperand(op))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->k.empty() &&
         (dims->m.empty() || dims->n.empty());
}

/// `type` with another dimension, of size 1, at `place`.
static RankedTensorType expandedAt(Type type, int64_t place) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin() + place, 1);
  return tensor.clone(shape);
}

/// Reshapes between types of which one has a dimension of 1 more.
template <typename Reshape>
static Value reshaped(OpBuilder &builder, Value tensor, RankedTensorType type) {
  return Reshape::create(builder, tensor.getLoc(), type, tensor,
                         *getReassociationIndicesForReshape(
                             cast<RankedTensorType>(tensor.getType()), type));
}

/// Adds a loop of one trip in front of loop `loop`, along a new dimension at
/// `place` of an input and of the result, at `end`.
static linalg::GenericOp addLoop(linalg::GenericOp product, unsigned loop,
                                 unsigned input, int64_t place, int64_t end) {
  OpBuilder b(product);
  Location loc = product.getLoc();
  AffineExpr added = b.getAffineDimExpr(loop);
  SmallVector<AffineMap> maps;
  for (AffineMap map : product.getIndexingMapsArray())
    maps.push_back(map.shiftDims(1, loop));
  maps[input] = maps[input].insertResult(added, static_cast<unsigned>(place));
  maps[2] = maps[2].insertResult(added, static_cast<unsigned>(end));
  SmallVector<utils::IteratorType> iterators = product.getIteratorTypesArray();
  iterators.insert(iterators.begin() + loop, utils::IteratorType::parallel);
  SmallVector<Value> inputs(product.getInputs());
  inputs[input] = reshaped<tensor::ExpandShapeOp>(
      b, inputs[input], expandedAt(inputs[input].getType(), place));
  Value start = product.getDpsInits()[0];
  Value init = reshaped<tensor::ExpandShapeOp>(
      b, start, expandedAt(start.getType(), end));
  if (isZeros(start))
    init = TensorBuilder(b, loc).zerosLike(init);
  auto wide = linalg::GenericOp::create(b, loc, init.getType(), inputs, init,
                                        maps, iterators);
  wide.getRegion().takeBody(product.getRegion());
  wide->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  product.getResult(0).replaceAllUsesWith(reshaped<tensor::CollapseShapeOp>(
      b, wide.getResult(0), cast<RankedTensorType>(start.getType())));
  product.erase();
  return wide;
}

/// Where `map` has the first of `loops`; its end without one.
static int64_t placeOf(ArrayRef<unsigned> loops, AffineMap map) {
  for (auto [place, result] : llvm::enumerate(map.getResults()))
    if (llvm::is_contained(loops, cast<AffineDimExpr>(result).getPosition()))
      return static_cast<int64_t>(place);
  return map.getNumResults();
}

/// Rows and columns come in front of the sum, as in a product of matrices.
static void multiplyMatrices(linalg::LinalgOp op) {
  IRRewriter rewriter(op);
  auto product = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!product)
    product = *linalg::generalizeNamedOp(rewriter, op);
  linalg::ContractionDimensions dims = *linalg::inferContractionDims(product);
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  unsigned sum = *llvm::min_element(dims.k);
  if (dims.n.empty()) {
    product = addLoop(product, sum, 1, maps[1].getNumResults(),
                      maps[2].getNumResults());
    dims = *linalg::inferContractionDims(product);
    maps = product.getIndexingMapsArray();
  }
  if (dims.m.empty()) {
    unsigned columns = *llvm::min_element(dims.n);
    addLoop(product, columns, 0, placeOf(dims.k, maps[0]),
            placeOf(dims.n, maps[2]));
  }
}

//===----------------------------------------------------------------------===//
// What a product adds to
//===----------------------------------------------------------------------===//

/// A product of matrices, or a convolution that can become one, that sums up
/// numbers onto anything but a fill or an empty tensor. Others combine products
/// by `or`, or complex numbers.
static bool addsToTensor(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!op.hasPureTensorSemantics() || !(linalg::isaContractionOpInterface(op) ||
                                        (generic && anyConvolutionOf(generic))))
    return false;
  Operation *sum =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  Operation *start = op.getDpsInits()[0].getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum) &&
         !isa_and_nonnull<linalg::FillOp, tensor::EmptyOp>(start);
}

static void startAtZero(linalg::LinalgOp product) {
  OpBuilder builder(product);
  TensorBuilder tensors(builder, product.getLoc());
  Value start = product.getDpsInits()[0];
  product.getDpsInitsMutable()[0].set(tensors.zerosLike(start));
  builder.setInsertionPointAfter(product);
  Value result = product->getResult(0);
  Value sum = tensors.add(start, result);
  result.replaceAllUsesExcept(sum, sum.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// What a product sums along
//===----------------------------------------------------------------------===//

/// The loops that a contraction sums along, in the order of loops.
static ReassociationIndices sumLoops(linalg::LinalgOp op) {
  ReassociationIndices loops;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      loops.push_back(static_cast<int64_t>(loop));
  return loops;
}

/// A product of matrices whose operands have all numbers of a sum side by side,
/// in the same order.
static bool sumsNeighbours(linalg::LinalgOp op) {
  return isa<linalg::GenericOp>(op) && op.getNumReductionLoops() > 1 &&
         op.hasPureTensorSemantics() && linalg::isaContractionOpInterface(op) &&
         linalg::areDimSequencesPreserved(op.getIndexingMapsArray(),
                                          sumLoops(op));
}

static void sumInOneLoop(linalg::LinalgOp product) {
  IRRewriter rewriter(product);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(product, sumLoops(product), rewriter);
  if (succeeded(collapsed))
    rewriter.replaceOp(product, collapsed->results);
}

//===----------------------------------------------------------------------===//
// What a product widens
//===----------------------------------------------------------------------===//

/// The cast that is all that happens to `argument`; null where there is none.
static Operation *wideningOf(BlockArgument argument) {
  if (!argument.hasOneUse())
    return nullptr;
  Operation *user = *argument.getUsers().begin();
  return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(user) ? user
                                                                  : nullptr;
}

static bool isNarrowFloat(Value tensor) {
  Type type = getElementTypeOrSelf(tensor.getType());
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

/// A matrix product of any form, of narrow numbers; widening what a dot product
/// or a matrix-vector product reads once would only write it out and read it
/// again.
static bool widensOperands(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) || !op.hasPureTensorSemantics())
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty() &&
         !dims->k.empty() &&
         (isNarrowFloat(op->getResult(0)) ||
          llvm::any_of(op.getRegionInputArgs(), wideningOf));
}

/// Casts inside the body move out to the operands.
static void widenInputs(linalg::GenericOp product) {
  OpBuilder builder(product);
  TensorBuilder tensors(builder, product.getLoc());
  for (OpOperand *operand : product.getDpsInputOperands()) {
    BlockArgument argument = product.getMatchingBlockArgument(operand);
    Operation *widening = wideningOf(argument);
    if (!widening)
      continue;
    Type type = widening->getResult(0).getType();
    bool isUnsigned = isa<arith::ExtUIOp>(widening);
    operand->set(tensors.map(operand->get(), type,
                             [&](OpBuilder &b, Location at, ValueRange values) {
                               return convertScalarToDtype(b, at, values[0],
                                                           type, isUnsigned);
                             }));
    widening->getResult(0).replaceAllUsesWith(argument);
    widening->erase();
    argument.setType(type);
  }
}

static void widenOperands(linalg::LinalgOp product) {
  IRRewriter rewriter(product);
  auto generic = dyn_cast<linalg::GenericOp>(product.getOperation());
  if (!generic)
    generic = *linalg::generalizeNamedOp(rewriter, product);
  widenInputs(generic);
  if (isNarrowFloat(generic.getResult(0)) && generic.getInputs().size() == 2 &&
      addsProducts(generic))
    widenInputs(widenSums(generic));
}

namespace {
struct NormalizeProductsPass
    : lh::impl::NormalizeProductsPassBase<NormalizeProductsPass> {
  using Base::Base;

  /// Those of the ops as they are now that `isWanted`.
  SmallVector<linalg::LinalgOp>
  opsThat(llvm::function_ref<bool(linalg::LinalgOp)> isWanted) {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isWanted(op))
        ops.push_back(op);
    });
    return ops;
  }

  void runOnOperation() override {
    if (matrices)
      llvm::for_each(opsThat(multipliesVector), multiplyMatrices);
    if (operands)
      llvm::for_each(opsThat(widensOperands), widenOperands);
    if (start)
      llvm::for_each(opsThat(addsToTensor), startAtZero);
    if (sums)
      llvm::for_each(opsThat(sumsNeighbours), sumInOneLoop);
    if (types)
      typeProducts(getOperation(), thin);
  }
};
} // namespace
