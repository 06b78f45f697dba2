// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much a loop computes and moves, and how evenly threads can share it.
#include "compiler/gaps/memory/LoopWork.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

#include <cmath>
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

/// Where bounds aren't known, at most: what is left of a block is less than a
/// step.
static std::optional<int64_t> tripsOf(OpFoldResult from, OpFoldResult to,
                                      OpFoldResult step) {
  using Bounds = ValueBoundsConstraintSet;
  if (auto trips = constantTripCount(from, to, step, /*isSigned=*/true,
                                     scf::computeUbMinusLb))
    return trips->getSExtValue();
  std::optional<int64_t> by = getConstantIntValue(step);
  if (!by || *by < 1)
    return std::nullopt;
  AffineExpr first, last;
  bindDims(from.getContext(), first, last);
  FailureOr<int64_t> most = Bounds::computeConstantBound(
      presburger::BoundType::UB,
      Bounds::Variable(AffineMap::get(2, 0, last - first), {from, to}),
      /*stopCondition=*/nullptr, /*closedUB=*/true);
  if (failed(most))
    return std::nullopt;
  return std::max<int64_t>(1, llvm::divideCeilSigned(*most, *by));
}

/// For each variable of a loop; none where one isn't known.
static std::optional<SmallVector<int64_t>> tripsOf(LoopLikeOpInterface loop) {
  SmallVector<int64_t> trips;
  for (auto [from, to, step] :
       llvm::zip_equal(*loop.getLoopLowerBounds(), *loop.getLoopUpperBounds(),
                       *loop.getLoopSteps()))
    if (std::optional<int64_t> some = tripsOf(from, to, step))
      trips.push_back(*some);
    else
      return std::nullopt;
  return trips;
}

double lh::tripsOf(Operation &op, const LoopCosts &costs) {
  if (!isa<scf::ForOp, scf::ForallOp>(op))
    return 1;
  auto trips = ::tripsOf(cast<LoopLikeOpInterface>(op));
  return trips ? static_cast<double>(computeProduct(*trips))
               : costs.unknownTrips;
}

/// Sizes of blocks that an iteration computes on: the last may be a part of
/// one.
static SmallVector<affine::AffineMinOp> blockSizesIn(scf::ForallOp loop) {
  auto isOwn = [&](Value operand) {
    return llvm::is_contained(loop.getInductionVars(), operand);
  };
  SmallVector<affine::AffineMinOp> sizes;
  for (auto size : loop.getBody()->getOps<affine::AffineMinOp>())
    if (llvm::all_of(size.getOperands(), isOwn) &&
        size.getMap().getNumSymbols() == 0)
      sizes.push_back(size);
  return sizes;
}

/// Where the loop's variables have these values.
static double evaluate(affine::AffineMinOp size, ArrayRef<int64_t> values) {
  auto operands = llvm::map_to_vector(size.getOperands(), [&](Value operand) {
    return values[cast<BlockArgument>(operand).getArgNumber()];
  });
  SmallVector<int64_t> sizes(size.getMap().compose(operands));
  return static_cast<double>(*llvm::min_element(sizes));
}

/// What each iteration does, in numbers to be compared with one another;
/// nothing where that isn't known, or is alike.
static SmallVector<double> weightsOf(scf::ForallOp loop) {
  constexpr int64_t most = 4096; // iterations looked at one by one
  SmallVector<affine::AffineMinOp> sizes = blockSizesIn(loop);
  ArrayRef<int64_t> first = loop.getStaticLowerBound(),
                    steps = loop.getStaticStep();
  auto trips = ::tripsOf(cast<LoopLikeOpInterface>(*loop));
  if (sizes.empty() || !trips || computeProduct(*trips) > most ||
      ShapedType::isDynamicShape(first) || ShapedType::isDynamicShape(steps) ||
      ShapedType::isDynamicShape(loop.getStaticUpperBound()))
    return {};
  SmallVector<double> weights;
  for (int64_t i = 0; i < computeProduct(*trips); ++i) {
    SmallVector<int64_t> values = delinearize(i, computeSuffixProduct(*trips));
    for (auto [value, from, step] : llvm::zip_equal(values, first, steps))
      value = from + step * value;
    double weight = 1;
    for (affine::AffineMinOp size : sizes)
      weight *= evaluate(size, values);
    weights.push_back(weight);
  }
  return weights;
}

double lh::largestPart(Operation &op, double threads, const LoopCosts &costs) {
  double trips = tripsOf(op, costs);
  if (trips < 1)
    return 1;
  double even = std::ceil(trips / threads) / trips;
  auto loop = dyn_cast<scf::ForallOp>(op);
  SmallVector<double> weights = loop ? weightsOf(loop) : SmallVector<double>();
  double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (all <= 0)
    return even;
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
  return largest / all;
}
