// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop of the elementwise operations that follow on each other.
#include "compiler/ingress/emit/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace lh;
using namespace mlir;

namespace {
/// Keeps what the emitter remembers of values up to date.
class FusionListener : public RewriterBase::Listener {
public:
  explicit FusionListener(Emitter &emit) : emit(emit) {}

  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    for (auto [before, after] : llvm::zip(op->getResults(), values))
      if (after && isa<RankedTensorType>(after.getType()))
        emit.remember(after, emit.sizesOf(before));
  }
  void notifyOperationErased(Operation *op) override {
    for (Value result : op->getResults())
      emit.forget(result);
  }

private:
  Emitter &emit;
};
} // namespace

/// Nothing but `user` takes the results of `op`.
static bool isUsedByAlone(Operation *op, Operation *user) {
  return llvm::all_of(op->getUsers(),
                      [&](Operation *each) { return each == user; });
}

/// Whether one iteration alone reads each element: a number for each channel would
/// be computed again for each of its pixels.
static bool isReadOnce(OpOperand *operand, linalg::GenericOp consumer) {
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  return llvm::all_of(llvm::enumerate(consumer.getStaticLoopRanges()),
                      [&](auto loop) {
                        return loop.value() == 1 ||
                               map.isFunctionOfDim(
                                   static_cast<unsigned>(loop.index()));
                      });
}

/// Its terms are widened on the way, not as a tensor.
static bool sumsIntegers(linalg::GenericOp op) {
  return isa<IntegerType>(getElementTypeOrSelf(op.getResult(0)));
}

void Emitter::fuseSince(Operation *last, ArrayRef<Value *> kept) {
  Block *block = builder.getInsertionBlock();
  auto isFused = [&](OpOperand *operand) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
    return producer && consumer && isUsedByAlone(producer, consumer) &&
           producer->getBlock() == block &&
           (!last || last->isBeforeInBlock(producer)) &&
           isReadOnce(operand, consumer) &&
           (consumer.getNumReductionLoops() == 0 || sumsIntegers(consumer)) &&
           producer.getNumLoops() == consumer.getNumLoops();
  };
  RewritePatternSet patterns(builder.getContext());
  linalg::populateElementwiseOpsFusionPatterns(patterns, isFused);
  FrozenRewritePatternSet frozen(std::move(patterns));
  FusionListener listener(*this);
  GreedyRewriteConfig config;
  config.setListener(&listener).enableFolding(false).enableConstantCSE(false);
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  // What is kept has no use yet; without one it would be erased.
  SmallVector<Value> values;
  for (Value *each : kept)
    values.push_back(*each);
  auto user =
      UnrealizedConversionCastOp::create(builder, loc, TypeRange(), values);
  // What died in one round hides producers until the next.
  for (bool changed = true; changed;) {
    auto begin = last ? std::next(last->getIterator()) : block->begin();
    SmallVector<Operation *> built;
    for (Operation &op : llvm::make_range(begin, user->getIterator()))
      if (isa<linalg::GenericOp>(op))
        built.push_back(&op);
    (void)applyOpPatternsGreedily(built, frozen, config, &changed);
  }
  for (auto [each, value] : llvm::zip(kept, user.getInputs()))
    *each = value;
  user.erase();
}
