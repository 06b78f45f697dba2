// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Empty tensors of a few uses each. CSE makes one of all that have the same
// type, and bufferization compares all uses of one with each other, for each of
// them: a chain of n ops took n^3 steps. And it doesn't see that what kernels
// are given to write to is written to: two of them must not share a tensor.
// Those that only a loop's iterations use belong into the loop.
#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_SPLITEMPTIESPASS
#define GEN_PASS_DEF_SPLITEMPTIESPASS
#include "compiler/gaps/upstream-fixes/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// Whether it is a tile of what a loop writes, which bufferization looks after.
static bool isOfLoop(Value tile) {
  while (Operation *op = tile.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::ExtractSliceOp>(op))
      return false;
    tile = op->getOperand(0);
  }
  return isa<scf::ForallOp>(
      cast<BlockArgument>(tile).getOwner()->getParentOp());
}

/// Gives a call of a kernel's function memory of its own to write to, where a
/// loop of one trip is gone.
static void giveDestination(func::CallOp call) {
  Operation *callee =
      SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr());
  constexpr unsigned destination = 2; // of A, B, C
  auto mark = callee ? callee->getAttrOfType<DictionaryAttr>(lh::kernelCallMark)
                     : DictionaryAttr();
  if (!mark || mark.empty() || isOfLoop(call.getOperand(destination)))
    return;
  OpBuilder builder(call);
  Location loc = call.getLoc();
  Value given = call.getOperand(destination), shaped = given;
  while (auto cast = shaped.getDefiningOp<tensor::CastOp>())
    shaped = cast.getSource();
  auto type = cast<RankedTensorType>(shaped.getType());
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(tensor::DimOp::create(builder, loc, shaped,
                                            static_cast<int64_t>(dim)));
  Value own = bufferization::AllocTensorOp::create(builder, loc, type, sizes);
  if (type != given.getType())
    own = tensor::CastOp::create(builder, loc, given.getType(), own);
  call.setOperand(destination, own);
}

/// Whether it is the same in every iteration and no work to make again.
static bool isBlank(Operation &op) {
  if (isa<tensor::EmptyOp>(op))
    return op.getNumOperands() == 0;
  auto fill = dyn_cast<linalg::FillOp>(op);
  return fill && fill.getNumResults() == 1 &&
         fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>() &&
         matchPattern(fill.getDpsInputs()[0], m_Constant());
}

/// The body of a loop among the function's ops that has all users of `op`.
static Block *loopThatUses(Operation &op) {
  Operation *user = *op.user_begin();
  auto loop = dyn_cast<scf::ForOp>(op.getBlock()->findAncestorOpInBlock(*user));
  if (!loop || !llvm::all_of(op.getUsers(), [&](Operation *user) {
        return loop->isProperAncestor(user);
      }))
    return nullptr;
  return loop.getBody();
}

/// Takes back what loop-invariant code motion did for nothing: in front of a
/// loop over samples a buffer would live as long as the loop, and a fill would
/// be copied in each iteration where it is written to.
static void sinkIntoLoops(func::FuncOp function) {
  for (Block &block : function.getBody())
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      Block *body = isBlank(op) && !op.use_empty() ? loopThatUses(op) : nullptr;
      if (!body)
        continue;
      Operation *first = body->getTerminator();
      for (Operation *user : op.getUsers()) {
        Operation *here = body->findAncestorOpInBlock(*user);
        if (here->isBeforeInBlock(first))
          first = here;
      }
      op.moveBefore(first);
    }
}

namespace {
struct SplitEmptiesPass : lh::impl::SplitEmptiesPassBase<SplitEmptiesPass> {
  using Base::Base;

  /// Uses that follow each other share a copy, so that their buffer is reused.
  void runOnOperation() override {
    llvm::DenseMap<tensor::EmptyOp, std::pair<Operation *, unsigned>> latest;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands()) {
        auto empty = operand.get().getDefiningOp<tensor::EmptyOp>();
        if (!empty)
          continue;
        auto &[copy, uses] =
            latest.try_emplace(empty, empty.getOperation(), 0).first->second;
        if (uses++ == std::max(1u, mostUses.getValue())) {
          OpBuilder builder(copy->getContext());
          builder.setInsertionPointAfter(copy);
          copy = builder.clone(*empty);
          uses = 1;
        }
        operand.set(copy->getResult(0));
      }
    });
    getOperation()->walk(giveDestination);
    getOperation()->walk(sinkIntoLoops);
  }
};
} // namespace
