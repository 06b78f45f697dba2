// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Empty tensors of a few uses each. CSE makes one of all that have the same
// type, and bufferization compares all uses of one with each other, for each of
// them: a chain of n ops took n^3 steps.

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_SPLITEMPTIESPASS
#define GEN_PASS_DEF_SPLITEMPTIESPASS
#include "compiler/gaps/upstream-fixes/Passes.h.inc"
} // namespace lh

using namespace mlir;

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
  }
};
} // namespace
