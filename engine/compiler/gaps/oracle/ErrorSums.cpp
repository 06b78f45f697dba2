// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over reduction loops; docs/numerics.md, "Derived bounds".
#include "compiler/gaps/oracle/ErrorSums.h"
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/oracle/StoredTerms.h"
#include "core/numerics/Winograd.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace lh;
using Predicate = ErrorAlgebra::Predicate;

/// The likely error of a sum of K numbers is `likelihood` sqrt(K) u.
static constexpr double likelihood = 4;

/// From here on K u is so large that roundings no longer cancel out: added to
/// a large sum, small terms of one sign are all rounded alike.
static constexpr double stagnation = 0.125;

std::optional<ErrorSum> lh::findSum(linalg::GenericOp op,
                                    BlockArgument argument, unsigned output) {
  ErrorSum sum;
  sum.type = dyn_cast<FloatType>(argument.getType());
  if (!sum.type || op.getNumReductionLoops() == 0)
    return std::nullopt;
  Value soFar = argument;
  Operation *yield = op.getBody()->getTerminator();
  Value end = yield->getOperand(output);
  while (soFar != end) {
    if (!soFar.hasOneUse())
      return std::nullopt;
    Operation *user = *soFar.user_begin();
    bool first = user->getOperand(0) == soFar;
    if (!isa<arith::AddFOp>(user) && !(isa<arith::SubFOp>(user) && first))
      return std::nullopt;
    sum.subtracts |= isa<arith::SubFOp>(user);
    sum.terms.push_back(user->getOperand(first ? 1 : 0));
    sum.whole.push_back(user);
    soFar = user->getResult(0);
  }
  if (sum.terms.empty() || !end.hasOneUse())
    return std::nullopt;
  return sum;
}

unsigned char lh::factsOf(const ErrorSum &sum, const ErrorState &state) {
  unsigned char facts = sum.facts;
  for (Value term : sum.terms)
    facts &= state.facts.lookup(term);
  return sum.subtracts ? facts & Integral : facts;
}

/// Whether a value is zero all over.
static bool isZeroAllOver(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  return matchPattern(value, m_AnyZeroFloat());
}

/// What a factor was before it was extended.
static Value beforeExtension(Value factor) {
  auto extension = factor.getDefiningOp<arith::ExtFOp>();
  return extension ? extension.getIn() : factor;
}

/// The largest relative error by rounding the factors of a product to the
/// type that the target multiplies in.
static double factorError(Operation *product, const ErrorModel &model) {
  double error = 1;
  for (Value factor : product->getOperands()) {
    auto type = cast<FloatType>(beforeExtension(factor).getType());
    if (precisionOf(type).bits > model.operandBits)
      error *= 1 + model.operandUnit;
  }
  return error - 1;
}

/// Whether nothing that the op's body reads has an error.
static bool readsExactly(linalg::GenericOp op, const ErrorState &state) {
  auto isExact = [&](Value value) { return !state.errorOf(value); };
  return llvm::all_of(op->getOperands(), isExact) &&
         !op->walk([&](Operation *inner) {
              return llvm::all_of(inner->getOperands(), isExact)
                         ? WalkResult::advance()
                         : WalkResult::interrupt();
            }).wasInterrupted();
}

/// Both windows of a two-dimensional convolution of stride 1 are as declared.
static bool isWindowed(linalg::GenericOp op, unsigned window) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  unsigned windows = 0;
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expression : map.getResults()) {
      auto sum = dyn_cast<AffineBinaryOpExpr>(expression);
      if (!sum)
        continue;
      auto left = dyn_cast<AffineDimExpr>(sum.getLHS());
      auto right = dyn_cast<AffineDimExpr>(sum.getRHS());
      if (sum.getKind() != AffineExprKind::Add || !left || !right)
        return false;
      auto iterators = op.getIteratorTypesArray();
      bool reducesLeft =
          iterators[left.getPosition()] == utils::IteratorType::reduction;
      unsigned reduced = (reducesLeft ? left : right).getPosition();
      if (extents[reduced] != static_cast<int64_t>(window))
        return false;
      ++windows;
    }
  return windows == 2;
}

/// How many numbers are added up: known, or computed at run time.
static std::pair<std::optional<double>, Value>
lengthOf(const ErrorSum &sum, linalg::GenericOp op, OpBuilder &b) {
  double known = static_cast<double>(sum.terms.size());
  Value unknown;
  SmallVector<Range, 4> ranges = cast<linalg::LinalgOp>(op.getOperation())
                                     .createLoopRanges(b, op.getLoc());
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  ErrorAlgebra algebra(b, op.getLoc());
  std::optional<StoredTerms> stored;
  if (sum.terms.size() == 1)
    stored = countStored(op, sum.terms.front(), b);
  if (stored) {
    // A sum of one term has no error of its own; whether it is one isn't known
    // here.
    unknown = algebra.larger(stored->longest, algebra.number(2));
    llvm::erase_if(reductions, [&](unsigned dimension) {
      return llvm::is_contained(stored->dimensions, dimension);
    });
  }
  for (unsigned dimension : reductions) {
    OpFoldResult size = ranges[dimension].size;
    if (std::optional<int64_t> extent = getConstantIntValue(size)) {
      known *= static_cast<double>(*extent);
      continue;
    }
    Value integer = arith::IndexCastOp::create(b, op.getLoc(), b.getI64Type(),
                                               cast<Value>(size));
    Value extent =
        arith::SIToFPOp::create(b, op.getLoc(), b.getF64Type(), integer);
    unknown = unknown ? algebra.multiply(unknown, extent) : extent;
  }
  double start = sum.startsAtZero ? 0 : 1;
  if (!unknown)
    return {known + start, Value()};
  unknown = algebra.scale(unknown, known);
  return {std::nullopt, algebra.plus(unknown, algebra.number(start))};
}

/// The relative error by adding up K numbers: its worst case
/// (K-1) u / (1 - (K-1) u), or what is likely, if that is less.
static double additionError(double length, double unit, bool proof) {
  double worst = std::max(length - 1, 0.0) * unit;
  worst = worst < 1 ? worst / (1 - worst) : INFINITY;
  return proof ? worst : std::min(worst, likelihood * std::sqrt(length) * unit);
}

/// The same for a length known at run time.
static Value additionError(ErrorAlgebra &algebra, Value length, double unit,
                           bool proof) {
  Value one = algebra.number(1);
  Value worst = algebra.scale(algebra.subtract(length, one), unit);
  worst = algebra.larger(worst, algebra.number(0));
  Value room = algebra.subtract(one, worst);
  Value open = algebra.compare(Predicate::OGT, room, algebra.number(0));
  worst = algebra.choose(open, algebra.divide(worst, room), algebra.infinity());
  if (proof)
    return worst;
  Value likely =
      algebra.scale(algebra.apply<math::SqrtOp>(length), likelihood * unit);
  return algebra.smaller(worst, likely);
}

/// Where roundings of terms of one sign add up: min(1, K u), else nothing.
static Value driftOf(ErrorAlgebra &algebra, std::optional<double> length,
                     Value runTime, double unit) {
  if (length)
    return *length * unit < stagnation
               ? Value()
               : algebra.number(std::min(1.0, *length * unit));
  Value drift = algebra.scale(runTime, unit);
  Value begins =
      algebra.compare(Predicate::OGE, drift, algebra.number(stagnation));
  return algebra.choose(begins, algebra.smaller(drift, algebra.number(1)),
                        Value());
}

/// Takes in the products that are terms: their rounding counts per term.
static double adoptProducts(ErrorSum &sum, const ErrorModel &model,
                            ErrorState &state, double unit) {
  double error = 0;
  bool areProducts = true;
  for (Value term : sum.terms) {
    auto product = term.getDefiningOp<arith::MulFOp>();
    areProducts &= product != nullptr;
    if (product)
      error = std::max(error, factorError(product, model));
  }
  auto isPlain = [&](Value factor) {
    Value read = beforeExtension(factor);
    return !state.errorOf(read) &&
           (isa<BlockArgument>(read) ||
            read.getParentRegion() != sum.whole[0]->getParentRegion());
  };
  for (Value term : sum.terms)
    areProducts = areProducts &&
                  llvm::all_of(term.getDefiningOp()->getOperands(), isPlain);
  if (!areProducts)
    return error;
  for (Value term : sum.terms) {
    sum.whole.push_back(term.getDefiningOp());
    state.facts[term] = factsOf(term.getDefiningOp(), state);
  }
  return error + unit;
}

LogicalResult lh::measureSum(ErrorSum &sum, linalg::GenericOp op, Value init,
                             const ErrorModel &model, ErrorState &state) {
  if (sum.type.getWidth() > 64)
    return state.refuse(op, "sums up in a type that has no error rules");
  Precision precision = precisionOf(sum.type);
  OpBuilder b(op);
  ErrorAlgebra algebra(b, op.getLoc());
  sum.startsAtZero = isZeroAllOver(init);
  sum.facts =
      sum.startsAtZero ? Integral | NonNegative : state.facts.lookup(init);
  sum.isExactlyFed = readsExactly(op, state);
  sum.isConvolution =
      model.winogradTile > 1 && isWindowed(op, model.winogradWindow);
  auto [length, runTime] = lengthOf(sum, op, b);
  sum.isTrivial = length && *length <= 1;
  // The length counts what the sum starts from, unless that is zero.
  double terms = length.value_or(0) - (sum.startsAtZero ? 0 : 1);
  state.longestSum = std::max(state.longestSum, terms);
  sum.addition =
      length
          ? algebra.number(additionError(*length, precision.unit, model.proof))
          : additionError(algebra, runTime, precision.unit, model.proof);
  size_t additions = sum.whole.size();
  double term = adoptProducts(sum, model, state, precision.unit);
  sum.perTerm = algebra.plus(sum.addition, algebra.number(term));
  if (!model.proof)
    sum.drift = driftOf(algebra, length, runTime, precision.unit);
  Value count = length ? algebra.number(*length) : runTime;
  double lost =
      model.flushToZero ? 2 * precision.smallestNormal : precision.smallest;
  if (model.flushToZero || sum.whole.size() > additions)
    sum.underflow = algebra.scale(count, lost);
  return success();
}

/// An elementwise op over `inputs`, all of one shape, or scalars.
static Value elementwise(OpBuilder &b, Location loc, ArrayRef<Value> inputs,
                         TensorBuilder::Body body) {
  auto type = cast<RankedTensorType>(inputs[0].getType());
  unsigned rank = static_cast<unsigned>(type.getRank());
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap scalar = AffineMap::get(rank, 0, b.getContext());
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(cast<RankedTensorType>(input.getType()).getRank() == rank
                       ? identity
                       : scalar);
  TensorBuilder tensors(b, loc);
  Value into = tensors.emptyLike(inputs[0], b.getF64Type());
  return tensors.generic(inputs, maps, into, body).getResult(0);
}

static Value asWide(OpBuilder &b, Location loc, Value number) {
  if (number.getType().isF64())
    return number;
  return arith::ExtFOp::create(b, loc, b.getF64Type(), number);
}

Value lh::sumInit(OpBuilder &b, const ErrorSum &sum, Location loc, Value init,
                  ErrorFlow &flow) {
  Value error = flow.state.errorOf(init);
  if (sum.startsAtZero && !error)
    return flow.errorTensor(b, init);
  SmallVector<Value> inputs{init};
  if (error)
    inputs.push_back(error);
  return elementwise(
      b, loc, inputs, [&](OpBuilder &inner, Location at, ValueRange read) {
        ErrorAlgebra algebra(inner, at);
        Value size = algebra.magnitude(asWide(inner, at, read[0]));
        Value own = algebra.multiply(size, sum.addition);
        return algebra.add(own, error ? read[1] : Value());
      });
}

/// The largest finite error of a tensor, as a tensor of rank 0.
static Value largestOf(OpBuilder &b, Location loc, Value error) {
  auto type = cast<RankedTensorType>(error.getType());
  unsigned rank = static_cast<unsigned>(type.getRank());
  Value start = TensorBuilder(b, loc).zeros({}, b.getF64Type());
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank),
                              AffineMap::get(rank, 0, b.getContext())};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, start.getType(), error, start, maps, iterators,
             [&](OpBuilder &inner, Location at, ValueRange read) {
               ErrorAlgebra algebra(inner, at);
               Value finite =
                   algebra.compare(Predicate::OLT, read[0], algebra.infinity());
               Value largest = algebra.larger(
                   algebra.choose(finite, read[0], Value()), read[1]);
               linalg::YieldOp::create(inner, at, largest);
             })
      .getResult(0);
}

Value lh::finishSum(OpBuilder &b, const ErrorSum &sum, Value result,
                    Value error, const ErrorModel &model) {
  Location loc = result.getLoc();
  Precision precision = precisionOf(sum.type);
  SmallVector<Value> inputs{result, error};
  if (sum.isConvolution)
    inputs.push_back(largestOf(b, loc, error));
  double growth = sum.isConvolution
                      ? winogradGrowth(static_cast<int>(model.winogradTile),
                                       static_cast<int>(model.winogradWindow))
                      : 1;
  return elementwise(
      b, loc, inputs, [&](OpBuilder &inner, Location at, ValueRange read) {
        ErrorAlgebra algebra(inner, at);
        Value size = algebra.magnitude(asWide(inner, at, read[0]));
        Value total = read[1];
        if (sum.isConvolution)
          total = algebra.larger(total, algebra.scale(read[2], growth));
        total = algebra.add(total, sum.underflow);
        total = algebra.add(total, algebra.multiply(size, sum.drift));
        Value largest = algebra.number(precision.largest);
        // What was added up, not the sum alone, must stay in range.
        Value fits =
            algebra.compare(Predicate::OLE, algebra.add(size, total), largest);
        if (!sum.isTrivial)
          fits = algebra.both(
              fits, algebra.compare(Predicate::OLE, read[1],
                                    algebra.multiply(sum.perTerm, largest)));
        // Exact terms that make NaN always do. An infinite sum may be NaN in
        // a narrow type, where a finite term of the other sign overflows.
        Value open = algebra.infinity();
        if (sum.isExactlyFed)
          open = algebra.choose(algebra.compare(Predicate::UNO, size, size),
                                Value(), open);
        return algebra.choose(fits, total, open);
      });
}
