// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that an op gathers from places of its own become operands.
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/MapVector.h"

namespace lh {
#define GEN_PASS_DEF_SLICEGATHERSPASS
#include "compiler/gaps/rows/Passes.h.inc"
} // namespace lh

using namespace mlir;

namespace {
/// An op of one loop, and what of its body is the same in each iteration.
class RowOp {
public:
  RowOp(linalg::GenericOp op, IRRewriter &rewriter)
      : op(op), rewriter(rewriter) {}

  /// Elements that are read one after the other become elements of a slice,
  /// which is one more operand.
  void sliceGathers() {
    rewriter.setInsertionPoint(op);
    llvm::MapVector<tensor::ExtractOp, Value> slices;
    for (auto read : op.getBody()->getOps<tensor::ExtractOp>())
      if (readsRow(read))
        slices[read] = sliceOf(read);
    if (!slices.empty())
      replaceBy(slices);
  }

private:
  /// Whether the body's value is the same in each iteration of the loop.
  bool isInvariant(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == op.getBody()) {
      OpOperand &operand = op->getOpOperand(argument.getArgNumber());
      return op.isDpsInput(&operand) &&
             isa<RankedTensorType>(operand.get().getType()) &&
             op.getMatchingIndexingMap(&operand).getNumResults() == 0;
    }
    Operation *maker = value.getDefiningOp();
    if (!maker || maker->getBlock() != op.getBody())
      return !op.getRegion().isAncestor(value.getParentRegion());
    return !isa<linalg::IndexOp>(maker) && isPure(maker) &&
           maker->getNumRegions() == 0 &&
           llvm::all_of(maker->getOperands(),
                        [&](Value operand) { return isInvariant(operand); });
  }

  /// The invariant value before the op.
  Value hoisted(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == op.getBody())
      return tensor::ExtractOp::create(rewriter, op.getLoc(),
                                       op->getOperand(argument.getArgNumber()),
                                       ValueRange());
    Operation *maker = value.getDefiningOp();
    if (!maker || maker->getBlock() != op.getBody())
      return value;
    IRMapping mapping;
    for (Value operand : maker->getOperands())
      mapping.map(operand, hoisted(operand));
    return rewriter.clone(*maker, mapping)
        ->getResult(cast<OpResult>(value).getResultNumber());
  }

  /// Whether an index counts the iterations: it is the loop's own, or that and
  /// something invariant.
  bool countsIterations(Value index) {
    if (index.getDefiningOp<linalg::IndexOp>())
      return true;
    auto apply = index.getDefiningOp<affine::AffineApplyOp>();
    if (!apply || apply->getBlock() != op.getBody())
      return false;
    AffineMap map = apply.getAffineMap();
    AffineExpr counted;
    for (auto [i, operand] : llvm::enumerate(apply.getMapOperands())) {
      if (isInvariant(operand))
        continue;
      if (counted || i >= map.getNumDims() ||
          !operand.getDefiningOp<linalg::IndexOp>())
        return false;
      counted = rewriter.getAffineDimExpr(static_cast<unsigned>(i));
    }
    if (!counted)
      return false;
    AffineExpr whole = map.getResult(0);
    AffineExpr first =
        whole.replace(counted, rewriter.getAffineConstantExpr(0));
    return simplifyAffineExpr(whole - first, map.getNumDims(),
                              map.getNumSymbols()) == counted;
  }

  /// What the first iteration has for an index that counts them.
  OpFoldResult firstOf(Value index) {
    OpFoldResult zero = rewriter.getIndexAttr(0);
    auto apply = index.getDefiningOp<affine::AffineApplyOp>();
    if (!apply)
      return zero;
    auto operands =
        llvm::map_to_vector(apply.getMapOperands(), [&](Value operand) {
          return isInvariant(operand) ? OpFoldResult(hoisted(operand)) : zero;
        });
    return affine::makeComposedFoldedAffineApply(
        rewriter, op.getLoc(), apply.getAffineMap(), operands);
  }

  /// Whether each iteration reads the element behind the one before.
  bool readsRow(tensor::ExtractOp read) {
    OperandRange indices = read.getIndices();
    return !indices.empty() && isInvariant(read.getTensor()) &&
           llvm::all_of(indices.drop_back(),
                        [&](Value index) { return isInvariant(index); }) &&
           countsIterations(indices.back());
  }

  Value sliceOf(tensor::ExtractOp read) {
    Location loc = read.getLoc();
    auto type = cast<RankedTensorType>(read.getTensor().getType());
    OpFoldResult length =
        tensor::getMixedSize(rewriter, loc, op.getOutputs()[0], 0);
    OpFoldResult one = rewriter.getIndexAttr(1);
    SmallVector<OpFoldResult> offsets, sizes(type.getRank(), one),
        strides(type.getRank(), one);
    for (Value index : read.getIndices().drop_back())
      offsets.push_back(hoisted(index));
    offsets.push_back(firstOf(read.getIndices().back()));
    sizes.back() = length;
    RankedTensorType row = type.clone(op.getStaticLoopRanges());
    return tensor::ExtractSliceOp::create(rewriter, loc, row, read.getTensor(),
                                          offsets, sizes, strides);
  }

  void replaceBy(const llvm::MapVector<tensor::ExtractOp, Value> &slices) {
    SmallVector<Value> inputs = op.getInputs();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    auto count = static_cast<unsigned>(inputs.size());
    for (auto [read, slice] : slices) {
      inputs.push_back(slice);
      maps.insert(maps.begin() + count, rewriter.getDimIdentityMap());
      Value element = op.getBody()->insertArgument(
          count++, read.getResult().getType(), read.getLoc());
      rewriter.replaceOp(read, element);
    }
    auto row = linalg::GenericOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
        maps, op.getIteratorTypesArray());
    row.getRegion().takeBody(op.getRegion());
    rewriter.replaceOp(op, row.getResults());
  }

  linalg::GenericOp op;
  IRRewriter &rewriter;
};

struct SliceGathersPass : lh::impl::SliceGathersPassBase<SliceGathersPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> rows;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (op.getNumLoops() == 1 && op.isAllParallelLoops() &&
          op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
          op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
        rows.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : rows)
      RowOp(op, rewriter).sliceGathers();
  }
};
} // namespace
