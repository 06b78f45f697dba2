// Finds the elementwise ops that a contraction, or windows, can compute on
// their way out. The transform dialect's matchers can't compare an op's
// indexing maps.
#include "ir/gaps/Gaps.h"
#include "ir/gaps/Products.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

using namespace lh;
using namespace mlir;

/// The vectorizer takes no gather at the edge of a tile.
static bool gathers(linalg::GenericOp op) {
  return !op.getBody()->getOps<tensor::ExtractOp>().empty();
}

/// The elementwise op that is all that becomes of `op`, over the same points in
/// the same order; null where there is none.
static linalg::GenericOp followerOf(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || !op->hasOneUse())
    return nullptr;
  OpOperand &use = *op->use_begin();
  auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
  bool fits =
      user && user->getNumResults() == 1 && user.isAllParallelLoops() &&
      !gathers(user) && user.isDpsInput(&use) &&
      user.getMatchingIndexingMap(&use).isIdentity() &&
      user.getIndexingMapMatchingResult(user->getResult(0)).isIdentity();
  return fits ? user : nullptr;
}

/// One that follows two contractions is no epilogue: it can be computed in one
/// only. What follows a contraction is not left to windows.
static bool isEpilogue(linalg::GenericOp follower, linalg::LinalgOp op) {
  auto contractions = llvm::count_if(follower.getInputs(), [](Value input) {
    return isProduct(input.getDefiningOp());
  });
  return contractions == (isProduct(op) ? 1 : 0);
}

namespace {
class MarkEpiloguesPass
    : public PassWrapper<MarkEpiloguesPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkEpiloguesPass)

  StringRef getArgument() const override { return "lh-mark-epilogues"; }
  StringRef getDescription() const override {
    return "Marks elementwise ops that only follow a contraction, or windows";
  }

private:
  void runOnOperation() override {
    getOperation()->walk([](linalg::LinalgOp op) {
      if (!isProduct(op) && !readsWindows(op))
        return;
      linalg::GenericOp follower = followerOf(op);
      if (!follower || !isEpilogue(follower, op))
        return;
      UnitAttr mark = UnitAttr::get(op->getContext());
      follower->setAttr("lh.epilogue", mark);
      if (!isProduct(op))
        op->setAttr("lh.has_epilogue", mark);
    });
  }
};
} // namespace

void lh::registerMarkEpiloguesPass() { PassRegistration<MarkEpiloguesPass>(); }
