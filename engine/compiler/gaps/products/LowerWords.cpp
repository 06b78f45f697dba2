// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dot products of words on vectors become the CPU's instructions for them. No
// x86vector op makes vpdpbusd, and that for bf16 takes its operands in a form
// that a schedule of one register tile for all types doesn't have.
#include "compiler/gaps/products/MatrixWords.h"
#include "compiler/gaps/products/WordDots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lh {
#define GEN_PASS_DECL_LOWERWORDSPASS
#define GEN_PASS_DEF_LOWERWORDSPASS
#include "compiler/gaps/products/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// Whether vectors of `lanes` words compute it, a row after the other.
static bool fits(const WordDot &dot, int64_t lanes) {
  auto type = cast<VectorType>(dot.sum.getType());
  auto words = cast<VectorType>(dot.left.getType());
  return words.getShape().back() == type.getShape().back() &&
         words.getNumElements() == type.getNumElements() &&
         type.getShape().back() % lanes == 0 && !type.isScalable() &&
         dot.format.bits == 32 && hasInstruction(dot.format);
}

/// `sum` plus the dot products of a row's words.
static Value addRow(OpBuilder &builder, Location loc, const WordDot &row,
                    int64_t lanes) {
  auto size = cast<VectorType>(row.sum.getType()).getNumElements();
  Value result = row.sum;
  for (int64_t first = 0; first < size; first += lanes) {
    auto piece = [&](Value of) {
      return builder.createOrFold<vector::ExtractStridedSliceOp>(
          loc, of, ArrayRef(first), ArrayRef(lanes), ArrayRef<int64_t>{1});
    };
    Value sum = piece(row.sum), left = piece(row.left);
    result = builder.createOrFold<vector::InsertStridedSliceOp>(
        loc, addDots(builder, loc, sum, left, piece(row.right), row.format),
        result, ArrayRef(first), ArrayRef<int64_t>{1});
  }
  return result;
}

static Value addRows(OpBuilder &builder, Location loc, const WordDot &dot,
                     int64_t lanes) {
  auto type = cast<VectorType>(dot.sum.getType());
  auto words = cast<VectorType>(dot.left.getType());
  Value result = dot.sum;
  for (int64_t i = 0; i < type.getNumElements() / type.getShape().back(); ++i) {
    SmallVector<int64_t> at = placeOf(i, type), wordsAt = placeOf(i, words);
    WordDot row{rowOf(builder, loc, dot.sum, at),
                rowOf(builder, loc, dot.left, wordsAt),
                rowOf(builder, loc, dot.right, wordsAt), dot.format};
    result = builder.createOrFold<vector::InsertOp>(
        loc, addRow(builder, loc, row, lanes), result, at);
  }
  return result;
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
    bool changed = lowerToMatrixProducts(sums);
    for (Operation *op : sums)
      if (std::optional<WordDot> dot = readWordDot(op))
        changed |= rewrite(op, *dot);
    if (!changed)
      return;
    // Expressions that nothing reads any more, and what loops carried.
    RewritePatternSet patterns(&getContext());
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
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
