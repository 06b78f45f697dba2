// Empty tensors of a few uses each. CSE makes one of all that have the same
// type, and bufferization compares all uses of one with each other, for each of
// them: a chain of n ops took n^3 steps.
#include "ir/gaps/BufferPasses.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/MapVector.h"

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
class SplitEmptiesPass : public PassWrapper<SplitEmptiesPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitEmptiesPass)

  SplitEmptiesPass() = default;
  SplitEmptiesPass(const SplitEmptiesPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "lh-split-empties"; }
  StringRef getDescription() const override {
    return "Gives each tensor.empty few uses";
  }

private:
  void runOnOperation() override {
    size_t most = std::max(1u, mostUses.getValue());
    for (auto &[empty, uses] : usesOfEmpties(getOperation()))
      if (uses.size() > most)
        split(empty, uses, most);
  }

  Option<unsigned> mostUses{*this, "most-uses", llvm::cl::init(32),
                            llvm::cl::desc("so many at most")};
};
} // namespace

void lh::registerSplitEmptiesPass() { PassRegistration<SplitEmptiesPass>(); }
