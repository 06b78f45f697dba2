// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops compute with channels last.
#include "compiler/gaps/windows/ChannelOps.h"

#include "compiler/gaps/TensorBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace lh;
using namespace mlir;

int64_t lh::tensorRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

SmallVector<int64_t> lh::lastOrder(int64_t rank, int64_t channels) {
  SmallVector<int64_t> order = {0};
  llvm::append_range(order, llvm::seq(channels + 1, rank));
  llvm::append_range(order, llvm::seq<int64_t>(1, channels + 1));
  return order;
}

bool lh::isPixelProduct(linalg::LinalgOp op) {
  AffineExpr b, f, p, c;
  bindDims(op.getContext(), b, f, p, c);
  return isa<linalg::GenericOp>(op) && linalg::isaContractionOpInterface(op) &&
         op.getIndexingMapsArray() ==
             AffineMap::inferFromExprList(
                 ArrayRef<ArrayRef<AffineExpr>>{{f, c}, {b, c, p}, {b, f, p}},
                 op.getContext());
}

/// Whether this is a product of pixels whose channels were last in the model.
static bool readsTurnedPixels(Operation *op) {
  auto product = dyn_cast<linalg::GenericOp>(op);
  if (!product || !isPixelProduct(product))
    return false;
  Operation *producer = product.getInputs()[1].getDefiningOp();
  if (auto pixels = dyn_cast_or_null<tensor::CollapseShapeOp>(producer))
    producer = pixels.getSrc().getDefiningOp();
  auto turned = dyn_cast_or_null<linalg::TransposeOp>(producer);
  return turned &&
         turned.getPermutation() ==
             ArrayRef(invertPermutationVector(lastOrder(
                 static_cast<int64_t>(turned.getPermutation().size()))));
}

bool lh::isGrouped(Operation *op) {
  return isa_and_nonnull<linalg::Conv2DNgchwGfchwOp>(op);
}

bool lh::isConvolution(Operation *op) {
  return isGrouped(op) ||
         isa<linalg::Conv2DNchwFchwOp, linalg::DepthwiseConv2DNchwChwOp>(op);
}

bool lh::isPool(Operation *op) {
  return isa<linalg::PoolingNchwMaxOp, linalg::PoolingNchwSumOp>(op) &&
         typeOf(op->getOperand(0)).getDimSize(1) != 1;
}

bool lh::isForChannelsLast(Operation *op) {
  return isConvolution(op) || isPool(op) || readsTurnedPixels(op);
}

int64_t lh::channelsOf(Operation *op) { return isGrouped(op) ? 2 : 1; }

std::optional<SmallVector<ReassociationIndices>>
lh::moveGroups(SmallVector<ReassociationIndices> groups, Value apart,
               Value whole, int64_t channels) {
  ArrayRef<int64_t> from = typeOf(apart).getShape();
  // Whichever dimension it merges a unit one with.
  if (channels == 2 &&
      typeOf(whole).getShape() ==
          ArrayRef<int64_t>{from[0], from[1] * from[2], from[3], from[4]})
    groups = {{0}, {1, 2}, {3}, {4}};
  if (groups.size() < 3 || groups[0].size() != 1 ||
      static_cast<int64_t>(groups[1].size()) != channels)
    return std::nullopt;
  std::rotate(groups.begin() + 1, groups.begin() + 2, groups.end());
  int64_t next = 0;
  for (ReassociationIndices &group : groups)
    for (int64_t &dimension : group)
      dimension = next++;
  return groups;
}

bool lh::gathersPixels(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp>(op) || !op.hasPureTensorSemantics() ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      op.getNumLoops() < 3 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  auto reads = op.getBlock()->getOps<tensor::ExtractOp>();
  return !reads.empty() && llvm::all_of(reads, [&](tensor::ExtractOp read) {
    if (tensorRank(read.getTensor()) < 3)
      return false;
    auto channel = read.getIndices()[1].getDefiningOp<linalg::IndexOp>();
    return channel && channel.getDim() == 1;
  });
}

bool lh::isDepthwiseFilter(linalg::LinalgOp op, OpOperand &operand) {
  return isa<linalg::DepthwiseConv2DNchwChwOp>(op) &&
         operand.getOperandNumber() == 1;
}

bool lh::isElementwiseOfOne(Operation *producer) {
  auto op = dyn_cast_or_null<linalg::GenericOp>(producer);
  if (!op || op->getNumResults() != 1 || !op->hasOneUse() ||
      !op.isAllParallelLoops() || !op.hasPureTensorSemantics() ||
      op.hasIndexSemantics())
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps.back().isIdentity() && llvm::count(maps, maps.back()) == 2 &&
         op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity();
}

bool lh::mayMoveGroups(linalg::LinalgOp op) {
  return !ShapedType::isDynamicShape(op.getStaticLoopRanges()) &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           auto merge = dyn_cast<tensor::CollapseShapeOp>(user);
           return merge && moveGroups(merge.getReassociationIndices(),
                                      merge.getSrc(), merge, 2);
         });
}

void lh::mergeGroups(linalg::LinalgOp op) {
  if (!isGrouped(op) || ShapedType::isDynamicShape(op.getStaticLoopRanges()))
    return;
  Value result = op->getResult(0);
  auto keepsGroups = [](OpOperand &use) {
    auto reshape = dyn_cast<tensor::CollapseShapeOp>(use.getOwner());
    return reshape &&
           llvm::all_of(
               ArrayRef(reshape.getReassociationIndices()).take_front(3),
               [](ArrayRef<int64_t> group) { return group.size() == 1; });
  };
  if (llvm::none_of(result.getUses(), keepsGroups))
    return;
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}, {3}, {4}};
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  auto merged =
      tensor::CollapseShapeOp::create(builder, op.getLoc(), result, groups);
  auto split = tensor::ExpandShapeOp::create(builder, op.getLoc(),
                                             result.getType(), merged, groups);
  result.replaceUsesWithIf(split, keepsGroups);
}
