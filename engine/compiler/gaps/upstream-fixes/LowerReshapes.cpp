// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowers memref.expand_shape before upstream gets it wrong, and collapse_shape
// before it gets it slow: expand-strided-metadata crashes on several unknown
// sizes in a group, and fold-memref-alias-ops takes a vector's reads to what
// was split, where the next row follows the end of one, and divides each index
// of a collapsed dimension by the sizes that it had.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_LOWERRESHAPESPASS
#include "compiler/gaps/upstream-fixes/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// The same memory seen with the sizes that the op names; within a group the
/// last dimension keeps the source's stride.
static void expand(memref::ExpandShapeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  AffineExpr product =
      builder.getAffineSymbolExpr(0) * builder.getAffineSymbolExpr(1);
  auto source =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), strides;
  for (auto [group, innermost] : llvm::zip_equal(
           op.getReassociationIndices(), source.getConstifiedMixedStrides())) {
    auto split = ArrayRef(sizes).slice(strides.size(), group.size());
    for (OpFoldResult inside :
         memref::computeStridesIRBlock(loc, builder, split))
      strides.push_back(affine::makeComposedFoldedAffineApply(
          builder, loc, product, {inside, innermost}));
  }
  // What was one number has no group, and sizes of one.
  strides.resize(sizes.size(), builder.getIndexAttr(1));
  Value result = memref::ReinterpretCastOp::create(
      builder, loc, op.getResultType(), source.getBaseBuffer(),
      source.getConstifiedMixedOffset(), sizes, strides);
  op.replaceAllUsesWith(result);
  op.erase();
}

/// The same memory seen with sizes that are all known.
static void collapse(memref::CollapseShapeOp op) {
  MemRefType type = op.getResultType();
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return;
  OpBuilder builder(op);
  auto source = memref::ExtractStridedMetadataOp::create(builder, op.getLoc(),
                                                         op.getSrc());
  Value result = memref::ReinterpretCastOp::create(
      builder, op.getLoc(), type, source.getBaseBuffer(),
      source.getConstifiedMixedOffset(),
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()),
      getAsIndexOpFoldResult(builder.getContext(), strides));
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct LowerReshapesPass : lh::impl::LowerReshapesPassBase<LowerReshapesPass> {
  void runOnOperation() override {
    getOperation()->walk(expand);
    getOperation()->walk(collapse);
  }
};
} // namespace
