// Lowers what upstream cannot: memref.expand_shape with several unknown sizes
// in a group, which expand-strided-metadata crashes on, and the one that
// vectors are read through, which fold-memref-alias-ops gets wrong.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

#include <utility>

namespace lh {
#define GEN_PASS_DECL_LOWEREXPANDSHAPEPASS
#define GEN_PASS_DEF_LOWEREXPANDSHAPEPASS
#include "compiler/gaps/upstream-fixes/Passes.h.inc"
} // namespace lh

using namespace mlir;

static bool hasUnknownsInOneGroup(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  return llvm::any_of(
      op.getReassociationIndices(), [&](const ReassociationIndices &group) {
        return llvm::count_if(group, [&](int64_t dim) {
                 return type.isDynamicDim(static_cast<unsigned>(dim));
               }) > 1;
      });
}

namespace {
/// What became of a split's dimensions in a view of it: for each of the view's,
/// how a vector may be read along it.
enum class Along {
  Anything,     ///< it was not split
  InBoundsOnly, ///< the innermost of several: the next row follows its end
  Nothing,      ///< an outer one of several: its stride is gone
};
} // namespace

static SmallVector<Along> dimensionsOf(memref::ExpandShapeOp op) {
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  SmallVector<Along> dims(shape.size(), Along::Anything);
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Along next = Along::InBoundsOnly;
    auto isLong = [&](int64_t dim) {
      return shape[static_cast<size_t>(dim)] != 1;
    };
    if (llvm::count_if(group, isLong) < 2)
      continue;
    for (int64_t dim : llvm::reverse(llvm::make_filter_range(group, isLong)))
      dims[static_cast<size_t>(dim)] = std::exchange(next, Along::Nothing);
  }
  return dims;
}

/// Whether reading `read` from what was split would give other numbers.
static bool isMisread(vector::TransferReadOp read, ArrayRef<Along> dims) {
  for (auto [i, expr] :
       llvm::enumerate(read.getPermutationMap().getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || read.getVectorType().getDimSize(static_cast<unsigned>(i)) == 1)
      continue;
    Along along = dims[dim.getPosition()];
    if (along == Along::Nothing ||
        (along == Along::InBoundsOnly &&
         !read.isDimInBounds(static_cast<unsigned>(i))))
      return true;
  }
  return false;
}

/// fold-memref-alias-ops takes such reads to what was split, as they are.
static bool isMisread(Value view, ArrayRef<Along> dims) {
  return llvm::any_of(view.getUsers(), [&](Operation *user) {
    if (auto read = dyn_cast<vector::TransferReadOp>(user))
      return isMisread(read, dims);
    if (auto cast = dyn_cast<memref::CastOp>(user))
      return isMisread(cast.getResult(), dims);
    auto subview = dyn_cast<memref::SubViewOp>(user);
    if (!subview)
      return false;
    SmallVector<Along> kept;
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    for (auto [i, along] : llvm::enumerate(dims))
      if (!dropped.test(static_cast<unsigned>(i)))
        kept.push_back(along);
    return isMisread(subview.getResult(), kept);
  });
}

/// `known` where the type says it, else `computed`.
static OpFoldResult either(OpBuilder &builder, int64_t known,
                           OpFoldResult computed) {
  return ShapedType::isDynamic(known) ? computed : builder.getIndexAttr(known);
}

static OpFoldResult product(OpBuilder &builder, Location loc, OpFoldResult a,
                            OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(*x * *y);
  if (x == 1)
    return b;
  if (y == 1)
    return a;
  return arith::MulIOp::create(builder, loc,
                               getValueOrCreateConstantIndexOp(builder, loc, a),
                               getValueOrCreateConstantIndexOp(builder, loc, b))
      .getResult();
}

/// The same memory seen with the sizes that the op names; within a group the
/// last dimension keeps the source's stride.
static void lower(memref::ExpandShapeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  MemRefType type = op.getResultType();
  auto source =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
  auto [typeStrides, typeOffset] = type.getStridesAndOffset();
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(sizes.size());
  for (auto [position, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult innermost = source.getStrides()[position];
    for (int64_t dim : llvm::reverse(group)) {
      auto i = static_cast<size_t>(dim);
      sizes[i] = either(builder, type.getShape()[i], sizes[i]);
      OpFoldResult stride =
          dim == group.back()
              ? innermost
              : product(builder, loc, strides[i + 1], sizes[i + 1]);
      strides[i] = either(builder, typeStrides[i], stride);
    }
  }
  OpFoldResult offset =
      either(builder, typeOffset, OpFoldResult(source.getOffset()));
  Value result = memref::ReinterpretCastOp::create(
      builder, loc, type, source.getBaseBuffer(), offset, sizes, strides);
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct LowerExpandShapePass
    : lh::impl::LowerExpandShapePassBase<LowerExpandShapePass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> found;
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      bool isFound = readByVectors ? isMisread(op.getResult(), dimensionsOf(op))
                                   : hasUnknownsInOneGroup(op);
      if (isFound)
        found.push_back(op);
    });
    for (memref::ExpandShapeOp op : found)
      lower(op);
  }
};
} // namespace
