// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that threads share: those with which a function takes the least time,
// by an estimate that counts what it takes to wake threads and to wait for
// them.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/memory/IndependentLoops.h"
#include "compiler/gaps/memory/LoopWork.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_SHARELOOPSPASS
#define GEN_PASS_DEF_SHARELOOPSPASS
#include "compiler/gaps/memory/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// A failed assertion leaves the code where it is, which only the thread that
/// called the code may do.
static bool mayGiveUp(scf::ForallOp loop) {
  return loop.walk([](cf::AssertOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
/// How long an op takes, in additions, with the loops in it shared that are
/// best shared.
struct Plan {
  double alone = 0; ///< by one thread
  double best = 0;
  SmallVector<Operation *> shared;
};

/// Whether threads could share the loop.
bool mayBeShared(Operation &op) {
  if (auto forall = dyn_cast<scf::ForallOp>(op))
    return !mayGiveUp(forall);
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop && loop->hasAttr(lh::independentMark) &&
         succeeded(lh::ownBuffersOf(loop));
}

/// Chooses the loops.
struct Planner {
  Plan plan(Operation &op) const {
    Plan plan;
    plan.alone = plan.best = ownWork(op, costs);
    if (isa<linalg::LinalgOp>(op))
      return plan;
    double trips = tripsOf(op, costs);
    for (Region &region : op.getRegions()) {
      for (Operation &inner : region.getOps()) {
        Plan part = this->plan(inner);
        plan.alone += trips * part.alone;
        plan.best += trips * part.best;
        llvm::append_range(plan.shared, part.shared);
      }
    }
    // Waking threads costs as much as is saved with the least work.
    double waking = leastWork * (1 - 1 / threads);
    double together = plan.alone * largestPart(op, threads, costs) + waking;
    if (trips > 1 && together <= plan.best && mayBeShared(op)) {
      plan.best = together;
      plan.shared.assign(1, &op);
    }
    return plan;
  }

  double threads, leastWork;
  LoopCosts costs;
};

struct ShareLoopsPass : lh::impl::ShareLoopsPassBase<ShareLoopsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (mark)
      return markIndependentLoops(getOperation());
    if (threads < 2)
      return;
    Planner planner{static_cast<double>(threads),
                    static_cast<double>(leastWork),
                    {static_cast<double>(unknownTrips),
                     static_cast<double>(mathCost),
                     static_cast<double>(moveCost)}};
    IRRewriter rewriter(&getContext());
    for (Operation *loop : planner.plan(*getOperation()).shared)
      if (failed(share(rewriter, loop)))
        return signalPassFailure();
  }

  static LogicalResult share(IRRewriter &rewriter, Operation *op) {
    rewriter.setInsertionPoint(op);
    if (auto forall = dyn_cast<scf::ForallOp>(op))
      return scf::forallToParallelLoop(rewriter, forall);
    auto loop = cast<scf::ForOp>(op);
    auto own = lh::ownBuffersOf(loop);
    if (failed(own))
      return op->emitError("what its iterations write isn't known any more");
    shareFor(rewriter, loop, *own);
    return success();
  }

  /// Each iteration allocates what is its own; a thread does so once, when
  /// lh-plan-memory is done.
  static void shareFor(IRRewriter &rewriter, scf::ForOp loop,
                       ArrayRef<memref::AllocOp> own) {
    auto parallel =
        scf::ParallelOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                                loop.getUpperBound(), loop.getStep());
    rewriter.eraseOp(loop.getBody()->getTerminator());
    rewriter.inlineBlockBefore(loop.getBody(),
                               parallel.getBody()->getTerminator(),
                               parallel.getInductionVars());
    rewriter.eraseOp(loop);
    for (memref::AllocOp alloc : own) {
      SmallVector<Operation *> users(alloc->getUsers());
      for (Operation *user : users)
        if (isa<memref::DeallocOp>(user))
          rewriter.eraseOp(user);
      rewriter.moveOpBefore(alloc, parallel.getBody(),
                            parallel.getBody()->begin());
      rewriter.setInsertionPoint(parallel.getBody()->getTerminator());
      memref::DeallocOp::create(rewriter, alloc.getLoc(), alloc);
    }
  }
};
} // namespace
