// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors through loops and branches.
#include "compiler/gaps/oracle/ErrorFlow.h"

using namespace mlir;
using namespace lh;

bool ErrorFlow::touches(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        bool inexact = ErrorRules::rounds(inner);
        for (Value operand : inner->getOperands())
          inexact |= state.errorOf(operand) != nullptr;
        return inexact ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Marks all in `block` that may be inexact; true if that is more than before.
bool ErrorFlow::mark(Block &block, llvm::DenseSet<Value> &marked) {
  size_t before = marked.size();
  auto isMarked = [&](Value value) {
    return marked.contains(value) || state.errorOf(value);
  };
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      markLoop(loop, marked);
      continue;
    }
    bool inexact =
        op.walk([&](Operation *inner) {
            return ErrorRules::rounds(inner) ||
                           llvm::any_of(inner->getOperands(), isMarked)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          }).wasInterrupted();
    if (inexact)
      marked.insert(op.result_begin(), op.result_end());
  }
  return marked.size() > before;
}

/// To a fixed point: what an iteration yields is what the next one gets.
void ErrorFlow::markLoop(scf::ForOp op, llvm::DenseSet<Value> &marked) {
  auto isMarked = [&](Value value) {
    return marked.contains(value) || state.errorOf(value);
  };
  bool grows = true;
  while (grows) {
    grows = mark(*op.getBody(), marked);
    for (auto [init, argument, yielded, result] :
         llvm::zip(op.getInitArgs(), op.getRegionIterArgs(),
                   op.getYieldedValues(), op.getResults()))
      if (isMarked(init) || isMarked(yielded)) {
        grows |= marked.insert(argument).second;
        marked.insert(result);
      }
  }
}

/// Loops and branches that no bound can follow, but that may compute exactly.
LogicalResult ErrorFlow::throughFixed(Operation *op) {
  if (touches(op))
    return state.refuse(op, "computes with rounded numbers");
  return success();
}

/// A sum per iteration, each from the one before, is a chain of sums.
LogicalResult ErrorFlow::setLoopDepths(scf::ForOp op,
                                       ArrayRef<unsigned> carried) {
  for (unsigned index : carried) {
    unsigned before = state.depths.lookup(op.getRegionIterArg(index));
    unsigned after = state.depths.lookup(op.getYieldedValues()[index]);
    unsigned depth = std::max(before, after);
    if (after > before) {
      std::optional<llvm::APInt> trips = op.getStaticTripCount();
      if (!trips)
        return state.refuse(op, "chains sums, it isn't known how many");
      uint64_t chained = before + (after - before) * trips->getLimitedValue();
      if (chained > model.maxDepth)
        return state.refuse(op, "chains " + Twine(chained) +
                                    " sums, whose bounds explode");
      depth = static_cast<unsigned>(chained);
    }
    state.depths[op.getResult(index)] = depth;
  }
  return success();
}

LogicalResult ErrorFlow::throughFor(scf::ForOp op) {
  llvm::DenseSet<Value> marked;
  markLoop(op, marked);
  SmallVector<unsigned> carried;
  SmallVector<Value> inits = llvm::to_vector(op.getInitArgs());
  OpBuilder b(op);
  for (Value bound : {op.getLowerBound(), op.getUpperBound(), op.getStep()})
    if (state.errorOf(bound))
      return state.refuse(op, "repeats as often as a rounded number says");
  for (unsigned i = 0; i < op.getNumRegionIterArgs(); ++i)
    if (marked.contains(op.getRegionIterArg(i))) {
      carried.push_back(i);
      inits.push_back(errorTensor(b, op.getInitArgs()[i]));
    }
  if (carried.empty())
    return throughBlock(*op.getBody(), /*checksRange=*/true, {});
  auto loop = scf::ForOp::create(b, op.getLoc(), op.getLowerBound(),
                                 op.getUpperBound(), op.getStep(), inits);
  loop.getRegion().takeBody(op.getRegion());
  Block *body = loop.getBody();
  for (unsigned i : carried) {
    Value argument = loop.getRegionIterArg(i);
    state.set(argument,
              body->addArgument(errorType(argument.getType()), op.getLoc()),
              state.depths.lookup(inits[i]));
  }
  if (failed(throughBlock(*body, /*checksRange=*/true, {})))
    return failure();
  Operation *yield = body->getTerminator();
  b.setInsertionPoint(yield);
  SmallVector<Value> yielded = llvm::to_vector(yield->getOperands());
  for (auto [number, i] : llvm::enumerate(carried)) {
    yielded.push_back(errorTensor(b, yielded[i]));
    state.errors[loop.getResult(i)] =
        loop.getResult(op.getNumResults() + static_cast<unsigned>(number));
  }
  yield->setOperands(yielded);
  op->replaceAllUsesWith(loop.getResults().take_front(op.getNumResults()));
  op.erase();
  return setLoopDepths(loop, carried);
}

LogicalResult ErrorFlow::throughIf(scf::IfOp op) {
  if (state.errorOf(op.getCondition()))
    return state.refuse(op, "branches on a rounded number");
  SmallVector<Block *> blocks{op.thenBlock()};
  if (op.elseBlock())
    blocks.push_back(op.elseBlock());
  for (Block *block : blocks)
    if (failed(throughBlock(*block, /*checksRange=*/true, {})))
      return failure();
  SmallVector<unsigned> inexact;
  SmallVector<Type> types = llvm::to_vector(op.getResultTypes());
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (llvm::any_of(blocks, [&](Block *block) {
          return state.errorOf(block->getTerminator()->getOperand(i));
        })) {
      inexact.push_back(i);
      types.push_back(errorType(types[i]));
    }
  if (inexact.empty())
    return success();
  OpBuilder b(op);
  auto branch = scf::IfOp::create(b, op.getLoc(), types, op.getCondition(),
                                  /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  branch.getThenRegion().takeBody(op.getThenRegion());
  branch.getElseRegion().takeBody(op.getElseRegion());
  for (auto [number, i] : llvm::enumerate(inexact)) {
    unsigned depth = 0;
    for (Block *block : blocks) {
      Operation *yield = block->getTerminator();
      b.setInsertionPoint(yield);
      Value value = yield->getOperand(i);
      depth = std::max(depth, state.depths.lookup(value));
      yield->insertOperands(yield->getNumOperands(), errorTensor(b, value));
    }
    state.set(
        branch.getResult(i),
        branch.getResult(op.getNumResults() + static_cast<unsigned>(number)),
        depth);
  }
  op->replaceAllUsesWith(branch.getResults().take_front(op.getNumResults()));
  op.erase();
  return success();
}
