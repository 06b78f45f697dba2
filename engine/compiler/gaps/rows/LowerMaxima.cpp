// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maxima and minima of vectors, with NaNs looked for beside them.
#include "compiler/gaps/rows/Extremes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_LOWERMAXIMAPASS
#define GEN_PASS_DEF_LOWERMAXIMAPASS
#include "compiler/gaps/rows/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// Whether the op is a maximum or minimum that is NaN when a number is, of f32
/// or f64 in vectors.
static bool isExtremum(Operation *op) {
  if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return false;
  Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
  return isa<VectorType>(type) && (element.isF32() || element.isF64());
}

/// Whether nothing but an extremum of its kind in its block uses the op.
static bool isPartOfAnother(Operation *op) {
  if (!op->hasOneUse())
    return false;
  Operation *user = *op->user_begin();
  return user->getName() == op->getName() && user->getBlock() == op->getBlock();
}

/// The number in all lanes, if it is one.
static std::optional<APFloat> constantOf(Value value) {
  DenseFPElementsAttr numbers;
  if (!matchPattern(value, m_Constant(&numbers)) || !numbers.isSplat() ||
      numbers.getSplatValue<APFloat>().isNaN())
    return std::nullopt;
  return numbers.getSplatValue<APFloat>();
}

namespace {
/// What the extremum `root` and those that are a part of it are taken of.
struct Extremum {
  Operation *root;
  bool isMaximum = isa<arith::MaximumFOp>(root);
  SmallVector<Value> numbers, constants;

  explicit Extremum(Operation *root) : root(root) {
    add(root);
    // Every number is better than one of the infinities.
    llvm::erase_if(constants, [&](Value value) {
      APFloat number = *constantOf(value);
      return number.isInfinity() && number.isNegative() == isMaximum;
    });
  }

  void add(Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *part = operand.getDefiningOp();
      if (part && isExtremum(part) && part->getName() == root->getName() &&
          isPartOfAnother(part))
        add(part);
      else
        (constantOf(operand) ? constants : numbers).push_back(operand);
    }
  }

  Value lower(OpBuilder &b) const {
    if (numbers.empty())
      return nullptr;
    ArrayRef<Value> others = ArrayRef(numbers).drop_front();
    Value best = numbers.front(); // where it is NaN, it stays
    for (Value one : llvm::concat<const Value>(others, constants))
      best = lh::selectBetter(b, root->getLoc(), isMaximum, one, best);
    Value any = lh::findNaNs(b, root->getLoc(), others);
    if (!any)
      return best;
    auto type = cast<VectorType>(best.getType());
    auto element = cast<FloatType>(type.getElementType());
    Value none = arith::ConstantOp::create(
        b, root->getLoc(),
        DenseElementsAttr::get(type,
                               APFloat::getNaN(element.getFloatSemantics())));
    return arith::SelectOp::create(b, root->getLoc(), any, none, best);
  }
};

struct LowerMaximaPass : lh::impl::LowerMaximaPassBase<LowerMaximaPass> {
  void runOnOperation() override {
    SmallVector<Operation *> roots;
    getOperation()->walk([&](Operation *op) {
      if (isExtremum(op) && !isPartOfAnother(op))
        roots.push_back(op);
    });
    for (Operation *root : roots) {
      OpBuilder builder(root);
      if (Value lowered = Extremum(root).lower(builder))
        erase(root, lowered);
    }
  }

  /// With the parts that only it used.
  static void erase(Operation *root, Value lowered) {
    root->replaceAllUsesWith(ValueRange(lowered));
    SmallVector<Operation *> unused{root};
    while (!unused.empty()) {
      Operation *op = unused.pop_back_val();
      SmallVector<Value> operands(op->getOperands());
      op->erase();
      for (Value operand : operands)
        if (Operation *part = operand.getDefiningOp();
            part && isExtremum(part) && part->use_empty())
          unused.push_back(part);
    }
  }
};
} // namespace
