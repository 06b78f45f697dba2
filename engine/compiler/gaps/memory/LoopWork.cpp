// How much a loop computes and moves, and how evenly threads can share it.
#include "compiler/gaps/memory/LoopWork.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace lh;
using namespace mlir;

static double elementsOf(Type type, const LoopCosts &costs) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 1;
  double elements = 1;
  for (int64_t size : shaped.getShape())
    elements *= ShapedType::isDynamic(size) ? costs.unknownTrips
                                            : static_cast<double>(size);
  return elements;
}

double lh::ownWork(Operation &op, const LoopCosts &costs) {
  double elements = 0;
  auto count = [&](Type type) {
    if (isa<VectorType, FloatType>(type))
      elements = std::max(elements, elementsOf(type, costs));
  };
  if (isa<linalg::LinalgOp, memref::CopyOp>(op))
    for (Value operand : op.getOperands())
      elements =
          std::max(elements, costs.move * elementsOf(operand.getType(), costs));
  llvm::for_each(op.getOperandTypes(), count);
  llvm::for_each(op.getResultTypes(), count);
  return isa<math::MathDialect>(op.getDialect()) ? costs.math * elements
                                                 : elements;
}

/// The first and the next value of each of a loop's variables, and how many
/// there are; nothing where that isn't known.
struct Variable {
  int64_t first, step, trips;
};

static std::optional<SmallVector<Variable>> variablesOf(scf::ForallOp loop) {
  SmallVector<Variable> variables;
  for (auto [lower, upper, by] :
       llvm::zip(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                 loop.getMixedStep())) {
    auto from = getConstantIntValue(lower), to = getConstantIntValue(upper),
         step = getConstantIntValue(by);
    if (!from || !to || !step)
      return std::nullopt;
    variables.push_back(
        {*from, *step,
         std::max<int64_t>(0, llvm::divideCeilSigned(*to - *from, *step))});
  }
  return variables;
}

static double tripsOfForall(scf::ForallOp loop, const LoopCosts &costs) {
  auto variables = variablesOf(loop);
  double trips = 1;
  if (!variables)
    return costs.unknownTrips;
  for (const Variable &variable : *variables)
    trips *= static_cast<double>(variable.trips);
  return trips;
}

/// Where bounds aren't known, at most: what is left of a block is less than a
/// step.
static double tripsOfFor(scf::ForOp loop, const LoopCosts &costs) {
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    return static_cast<double>(trips->getZExtValue());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step < 1)
    return costs.unknownTrips;
  AffineExpr from, to;
  bindDims(loop.getContext(), from, to);
  ValueBoundsConstraintSet::Variable distance(
      AffineMap::get(2, 0, to - from),
      ValueRange{loop.getLowerBound(), loop.getUpperBound()});
  FailureOr<int64_t> most = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, distance, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  if (failed(most))
    return costs.unknownTrips;
  return static_cast<double>(
      std::max<int64_t>(1, llvm::divideCeilSigned(*most, *step)));
}

double lh::tripsOf(Operation &op, const LoopCosts &costs) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return tripsOfFor(loop, costs);
  auto forall = dyn_cast<scf::ForallOp>(op);
  return forall ? tripsOfForall(forall, costs) : 1;
}

/// Sizes of blocks that an iteration computes on: the last may be a part of
/// one.
static SmallVector<affine::AffineMinOp> blockSizesIn(scf::ForallOp loop) {
  SmallVector<affine::AffineMinOp> sizes;
  for (auto size : loop.getBody()->getOps<affine::AffineMinOp>())
    if (llvm::all_of(size.getOperands(), [&](Value operand) {
          return llvm::is_contained(loop.getInductionVars(), operand);
        }))
      sizes.push_back(size);
  return sizes;
}

static double evaluate(affine::AffineMinOp size, scf::ForallOp loop,
                       ArrayRef<int64_t> values) {
  MLIRContext *context = size.getContext();
  SmallVector<Attribute> operands;
  for (Value operand : size.getOperands()) {
    auto *at = llvm::find(loop.getInductionVars(), operand);
    operands.push_back(IntegerAttr::get(
        IndexType::get(context), values[at - loop.getInductionVars().begin()]));
  }
  SmallVector<Attribute> results;
  if (failed(size.getMap().constantFold(operands, results)))
    return 1;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (Attribute result : results)
    least = std::min(least, cast<IntegerAttr>(result).getInt());
  return static_cast<double>(least);
}

/// What each iteration does, in numbers to be compared with one another.
static SmallVector<double> weightsOf(scf::ForallOp loop,
                                     ArrayRef<Variable> variables) {
  SmallVector<affine::AffineMinOp> sizes = blockSizesIn(loop);
  SmallVector<int64_t> at(variables.size(), 0), values(variables.size());
  SmallVector<double> weights;
  for (;;) {
    for (auto [value, variable, trip] : llvm::zip(values, variables, at))
      value = variable.first + variable.step * trip;
    double weight = 1;
    for (affine::AffineMinOp size : sizes)
      weight *= evaluate(size, loop, values);
    weights.push_back(weight);
    size_t inner = variables.size();
    while (inner > 0 && ++at[inner - 1] == variables[inner - 1].trips)
      at[--inner] = 0;
    if (inner == 0)
      return weights;
  }
}

double lh::largestPart(Operation &op, double threads, const LoopCosts &costs) {
  constexpr double most = 4096; // iterations looked at one by one
  double trips = tripsOf(op, costs);
  if (trips < 1)
    return 1;
  double even = std::ceil(trips / threads) / trips;
  auto loop = dyn_cast<scf::ForallOp>(op);
  auto variables = loop && trips <= most ? variablesOf(loop) : std::nullopt;
  if (!variables || blockSizesIn(loop).empty())
    return even;
  SmallVector<double> weights = weightsOf(loop, *variables);
  double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double largest = 0;
  auto shares = static_cast<size_t>(threads);
  for (size_t thread = 0, from = 0; thread < shares; ++thread) {
    size_t count =
        weights.size() / shares + (thread < weights.size() % shares ? 1 : 0);
    double part = std::accumulate(weights.begin() + from,
                                  weights.begin() + from + count, 0.0);
    largest = std::max(largest, part);
    from += count;
  }
  return all > 0 ? largest / all : even;
}
