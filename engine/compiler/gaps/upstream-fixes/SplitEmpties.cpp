// Empty tensors of a few uses each. CSE makes one of all that have the same
// type, and bufferization compares all uses of one with each other, for each of
// them: a chain of n ops took n^3 steps.

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/MapVector.h"

namespace lh {
#define GEN_PASS_DECL_SPLITEMPTIESPASS
#define GEN_PASS_DEF_SPLITEMPTIESPASS
#include "compiler/gaps/upstream-fixes/Passes.h.inc"
} // namespace lh

using namespace mlir;

using Uses = SmallVector<OpOperand *>;

/// The uses of each empty tensor in the order of the program.
static llvm::MapVector<tensor::EmptyOp, Uses> usesOfEmpties(Operation *root) {
  llvm::MapVector<tensor::EmptyOp, Uses> uses;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (auto empty = operand.get().getDefiningOp<tensor::EmptyOp>())
        uses[empty].push_back(&operand);
  });
  return uses;
}

/// Uses that follow each other share a copy, so that their buffer is reused.
static void split(tensor::EmptyOp empty, ArrayRef<OpOperand *> uses,
                  size_t most) {
  OpBuilder builder(empty);
  builder.setInsertionPointAfter(empty);
  for (uses = uses.drop_front(most); !uses.empty();
       uses = uses.drop_front(std::min(most, uses.size()))) {
    Value copy = builder.clone(*empty)->getResult(0);
    for (OpOperand *use : uses.take_front(most))
      use->set(copy);
  }
}

namespace {
struct SplitEmptiesPass : lh::impl::SplitEmptiesPassBase<SplitEmptiesPass> {
  using Base::Base;

  void runOnOperation() override {
    size_t most = std::max(1u, mostUses.getValue());
    for (auto &[empty, uses] : usesOfEmpties(getOperation()))
      if (uses.size() > most)
        split(empty, uses, most);
  }
};
} // namespace
