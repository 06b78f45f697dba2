// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs whose sums come out right in their own order alone.
#include "steps/OrderedInputs.h"

#include "compiler/gaps/Marks.h"
#include "core/support/Diagnostic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>

using namespace lh;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;

/// With fewer there is nothing between the large terms and the end.
static constexpr int64_t fewestTerms = 3;

namespace {

/// An argument of the entry that a sum reads, and how its elements lie.
struct Term {
  mlir::BlockArgument input;
  int64_t axis = 0;
  int exponent = 0;
};

/// The only sum of a function. The questions are asked in the order of their
/// declaration; each failure leaves a reason.
class OrderedSum {
public:
  explicit OrderedSum(mlir::func::FuncOp function) : function(function) {}

  /// Fails with `reason` set.
  LogicalResult find();
  void mark();

  std::string reason;

private:
  LogicalResult fail(const llvm::Twine &why) {
    reason = why.str();
    return failure();
  }
  LogicalResult findOp();
  LogicalResult findDimension();
  LogicalResult findTerms();
  LogicalResult addTerm(mlir::Value factor);
  LogicalResult checkStart();
  LogicalResult chooseExponents(mlir::Type product, mlir::Type sum);

  mlir::func::FuncOp function;
  linalg::LinalgOp op;
  unsigned dimension = 0;
  llvm::SmallVector<Term> terms;
};

} // namespace

static bool isFloatReduction(linalg::LinalgOp op) {
  return op.getNumReductionLoops() > 0 &&
         mlir::isa<mlir::FloatType>(
             mlir::getElementTypeOrSelf(op->getResultTypes().front()));
}

LogicalResult OrderedSum::findOp() {
  unsigned count = 0;
  function.walk([&](linalg::LinalgOp candidate) {
    if (candidate->getNumResults() == 0 || !isFloatReduction(candidate))
      return;
    op = candidate;
    ++count;
  });
  if (count != 1 || op->getParentOp() != function || op->getNumResults() != 1)
    return fail("the model has " + llvm::Twine(count) +
                " reductions; ordered inputs are made for one, outside of "
                "loops");
  return success();
}

LogicalResult OrderedSum::findDimension() {
  unsigned count = 0;
  int64_t size = 0;
  llvm::SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (auto [index, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != mlir::utils::IteratorType::reduction || sizes[index] == 1)
      continue;
    ++count;
    dimension = static_cast<unsigned>(index);
    size = sizes[index];
  }
  // Of several dimensions no order is the natural one.
  if (count != 1 || mlir::ShapedType::isDynamic(size) || size < fewestTerms)
    return fail("the sum is not over one dimension of " +
                llvm::Twine(fewestTerms) + " or more elements");
  return success();
}

static mlir::Value withoutCasts(mlir::Value value) {
  mlir::Operation *cast = value.getDefiningOp();
  return mlir::isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(cast)
             ? cast->getOperand(0)
             : value;
}

LogicalResult OrderedSum::findTerms() {
  mlir::Block *body = op.getBlock();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  mlir::Value accumulator = op.getRegionOutputArgs().front();
  if (!sum || !accumulator.hasOneUse() ||
      !llvm::is_contained(sum->getOperands(), accumulator))
    return fail("'" + op->getName().getStringRef() + "' is no sum");
  mlir::Value added = sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs();
  auto product = added.getDefiningOp<arith::MulFOp>();
  LogicalResult found = product
                            ? success(succeeded(addTerm(product.getLhs())) &&
                                      succeeded(addTerm(product.getRhs())))
                            : addTerm(added);
  if (failed(found))
    return failure();
  if (terms.size() == 2 && terms[0].input == terms[1].input)
    return fail("both factors are one input");
  return chooseExponents(added.getType(), sum.getType());
}

/// `factor` is an element of an input that nothing else reads, at a place that
/// the summed dimension alone decides along one axis.
LogicalResult OrderedSum::addTerm(mlir::Value factor) {
  auto element = mlir::dyn_cast<mlir::BlockArgument>(withoutCasts(factor));
  if (!element || element.getOwner() != op.getBlock() ||
      element.getArgNumber() >= op->getNumOperands())
    return fail("the sum's terms are computed, not read");
  mlir::OpOperand &operand = op->getOpOperand(element.getArgNumber());
  auto input = mlir::dyn_cast<mlir::BlockArgument>(operand.get());
  if (!input || !function.getArgAttr(input.getArgNumber(), exactMark) ||
      !input.hasOneUse())
    return fail("the sum's terms don't come straight from the inputs");
  auto results = op.getMatchingIndexingMap(&operand).getResults();
  mlir::AffineExpr wanted =
      mlir::getAffineDimExpr(dimension, function.getContext());
  auto reads = [&](mlir::AffineExpr expression) {
    return expression.isFunctionOfDim(dimension);
  };
  const auto *found = llvm::find(results, wanted);
  if (found == results.end() || llvm::count_if(results, reads) != 1)
    return fail("the sum's dimension is not an axis of its inputs");
  terms.push_back({input, found - results.begin(), 0});
  return success();
}

LogicalResult OrderedSum::checkStart() {
  mlir::Value init = op.getDpsInits().front();
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getInputs().front();
  if (mlir::matchPattern(init, mlir::m_AnyZeroFloat()))
    return success();
  return fail("the sum doesn't start at zero");
}

static int largestExponent(mlir::Type type) {
  return llvm::APFloat::semanticsMaxExponent(
      mlir::cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type))
          .getFloatSemantics());
}

/// Large enough to hide all other terms, where the types allow it; at least so
/// large that the others lose bits.
LogicalResult OrderedSum::chooseExponents(mlir::Type product, mlir::Type sum) {
  int precision = static_cast<int>(llvm::APFloat::semanticsPrecision(
      mlir::cast<mlir::FloatType>(sum).getFloatSemantics()));
  int wanted = std::min(
      {2 * precision, largestExponent(sum) - 2, largestExponent(product) - 2});
  int left = wanted;
  for (Term &term : terms) {
    term.exponent = std::min(left, largestExponent(term.input.getType()) - 1);
    left -= term.exponent;
  }
  if (wanted - left < precision)
    return fail("the types hold no numbers that hide the others");
  return success();
}

LogicalResult OrderedSum::find() {
  return success(succeeded(findOp()) && succeeded(findDimension()) &&
                 succeeded(findTerms()) && succeeded(checkStart()));
}

void OrderedSum::mark() {
  int64_t sign = -1; // in one factor of each product
  for (const Term &term : terms) {
    mlir::Builder builder(function.getContext());
    function.setArgAttr(
        term.input.getArgNumber(), orderedMark,
        builder.getI64ArrayAttr({term.axis, term.exponent, sign}));
    sign = 1;
  }
}

void lh::markOrderedInputs(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal() || !main.isPublic())
    return;
  module->removeAttr(unorderedMark);
  OrderedSum sum(main);
  if (module->hasAttr(inexactMark))
    sum.reason = "no range of integers is exact";
  else if (succeeded(sum.find()))
    return sum.mark();
  module->setAttr(unorderedMark,
                  mlir::StringAttr::get(module.getContext(), sum.reason));
}
