// Finds the elementwise ops that a contraction can compute on its way out. The
// transform dialect's matchers can't compare an op's indexing maps.
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

/// The elementwise op that is all that becomes of `contraction`, over the same
/// points in the same order; null where there is none. One that
/// follows two contractions is no epilogue: it can be computed in one only.
static linalg::GenericOp epilogueOf(linalg::LinalgOp contraction) {
  if (contraction->getNumResults() != 1 || !contraction->hasOneUse())
    return nullptr;
  OpOperand &use = *contraction->use_begin();
  auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
  bool fits =
      user && user->getNumResults() == 1 && user.isAllParallelLoops() &&
      !gathers(user) && user.isDpsInput(&use) &&
      user.getMatchingIndexingMap(&use).isIdentity() &&
      user.getIndexingMapMatchingResult(user->getResult(0)).isIdentity();
  if (!fits || llvm::count_if(user.getInputs(), [](Value input) {
                 return isProduct(input.getDefiningOp());
               }) != 1)
    return nullptr;
  return user;
}

namespace {
class MarkEpiloguesPass
    : public PassWrapper<MarkEpiloguesPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkEpiloguesPass)

  StringRef getArgument() const override { return "lh-mark-epilogues"; }
  StringRef getDescription() const override {
    return "Marks elementwise ops that only follow a contraction";
  }

private:
  void runOnOperation() override {
    getOperation()->walk([](linalg::LinalgOp op) {
      if (!isProduct(op))
        return;
      if (linalg::GenericOp epilogue = epilogueOf(op))
        epilogue->setAttr("lh.epilogue", UnitAttr::get(op->getContext()));
    });
  }
};
} // namespace

void lh::registerMarkEpiloguesPass() { PassRegistration<MarkEpiloguesPass>(); }
