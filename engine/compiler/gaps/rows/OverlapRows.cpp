// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows written while the next one is computed: a loop that only writes a row
// waits for memory, and the loops before it leave memory idle. The last op goes
// an iteration later, in front of the op that overwrites what it reads, and
// lh-vectorize-rows puts the two into one loop over strips.
#include "compiler/gaps/rows/RowVectors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace lh;
using namespace mlir;
using linalg::GenericOp;

namespace {
/// The last op of a row.
struct LastOp {
  GenericOp op;
  /// It, the ops that hand its result on, and the views that these take.
  llvm::SetVector<Operation *> ops;
  /// What it needs of the others: a row of powers, and sums.
  GenericOp powers;
  llvm::SetVector<Value> numbers;
};
} // namespace

/// Collects the ops that hand the result on; false when it is read elsewhere.
static bool collectUsers(LastOp &last, Block *body) {
  Operation *op = last.op;
  for (; op != body->getTerminator(); op = *op->user_begin()) {
    if (op->getBlock() != body || !op->hasOneUse())
      return false;
    last.ops.insert(op);
  }
  return true;
}

/// Collects what these ops take; false when that is more than one row.
static bool collectOperands(LastOp &last, Block *body) {
  for (size_t i = 0; i < last.ops.size(); ++i) {
    Operation *op = last.ops[i];
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || source->getBlock() != body || last.ops.contains(source))
        continue;
      auto powers = dyn_cast<GenericOp>(source);
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (isPure(source) && source->getNumRegions() == 0)
        last.ops.insert(source);
      else if (op == last.op && type && type.getRank() == 0)
        last.numbers.insert(operand);
      else if (powers && takesLong(powers) &&
               (!last.powers || last.powers == powers))
        last.powers = powers;
      else
        return false;
    }
  }
  return last.powers != nullptr;
}

static std::optional<LastOp> findLastOp(scf::ForOp rows, int64_t shortest) {
  LastOp last;
  for (auto op : rows.getBody()->getOps<GenericOp>())
    last.op = op;
  if (!last.op || rows.getNumResults() != 1 || !isRowOp(last.op) ||
      last.op.getNumParallelLoops() != 1)
    return std::nullopt;
  int64_t size = last.op.getStaticLoopRanges().front();
  if (ShapedType::isDynamic(size) || size < shortest ||
      !collectUsers(last, rows.getBody()) ||
      !collectOperands(last, rows.getBody()))
    return std::nullopt;
  return last;
}

/// Gives the op views of its own, and numbers in place of tensors, which can be
/// carried in registers. The ops that go an iteration later, it among them.
static SmallVector<Operation *> separate(LastOp &last, scf::ForOp rows,
                                         IRRewriter &rewriter) {
  IRMapping values;
  for (Value number : last.numbers) {
    rewriter.setInsertionPointAfterValue(number);
    values.map(number, tensor::ExtractOp::create(rewriter, number.getLoc(),
                                                 number, ValueRange()));
  }
  SmallVector<Operation *> ops = last.ops.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Operation *yield = rows.getBody()->getTerminator();
  rewriter.setInsertionPoint(yield);
  SmallVector<Operation *> later;
  for (Operation *op : ops)
    later.push_back(rewriter.clone(*op, values));
  yield->setOperand(0, values.lookup(yield->getOperand(0)));
  last.op = values.lookup(last.op->getResult(0)).getDefiningOp<GenericOp>();
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      rewriter.eraseOp(op);
  return later;
}

static void overlap(scf::ForOp rows, int64_t shortest, IRRewriter &rewriter) {
  std::optional<LastOp> last = findLastOp(rows, shortest);
  if (!last)
    return;
  SmallVector<Operation *> later = separate(*last, rows, rewriter);
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp loop, auto &schedule) {
    for (Operation *op : later)
      if (!last->op->isBeforeInBlock(op))
        schedule.emplace_back(op, 1);
    for (Operation &op : loop.getBody()->without_terminator())
      if (!llvm::is_contained(later, &op))
        schedule.emplace_back(&op, 0);
    for (Operation *op : later)
      if (last->op->isBeforeInBlock(op))
        schedule.emplace_back(op, 1);
  };
  rewriter.setInsertionPoint(rows);
  FailureOr<scf::ForOp> joined = scf::pipelineForLoop(rewriter, rows, options);
  if (failed(joined))
    return;
  // The next row takes the place of the one before.
  for (auto [row, next] :
       llvm::zip(joined->getRegionIterArgs(), joined->getYieldedValues()))
    if (auto powers = next.getDefiningOp<GenericOp>())
      powers.getDpsInitOperand(0)->set(row);
}

/// How many blocks of rows there are when the loop is over the rows of one; 0
/// when these aren't a function's own.
static int64_t blocksAround(scf::ForOp rows) {
  Operation *around = rows->getParentOp();
  int64_t count = 1;
  if (auto blocks = dyn_cast<scf::ForallOp>(around)) {
    around = blocks->getParentOp();
    for (auto [from, to, step] :
         llvm::zip(blocks.getStaticLowerBound(), blocks.getStaticUpperBound(),
                   blocks.getStaticStep()))
      if (!ShapedType::isDynamic(from) && !ShapedType::isDynamic(to) &&
          !ShapedType::isDynamic(step))
        count *= llvm::divideCeil(to - from, step);
  }
  return isa<FunctionOpInterface>(around) ? count : 0;
}

void lh::overlapRows(Operation *function, int64_t fewestBlocks,
                     int64_t shortest) {
  SmallVector<scf::ForOp> loops;
  function->walk([&](scf::ForOp loop) {
    if (blocksAround(loop) >= fewestBlocks)
      loops.push_back(loop);
  });
  IRRewriter rewriter(function->getContext());
  for (scf::ForOp loop : loops)
    overlap(loop, shortest, rewriter);
}
