// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maxima and minima of vectors, with NaNs looked for beside them.
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
    // With the infinity that every number is better than there is nothing to
    // do.
    if (numbers.empty())
      return;
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

  /// A NaN is never better, and what is best so far stays when it is one: one
  /// instruction of x86's.
  Value better(OpBuilder &b, Value one, Value best) const {
    auto predicate =
        isMaximum ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    Value isBetter =
        arith::CmpFOp::create(b, root->getLoc(), predicate, one, best);
    return arith::SelectOp::create(b, root->getLoc(), isBetter, one, best);
  }

  /// Lanes where one of them is NaN, two in one comparison; null for none.
  Value areNaN(OpBuilder &b, ArrayRef<Value> numbers) const {
    Value any;
    for (size_t i = 0; i < numbers.size(); i += 2) {
      Value these = arith::CmpFOp::create(
          b, root->getLoc(), arith::CmpFPredicate::UNO, numbers[i],
          numbers[std::min(i + 1, numbers.size() - 1)]);
      any = any ? arith::OrIOp::create(b, root->getLoc(), any, these) : these;
    }
    return any;
  }

  Value lower(OpBuilder &b) const {
    if (numbers.empty())
      return nullptr;
    Value best = numbers.front();
    for (Value one : ArrayRef(numbers).drop_front())
      best = better(b, one, best);
    for (Value one : constants)
      best = better(b, one, best);
    Value any = areNaN(b, ArrayRef(numbers).drop_front());
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
