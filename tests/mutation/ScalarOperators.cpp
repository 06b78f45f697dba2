// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes in single operations: the wrong one, or the right one turned round.
#include "Sites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lh::mutation;

using Pair = std::pair<StringRef, StringRef>;

/// Each pair's first becomes its second.
static void replaceKinds(Operation *op, ArrayRef<Pair> pairs, Sites &sites) {
  for (auto [from, to] : pairs) {
    if (op->getName().getStringRef() != from)
      continue;
    std::string kind = to.str();
    sites.push_back({op, [=](OpBuilder &builder) {
                       replaceByKind(builder, op, kind);
                       return kind + " instead";
                     }});
  }
}

void lh::mutation::swapOperands(Operation *op, Sites &sites) {
  auto swap = [&](unsigned i, unsigned j) {
    if (op->getNumOperands() <= j ||
        op->getOperand(i).getType() != op->getOperand(j).getType() ||
        op->getOperand(i) == op->getOperand(j))
      return;
    sites.push_back({op, [=](OpBuilder &) {
                       Value first = op->getOperand(i);
                       op->setOperand(i, op->getOperand(j));
                       op->setOperand(j, first);
                       return "operands " + std::to_string(i) + " and " +
                              std::to_string(j) + " swapped";
                     }});
  };
  if (hasName(op, {"arith.subf",       "arith.divf",      "arith.remf",
                   "arith.subi",       "arith.divsi",     "arith.divui",
                   "arith.floordivsi", "arith.ceildivsi", "arith.remsi",
                   "arith.remui",      "arith.shli",      "arith.shrsi",
                   "arith.shrui",      "arith.cmpf",      "arith.cmpi",
                   "math.powf",        "math.atan2",      "math.copysign",
                   "vector.contract",  "llvm.fsub",       "llvm.fdiv",
                   "llvm.sub",         "llvm.sdiv",       "llvm.shl",
                   "llvm.icmp",        "llvm.fcmp"}))
    swap(0, 1);
  if (hasName(op, {"arith.select", "llvm.select", "vector.fma"}))
    swap(1, 2);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (structured && structured.getNumDpsInputs() == 2)
    swap(0, 1);
}

void lh::mutation::roundOtherwise(Operation *op, Sites &sites) {
  replaceKinds(op,
               {{"math.roundeven", "math.round"},
                {"math.roundeven", "math.floor"},
                {"math.roundeven", "math.trunc"},
                {"math.round", "math.roundeven"},
                {"math.floor", "math.trunc"},
                {"math.floor", "math.roundeven"},
                {"math.ceil", "math.trunc"},
                {"math.trunc", "math.floor"},
                {"arith.floordivsi", "arith.divsi"},
                {"arith.divsi", "arith.floordivsi"},
                {"arith.ceildivsi", "arith.divsi"},
                {"llvm.intr.roundeven", "llvm.intr.round"},
                {"llvm.intr.floor", "llvm.intr.trunc"}},
               sites);
  if (!hasName(op, {"arith.fptosi", "arith.fptoui"}))
    return;
  for (StringRef kind : {"math.roundeven", "math.floor"})
    sites.push_back({op, [=](OpBuilder &builder) {
                       Value in = op->getOperand(0);
                       OperationState state(op->getLoc(), kind, {in},
                                            {in.getType()});
                       op->setOperand(0, builder.create(state)->getResult(0));
                       return kind.str() + " before the cast";
                     }});
}

static void negateOperand(Operation *op, unsigned operand, Sites &sites) {
  sites.push_back({op, [=](OpBuilder &builder) {
                     op->setOperand(operand, arith::NegFOp::create(
                                                 builder, op->getLoc(),
                                                 op->getOperand(operand)));
                     return "operand " + std::to_string(operand) + " negated";
                   }});
}

void lh::mutation::flipSign(Operation *op, Sites &sites) {
  replaceKinds(op,
               {{"arith.addf", "arith.subf"},
                {"arith.subf", "arith.addf"},
                {"arith.addi", "arith.subi"},
                {"arith.subi", "arith.addi"},
                {"arith.maximumf", "arith.minimumf"},
                {"arith.minimumf", "arith.maximumf"},
                {"arith.maxsi", "arith.minsi"},
                {"arith.minsi", "arith.maxsi"},
                {"arith.maxui", "arith.minui"},
                {"llvm.fadd", "llvm.fsub"},
                {"llvm.fsub", "llvm.fadd"},
                {"llvm.add", "llvm.sub"},
                {"llvm.sub", "llvm.add"}},
               sites);
  if (hasName(op, {"arith.mulf", "arith.divf", "vector.fma", "math.fma",
                   "math.exp"}))
    negateOperand(op, 0, sites);
  if (hasName(op, {"arith.negf"}))
    sites.push_back({op, [=](OpBuilder &) {
                       op->getResult(0).replaceAllUsesWith(op->getOperand(0));
                       op->erase();
                       return "not negated";
                     }});
}

/// maximumf hands NaN on, maxnumf drops it.
static std::optional<vector::CombiningKind>
withoutNan(vector::CombiningKind kind) {
  if (kind == vector::CombiningKind::MAXIMUMF)
    return vector::CombiningKind::MAXNUMF;
  if (kind == vector::CombiningKind::MINIMUMF)
    return vector::CombiningKind::MINNUMF;
  return std::nullopt;
}

static void skipNanInReduction(Operation *op, Sites &sites) {
  auto kind = op->getAttrOfType<vector::CombiningKindAttr>("kind");
  if (!kind)
    return;
  if (std::optional<vector::CombiningKind> other = withoutNan(kind.getValue()))
    sites.push_back({op, [=](OpBuilder &) {
                       op->setAttr("kind", vector::CombiningKindAttr::get(
                                               op->getContext(), *other));
                       return "the reduction skips NaN";
                     }});
}

/// Ordered becomes unordered and the reverse: bit 3 of the enumeration.
static void flipOrdered(arith::CmpFOp op, Sites &sites) {
  auto predicate = uint64_t(op.getPredicate());
  if (predicate == 0 || predicate == 7 || predicate == 8 || predicate == 15)
    return;
  sites.push_back({op, [=](OpBuilder &) mutable {
                     auto other = arith::CmpFPredicate(
                         predicate < 8 ? predicate + 7 : predicate - 7);
                     op.setPredicate(other);
                     return arith::stringifyCmpFPredicate(other).str() +
                            " instead";
                   }});
}

void lh::mutation::skipNan(Operation *op, Sites &sites) {
  replaceKinds(op,
               {{"arith.maximumf", "arith.maxnumf"},
                {"arith.minimumf", "arith.minnumf"},
                {"llvm.intr.maximum", "llvm.intr.maxnum"},
                {"llvm.intr.minimum", "llvm.intr.minnum"}},
               sites);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    flipOrdered(compare, sites);
  if (isa<vector::ReductionOp, vector::MultiDimReductionOp>(op))
    skipNanInReduction(op, sites);
}

template <typename Predicate>
static void flip(Operation *op, StringRef attribute, Predicate from,
                 ArrayRef<std::pair<Predicate, Predicate>> pairs,
                 function_ref<Attribute(Predicate)> toAttribute,
                 function_ref<StringRef(Predicate)> toText, Sites &sites) {
  for (auto [first, second] : pairs) {
    if (from != first && from != second)
      continue;
    Predicate to = from == first ? second : first;
    Attribute value = toAttribute(to);
    std::string name = attribute.str(), text = toText(to).str();
    sites.push_back({op, [=](OpBuilder &) {
                       op->setAttr(name, value);
                       return text + " instead";
                     }});
  }
}

void lh::mutation::flipPredicate(Operation *op, Sites &sites) {
  MLIRContext *context = op->getContext();
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    using P = arith::CmpFPredicate;
    flip<P>(
        op, "predicate", compare.getPredicate(),
        {{P::OLT, P::OLE},
         {P::OGT, P::OGE},
         {P::ULT, P::ULE},
         {P::UGT, P::UGE},
         {P::OEQ, P::ONE},
         {P::UEQ, P::UNE}},
        [&](P to) { return arith::CmpFPredicateAttr::get(context, to); },
        arith::stringifyCmpFPredicate, sites);
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    flip<P>(
        op, "predicate", compare.getPredicate(),
        {{P::slt, P::sle},
         {P::sgt, P::sge},
         {P::ult, P::ule},
         {P::ugt, P::uge},
         {P::eq, P::ne}},
        [&](P to) { return arith::CmpIPredicateAttr::get(context, to); },
        arith::stringifyCmpIPredicate, sites);
  }
  if (auto compare = dyn_cast<LLVM::ICmpOp>(op)) {
    using P = LLVM::ICmpPredicate;
    flip<P>(
        op, "predicate", compare.getPredicate(),
        {{P::slt, P::sle}, {P::sgt, P::sge}, {P::eq, P::ne}},
        [&](P to) { return LLVM::ICmpPredicateAttr::get(context, to); },
        LLVM::stringifyICmpPredicate, sites);
  }
}

void lh::mutation::confuseSigns(Operation *op, Sites &sites) {
  static constexpr StringRef names[][2] = {
      {"extsi", "extui"}, {"sitofp", "uitofp"}, {"fptosi", "fptoui"},
      {"divsi", "divui"}, {"shrsi", "shrui"},   {"remsi", "remui"},
      {"maxsi", "maxui"}, {"minsi", "minui"},   {"index_cast", "index_castui"}};
  for (auto [first, second] : names)
    replaceKinds(op,
                 {{"arith." + first.str(), "arith." + second.str()},
                  {"arith." + second.str(), "arith." + first.str()}},
                 sites);
  replaceKinds(op,
               {{"llvm.sext", "llvm.zext"},
                {"llvm.zext", "llvm.sext"},
                {"llvm.sitofp", "llvm.uitofp"},
                {"llvm.uitofp", "llvm.sitofp"},
                {"llvm.ashr", "llvm.lshr"},
                {"llvm.lshr", "llvm.ashr"}},
               sites);
}

void lh::mutation::packBool(Operation *op, Sites &sites) {
  auto isBool = [](Type type) {
    return getElementTypeOrSelf(type).isInteger(1);
  };
  // True as all bits set.
  if (hasName(op, {"arith.extui", "llvm.zext"}) &&
      isBool(op->getOperand(0).getType()))
    replaceKinds(op,
                 {{"arith.extui", "arith.extsi"}, {"llvm.zext", "llvm.sext"}},
                 sites);
  // True by the lowest bit alone.
  auto compare = dyn_cast<arith::CmpIOp>(op);
  auto zero =
      compare ? compare.getRhs().getDefiningOp<arith::ConstantOp>() : nullptr;
  if (!zero || compare.getPredicate() != arith::CmpIPredicate::ne ||
      zero.getValue() != Builder(op).getZeroAttr(zero.getType()))
    return;
  sites.push_back({op, [=](OpBuilder &builder) mutable {
                     Value bit = arith::TruncIOp::create(
                         builder, op->getLoc(), op->getResult(0).getType(),
                         compare.getLhs());
                     op->getResult(0).replaceAllUsesWith(bit);
                     op->erase();
                     return "only the lowest bit is looked at";
                   }});
}
