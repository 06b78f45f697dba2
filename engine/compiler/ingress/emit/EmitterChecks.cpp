// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of sizes that only the run shows.
#include "compiler/ingress/emit/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

void Emitter::require(Value condition, const Twine &rule) {
  cf::AssertOp::create(builder, loc, condition, (node + ": " + rule).str());
}

/// True the first time that this block is to check `a` against `b`.
bool Emitter::isNewCheck(OpFoldResult a, OpFoldResult b) {
  return checked
      .insert({builder.getInsertionBlock(),
               {a.getOpaqueValue(), b.getOpaqueValue()}})
      .second;
}

static Value isEqual(Emitter &emit, OpFoldResult a, OpFoldResult b) {
  return arith::CmpIOp::create(emit.builder, emit.loc, arith::CmpIPredicate::eq,
                               emit.asValue(a), emit.asValue(b));
}

void Emitter::requireSame(OpFoldResult a, OpFoldResult b, const Twine &rule) {
  if (same(a, b) || (known(a) && known(b)) || !isNewCheck(a, b))
    return;
  require(isEqual(*this, a, b), rule);
}

void Emitter::requireBroadcast(OpFoldResult own, OpFoldResult wanted) {
  if (same(own, wanted) || known(own) == 1 || (known(own) && known(wanted)) ||
      !isNewCheck(own, wanted))
    return;
  Value fits = arith::OrIOp::create(builder, loc, isEqual(*this, own, index(1)),
                                    isEqual(*this, own, wanted));
  require(fits, "the sizes of its inputs do not broadcast");
}

void Emitter::requireNotNegative(OpFoldResult size, const Twine &rule) {
  if (known(size) || isTensorSize(size))
    return;
  Value zero = indexConstant(builder, loc, 0);
  require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                asValue(size), zero),
          rule);
}

/// Dimension `dim` of `tensor`, by a value that `op` may use.
static OpFoldResult sizeBefore(Emitter &emit, Operation *op, Value tensor,
                               int64_t dim) {
  OpFoldResult size = emit.sizesOf(tensor)[static_cast<size_t>(dim)];
  auto value = dyn_cast<Value>(size);
  Operation *definition = value ? value.getDefiningOp() : nullptr;
  if (!definition || definition->getBlock() != op->getBlock() ||
      definition->isBeforeInBlock(op))
    return size;
  return Value(tensor::DimOp::create(emit.builder, emit.loc, tensor, dim));
}

/// Compares the operands' sizes wherever a loop runs over them directly.
static void requireLoops(Emitter &emit, linalg::LinalgOp op) {
  OpBuilder::InsertionGuard guard(emit.builder);
  emit.builder.setInsertionPoint(op);
  SmallVector<OpFoldResult> loops(op.getNumLoops());
  for (OpOperand &operand : llvm::reverse(op->getOpOperands())) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      OpFoldResult size =
          sizeBefore(emit, op, operand.get(), static_cast<int64_t>(dim));
      OpFoldResult &first = loops[loop.getPosition()];
      if (!first)
        first = size;
      emit.requireSame(first, size, "the sizes of its inputs do not match");
    }
  }
}

Operation *Emitter::lastOperation() const {
  Block *block = builder.getInsertionBlock();
  auto next = builder.getInsertionPoint();
  return next == block->begin() ? nullptr : &*std::prev(next);
}

void Emitter::requireLoopsSince(Operation *last) {
  Block *block = builder.getInsertionBlock();
  auto begin = last ? std::next(last->getIterator()) : block->begin();
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(begin, builder.getInsertionPoint())))
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      requireLoops(*this, linalgOp);
}
