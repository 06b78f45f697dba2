// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognizes bias and activation functions in the bodies of elementwise ops.
#include "compiler/gaps/products/Epilogues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace lh;
using namespace mlir;

/// The number that `value` always is, rounded to double.
static std::optional<double> constantOf(Value value) {
  APFloat number(0.0);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  bool losesInfo = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

static bool isZeroNumber(Value value) { return constantOf(value) == 0.0; }

static double rounded(double number, const llvm::fltSemantics &type) {
  APFloat value(number);
  bool losesInfo = false;
  value.convert(type, APFloat::rmNearestTiesToEven, &losesInfo);
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// Whether it is `number`, or that rounded to a type that a model may have had
/// it in.
static bool isRounded(Value value, double number) {
  std::optional<double> constant = constantOf(value);
  return constant &&
         (*constant == number ||
          llvm::any_of(ArrayRef{&APFloat::IEEEsingle(), &APFloat::IEEEhalf(),
                                &APFloat::BFloat()},
                       [&](const llvm::fltSemantics *type) {
                         return *constant == rounded(number, *type);
                       }));
}

/// The two operands of an op of this kind; nothing for another op.
template <typename Op>
static std::optional<std::pair<Value, Value>> operandsOf(Value value) {
  auto op = value.getDefiningOp<Op>();
  if (!op)
    return std::nullopt;
  return std::pair(op->getOperand(0), op->getOperand(1));
}

/// The operand beside one that `isOther` holds for.
template <typename Op, typename Predicate>
static Value beside(Value value, Predicate isOther) {
  auto operands = operandsOf<Op>(value);
  if (!operands)
    return {};
  if (isOther(operands->second))
    return operands->first;
  return isOther(operands->first) ? operands->second : Value();
}

/// Whether the comparison of x with 0 holds for NaN.
static bool holdsForNan(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  return llvm::is_contained({P::UGT, P::UGE, P::ULT, P::ULE}, predicate);
}

/// Whether it asks if x is above 0, rather than below.
static bool asksAbove(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  return llvm::is_contained({P::UGT, P::UGE, P::OGT, P::OGE}, predicate);
}

static bool asksBelow(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  return llvm::is_contained({P::ULT, P::ULE, P::OLT, P::OLE}, predicate);
}

/// The x of `x above 0 ? x : 0` and of `x below 0 ? 0 : x`, if NaN stays.
static Value operandOfSelect(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare)
    return {};
  bool zeroFirst = isZeroNumber(compare.getLhs());
  Value x = zeroFirst ? compare.getRhs() : compare.getLhs();
  if (!zeroFirst && !isZeroNumber(compare.getRhs()))
    return {};
  arith::CmpFPredicate predicate = compare.getPredicate();
  bool above = zeroFirst ? asksBelow(predicate) : asksAbove(predicate);
  bool below = zeroFirst ? asksAbove(predicate) : asksBelow(predicate);
  Value kept = above ? select.getTrueValue() : select.getFalseValue();
  Value other = above ? select.getFalseValue() : select.getTrueValue();
  bool keepsNan = holdsForNan(predicate) == above;
  return (above || below) && keepsNan && kept == x && isZeroNumber(other)
             ? x
             : Value();
}

/// Whether no number lies above it. The largest finite one is another bound: a
/// clamp to it makes that of infinity.
static bool isInfinity(Value value) {
  return constantOf(value) == std::numeric_limits<double>::infinity();
}

static Value operandOfRelu(Value value) {
  if (Value bounded = beside<arith::MinimumFOp>(value, isInfinity))
    return operandOfRelu(bounded);
  if (Value x = beside<arith::MaximumFOp>(value, isZeroNumber))
    return x;
  return operandOfSelect(value);
}

/// All factors of a product.
static void factorsOf(Value value, SmallVectorImpl<Value> &factors) {
  if (auto operands = operandsOf<arith::MulFOp>(value)) {
    factorsOf(operands->first, factors);
    factorsOf(operands->second, factors);
  } else {
    factors.push_back(value);
  }
}

/// The x of `1 + erf(x / sqrt 2)`.
static Value operandOfErfTerm(Value value) {
  Value erf = beside<arith::AddFOp>(
      value, [](Value other) { return isRounded(other, 1.0); });
  auto call = erf ? erf.getDefiningOp<math::ErfOp>() : nullptr;
  if (!call)
    return {};
  Value scaled = call.getOperand();
  if (Value x = beside<arith::MulFOp>(
          scaled, [](Value other) { return isRounded(other, M_SQRT1_2); }))
    return x;
  auto quotient = operandsOf<arith::DivFOp>(scaled);
  return quotient && isRounded(quotient->second, M_SQRT2) ? quotient->first
                                                          : Value();
}

/// x, one half and the term of `erf`, multiplied in any order.
static Value operandOfGelu(Value value) {
  SmallVector<Value> factors;
  factorsOf(value, factors);
  Value x, term;
  bool hasHalf = false;
  for (Value factor : factors) {
    Value inner = operandOfErfTerm(factor);
    if (inner && !term)
      term = inner;
    else if (!hasHalf && isRounded(factor, 0.5))
      hasHalf = true;
    else if (!x)
      x = factor;
    else
      return {};
  }
  return hasHalf && x && x == term ? x : Value();
}

/// The x of `1 + exp(-x)`.
static Value operandOfExpTerm(Value value) {
  Value exp = beside<arith::AddFOp>(
      value, [](Value other) { return isRounded(other, 1.0); });
  auto call = exp ? exp.getDefiningOp<math::ExpOp>() : nullptr;
  auto negation =
      call ? call.getOperand().getDefiningOp<arith::NegFOp>() : nullptr;
  return negation ? negation.getOperand() : Value();
}

/// `x / (1 + exp(-x))`, or x times the inverse.
static Value operandOfSilu(Value value) {
  if (auto quotient = operandsOf<arith::DivFOp>(value))
    return operandOfExpTerm(quotient->second) == quotient->first
               ? quotient->first
               : Value();
  auto factors = operandsOf<arith::MulFOp>(value);
  if (!factors)
    return {};
  for (auto [x, inverse] :
       {*factors, std::pair(factors->second, factors->first)}) {
    auto quotient = operandsOf<arith::DivFOp>(inverse);
    if (quotient && isRounded(quotient->first, 1.0) &&
        operandOfExpTerm(quotient->second) == x)
      return x;
  }
  return {};
}

namespace {
struct Activation {
  StringRef name;
  Value (*operandOf)(Value);
};
} // namespace

static constexpr Activation activations[] = {
    {"relu", operandOfRelu}, {"gelu", operandOfGelu}, {"silu", operandOfSilu}};

/// The input that gives each column its number; null where `value` is none.
static Value biasOf(linalg::GenericOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return {};
  AffineMap map = op.getIndexingMapsArray()[argument.getArgNumber()];
  bool byColumn = map.getNumResults() == 1 &&
                  map.getResult(0) ==
                      getAffineDimExpr(op.getNumLoops() - 1, op.getContext());
  return byColumn ? op.getDpsInputs()[argument.getArgNumber()] : Value();
}

std::optional<Epilogue> lh::epilogueOf(linalg::GenericOp op, unsigned sums) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
      !maps[sums].isIdentity() || !maps.back().isIdentity())
    return std::nullopt;
  Value sum = op.getBlock()->getArgument(sums);
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  std::string activation;
  for (const Activation &each : activations)
    if (Value x = each.operandOf(value)) {
      activation = each.name;
      value = x;
      break;
    }
  if (value == sum && !activation.empty())
    return Epilogue{activation, {}};
  Value added =
      beside<arith::AddFOp>(value, [&](Value other) { return other == sum; });
  Value bias = added ? biasOf(op, added) : Value();
  if (!bias)
    return std::nullopt;
  return Epilogue{activation.empty() ? "bias" : "bias-" + activation, bias};
}
