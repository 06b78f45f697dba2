// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of words on vectors become the CPU's instructions for them. No
// x86vector op makes vpdpbusd, and that for bf16 takes its operands in a form
// that a schedule of one register tile for all types doesn't have.
#include "compiler/gaps/products/MatrixWords.h"
#include "compiler/gaps/products/WordDots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_LOWERWORDSPASS
#define GEN_PASS_DEF_LOWERWORDSPASS
#include "compiler/gaps/products/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// `value[position..., :]`. Looks through broadcasts, so that one of a scalar
/// stays one: extracting from a vector of all its copies would make them.
static Value rowOf(OpBuilder &builder, Location loc, Value value,
                   ArrayRef<int64_t> position) {
  auto type = cast<VectorType>(value.getType());
  auto extract = [&](Value from, ArrayRef<int64_t> at) -> Value {
    return at.empty() ? from
                      : vector::ExtractOp::create(builder, loc, from, at);
  };
  std::optional<Spread> spread = readSpread(value);
  size_t last = position.size();
  bool isRow = spread && (spread->repeats(last) ||
                          spread->dims[last] == spread->type().getRank() - 1);
  if (!isRow)
    return extract(value, position);
  SmallVector<int64_t> at = spread->place(position);
  if (!spread->repeats(last))
    return extract(spread->source, ArrayRef(at).drop_back());
  return vector::BroadcastOp::create(
      builder, loc,
      VectorType::get(type.getShape().back(), type.getElementType()),
      extract(spread->source, at));
}

/// Whether vectors of `lanes` words compute it, a row after the other.
static bool fits(const WordDot &dot, int64_t lanes) {
  auto type = cast<VectorType>(dot.sum.getType());
  auto words = cast<VectorType>(dot.left.getType());
  return words.getShape().back() == type.getShape().back() &&
         words.getNumElements() == type.getNumElements() &&
         type.getShape().back() % lanes == 0 && !type.isScalable() &&
         dot.format.bits == 32 && hasInstruction(dot.format);
}

static Value pieceOf(OpBuilder &builder, Location loc, Value row, int64_t first,
                     int64_t lanes) {
  return vector::ExtractStridedSliceOp::create(
      builder, loc, row, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{lanes},
      ArrayRef<int64_t>{1});
}

/// `sum` plus the dot products of a row's words.
static Value addRow(OpBuilder &builder, Location loc, const WordDot &row,
                    int64_t lanes) {
  auto size = cast<VectorType>(row.sum.getType()).getNumElements();
  if (size == lanes)
    return addDots(builder, loc, row.sum, row.left, row.right, row.format);
  Value result = row.sum;
  for (int64_t first = 0; first < size; first += lanes) {
    auto piece = [&](Value of) {
      return pieceOf(builder, loc, of, first, lanes);
    };
    Value sum = piece(row.sum), left = piece(row.left);
    result = vector::InsertStridedSliceOp::create(
        builder, loc,
        addDots(builder, loc, sum, left, piece(row.right), row.format), result,
        ArrayRef<int64_t>{first}, ArrayRef<int64_t>{1});
  }
  return result;
}

static Value addRows(OpBuilder &builder, Location loc, const WordDot &dot,
                     int64_t lanes) {
  auto type = cast<VectorType>(dot.sum.getType());
  auto words = cast<VectorType>(dot.left.getType());
  SmallVector<int64_t> rows = computeStrides(type.getShape().drop_back());
  SmallVector<int64_t> wordRows = computeStrides(words.getShape().drop_back());
  Value result = dot.sum;
  int64_t count = type.getNumElements() / type.getShape().back();
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<int64_t> at = delinearize(i, rows);
    SmallVector<int64_t> wordsAt = delinearize(i, wordRows);
    WordDot row{rowOf(builder, loc, dot.sum, at),
                rowOf(builder, loc, dot.left, wordsAt),
                rowOf(builder, loc, dot.right, wordsAt), dot.format};
    Value dots = addRow(builder, loc, row, lanes);
    result = at.empty()
                 ? dots
                 : vector::InsertOp::create(builder, loc, dots, result, at);
  }
  return result;
}

/// The expressions that nothing reads any more.
static void eraseDead(Operation *root) {
  SmallVector<Operation *> all;
  root->walk([&](Operation *op) { all.push_back(op); });
  // What is within an op comes before it; what it reads does too.
  for (Operation *op : llvm::reverse(all))
    if (op != root && op->getNumRegions() == 0 && isOpTriviallyDead(op))
      op->erase();
}

namespace {
struct LowerWordsPass : lh::impl::LowerWordsPassBase<LowerWordsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> sums;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::AddIOp, arith::AddFOp>(op) &&
          isa<VectorType>(op->getResult(0).getType()))
        sums.push_back(op);
    });
    bool changed = false;
    // One of a chain may have been lowered with those before it.
    for (Operation *op : sums)
      if (std::optional<WordDot> dot = readWordDot(op); dot && !op->use_empty())
        changed |= lowerToMatrixProducts(op, *dot) || rewrite(op, *dot);
    if (changed)
      eraseDead(getOperation());
  }

  bool rewrite(Operation *op, const WordDot &dot) {
    if (!fits(dot, bits / 32))
      return false;
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(
        addRows(builder, op->getLoc(), dot, bits / 32));
    return true;
  }
};
} // namespace
