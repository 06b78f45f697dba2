// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes in numbers: precision, flags, guards, constants.
#include "Sites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lh::mutation;

/// Operations that compute with floats.
static bool computes(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp,
              arith::ExtFOp, arith::TruncFOp>(op);
}

/// `type` with bfloat16 for its elements, if those are wider.
static Type narrowed(Type type) {
  FloatType number = floatOf(type);
  if (!number || number.getWidth() <= 16)
    return nullptr;
  Type narrow = BFloat16Type::get(type.getContext());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(narrow);
  return narrow;
}

void lh::mutation::downgradeToBfloat16(Operation *op, Sites &sites) {
  if (!computes(op) && !hasName(op, {"vector.contract", "vector.fma"}))
    return;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Type wide = op->getOperand(i).getType(), narrow = narrowed(wide);
    if (!narrow)
      continue;
    sites.push_back(
        {op, [=](OpBuilder &builder) {
           Location loc = op->getLoc();
           Value rounded =
               arith::TruncFOp::create(builder, loc, narrow, op->getOperand(i));
           op->setOperand(i,
                          arith::ExtFOp::create(builder, loc, wide, rounded));
           return "operand " + std::to_string(i) + " rounded to bfloat16";
         }});
  }
}

void lh::mutation::addFastMath(Operation *op, Sites &sites) {
  if (!computes(op) || !isa<arith::ArithFastMathInterface>(op))
    return;
  using Flags = arith::FastMathFlags;
  for (Flags flags : {Flags::reassoc, Flags::nnan, Flags::ninf, Flags::arcp,
                      Flags::contract, Flags::afn, Flags::fast})
    sites.push_back(
        {op, [=](OpBuilder &) {
           auto name =
               cast<arith::ArithFastMathInterface>(op).getFastMathAttrName();
           op->setAttr(name,
                       arith::FastMathFlagsAttr::get(op->getContext(), flags));
           return "fastmath<" + arith::stringifyFastMathFlags(flags) + ">";
         }});
}

/// `op` gives way to one of its operands.
static void bypass(Operation *op, unsigned operand, Sites &sites) {
  if (op->getOperand(operand).getType() == op->getResult(0).getType())
    sites.push_back({op, [=](OpBuilder &) {
                       op->getResult(0).replaceAllUsesWith(
                           op->getOperand(operand));
                       op->erase();
                       return "operand " + std::to_string(operand) +
                              " goes through unguarded";
                     }});
}

void lh::mutation::dropGuard(Operation *op, Sites &sites) {
  if (hasName(op, {"arith.maximumf", "arith.minimumf", "arith.maxnumf",
                   "arith.minnumf", "arith.maxsi", "arith.minsi", "arith.maxui",
                   "arith.minui", "llvm.intr.maximum", "llvm.intr.minimum",
                   "llvm.intr.smax", "llvm.intr.smin"}))
    bypass(op, 0, sites);
  if (hasName(op, {"arith.select", "llvm.select"})) {
    bypass(op, 1, sites);
    bypass(op, 2, sites);
  }
  // exp(x - max(x)) as exp(x).
  if (hasName(op, {"arith.subf"}) &&
      llvm::any_of(op->getUsers(),
                   [](Operation *user) { return isa<math::ExpOp>(user); }))
    bypass(op, 0, sites);
}

/// The constant's number, or that of all elements of a splat.
static Attribute numberOf(Attribute value) {
  auto splat = dyn_cast<SplatElementsAttr>(value);
  return splat ? splat.getSplatValue<Attribute>() : value;
}

using Replace = std::function<Attribute(Attribute)>;

/// Puts `replace` of the number (of the first element if they differ) in place.
static void setNumber(Operation *op, const Replace &replace) {
  Attribute value = op->getAttr("value");
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return op->setAttr("value", replace(value));
  SmallVector<Attribute> all(elements.getValues<Attribute>());
  if (elements.isSplat())
    all.assign(1, replace(all[0]));
  else
    all[all.size() / 2] = replace(all[all.size() / 2]);
  op->setAttr("value", DenseElementsAttr::get(elements.getType(), all));
}

static Attribute scaled(Attribute value, double factor, double term) {
  auto number = cast<FloatAttr>(value);
  return FloatAttr::get(number.getType(),
                        number.getValueAsDouble() * factor + term);
}

static Attribute nextAfter(Attribute value) {
  auto number = cast<FloatAttr>(value);
  APFloat next = number.getValue();
  next.next(/*nextDown=*/false);
  return FloatAttr::get(number.getType(), next);
}

static Attribute oneMore(Attribute value, int64_t delta) {
  auto number = cast<IntegerAttr>(value);
  return IntegerAttr::get(number.getType(), number.getValue() + delta);
}

/// An arith or LLVM constant of numbers; of booleans only as a splat.
static Attribute constantNumber(Operation *op) {
  if (!isa<arith::ConstantOp, LLVM::ConstantOp>(op))
    return nullptr;
  Attribute value = op->getAttr("value");
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (elements && elements.empty())
    return nullptr;
  if (elements && !elements.isSplat())
    return elements.getValues<Attribute>()[0];
  Attribute number = numberOf(value);
  return isa<FloatAttr, IntegerAttr>(number) ? number : nullptr;
}

void lh::mutation::changeConstant(Operation *op, Sites &sites) {
  Attribute number = constantNumber(op);
  if (!number)
    return;
  auto add = [&](std::string text, Replace replace) {
    sites.push_back({op, [=](OpBuilder &) {
                       setNumber(op, replace);
                       return text;
                     }});
  };
  if (isa<FloatAttr>(number)) {
    add("+ 1", [](Attribute old) { return scaled(old, 1, 1); });
    add("* (1 + 2^-10)",
        [](Attribute old) { return scaled(old, 1 + 0x1p-10, 0); });
  } else if (cast<IntegerAttr>(number).getType().isInteger(1)) {
    add("negated", [](Attribute old) { return oneMore(old, 1); });
  } else {
    add("+ 1", [](Attribute old) { return oneMore(old, 1); });
    add("- 1", [](Attribute old) { return oneMore(old, -1); });
  }
}

void lh::mutation::nudgeConstant(Operation *op, Sites &sites) {
  Attribute number = constantNumber(op);
  if (number && isa<FloatAttr>(number))
    sites.push_back({op, [=](OpBuilder &) {
                       setNumber(op, nextAfter);
                       return "the next larger number";
                     }});
}

void lh::mutation::shiftClamp(Operation *op, Sites &sites) {
  if (!hasName(op, {"arith.maximumf", "arith.minimumf", "arith.maxsi",
                    "arith.minsi", "arith.maxui", "arith.minui"}))
    return;
  for (unsigned i = 0; i < 2; ++i) {
    auto bound = op->getOperand(i).getDefiningOp<arith::ConstantOp>();
    if (!bound || !constantNumber(bound))
      continue;
    for (int delta : {-1, 1})
      sites.push_back({op, [=](OpBuilder &builder) {
                         Operation *other = builder.clone(*bound);
                         setNumber(other, [&](Attribute old) {
                           return isa<FloatAttr>(old) ? scaled(old, 1, delta)
                                                      : oneMore(old, delta);
                         });
                         op->setOperand(i, other->getResult(0));
                         return delta < 0 ? "bound - 1" : "bound + 1";
                       }});
  }
}
