// What the gap passes take as a product of matrices.
#include "ir/gaps/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

bool lh::readsWindows(Operation *op) {
  auto reader = dyn_cast<linalg::LinalgOp>(op);
  return reader &&
         llvm::any_of(reader.getIndexingMapsArray(), [](AffineMap map) {
           return !map.isProjectedPermutation(/*allowZeroInResults=*/true);
         });
}

bool lh::hasPanels(linalg::LinalgOp op) {
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
         sizes[loops - 2] >= fewestColumns;
}

bool lh::hasImageWindows(linalg::LinalgOp op) {
  if (!linalg::isaConvolutionOpInterface(op) || op.getNumLoops() != 7 ||
      op.getNumReductionLoops() != 3 || !op.hasPureTensorSemantics())
    return false;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  return op.getIndexingMapsArray()[2] ==
             AffineMap::getMultiDimMapWithTargets(7, {0, 1, 2, 3},
                                                  op.getContext()) &&
         !ShapedType::isDynamicShape(sizes) && sizes[3] >= fewestColumns;
}

bool lh::hasKnownLoops(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return !ShapedType::isDynamicShape(ranges) && !llvm::is_contained(ranges, 0);
}
