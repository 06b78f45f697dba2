// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intervals of all values of a function, from those of its arguments.
#include "compiler/session/RangePropagation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace lh;
namespace arith = mlir::arith;
namespace math = mlir::math;
namespace tensor = mlir::tensor;

/// What needs more rounds than this to settle grows for ever.
static constexpr unsigned fixpointRounds = 3;
static constexpr unsigned maxCallDepth = 16;

static bool holdsFloats(mlir::Type type) {
  return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
}

static bool holdsIntegers(mlir::Type type) {
  return mlir::getElementTypeOrSelf(type).isIntOrIndex();
}

/// An integer that leaves its type's range wraps to anything.
static ExactInterval wrapped(const ExactInterval &interval, mlir::Type type) {
  ExactInterval all = ExactInterval::ofType(mlir::getElementTypeOrSelf(type));
  return all.contains(interval) ? interval : all;
}

/// What is carried from step to step, after one more. An integer may be
/// anything; that settles it.
static ExactInterval carried(const ExactInterval &before,
                             const ExactInterval &after, mlir::Type type) {
  return holdsIntegers(type)
             ? ExactInterval::ofType(mlir::getElementTypeOrSelf(type))
             : hull(before, after);
}

static std::string nameOf(mlir::Operation *op) {
  std::string name = ("'" + op->getName().getStringRef() + "'").str();
  if (auto parent =
          mlir::dyn_cast_or_null<mlir::linalg::LinalgOp>(op->getParentOp()))
    name += (" in '" + parent->getName().getStringRef() + "'").str();
  return name;
}

LogicalResult RangePropagation::fail(mlir::Operation *op,
                                     const llvm::Twine &why, bool always) {
  found = {nameOf(op) + " " + why.str(), always};
  return failure();
}

LogicalResult RangePropagation::rounds(mlir::Operation *op) {
  return fail(op, "may round", true);
}

LogicalResult RangePropagation::check(mlir::Value value,
                                      const ExactInterval &interval,
                                      mlir::Operation *op) {
  mlir::Type type = mlir::getElementTypeOrSelf(value.getType());
  if (holds(type, interval))
    return success();
  if (!interval.isFinite())
    return fail(op, "takes numbers that are no small integers", true);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "reaches " << llvm::format("%.9g", interval.largest());
  if (interval.fraction > 0)
    stream << " in steps of 2^-" << interval.fraction;
  stream << "; " << type << " is exact to "
         << llvm::format("%.9g", exactLimit(type, interval.fraction));
  return fail(op, text, false);
}

LogicalResult RangePropagation::store(mlir::Value value,
                                      const ExactInterval &interval,
                                      mlir::Operation *op) {
  if (!holdsFloats(value.getType())) {
    set(value, wrapped(interval, value.getType()));
    return success();
  }
  set(value, interval);
  return check(value, interval, op);
}

LogicalResult RangePropagation::run(mlir::Block &block) {
  for (mlir::Operation &op : block)
    if (!op.hasTrait<mlir::OpTrait::IsTerminator>() && failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult RangePropagation::visit(mlir::Operation *op) {
  if (auto linalgOp = mlir::dyn_cast<mlir::linalg::LinalgOp>(op))
    return visitLinalg(linalgOp);
  if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
    return visitCall(call);
  if (op->getNumRegions() > 0)
    return visitRegions(op);
  if (mlir::isa<tensor::EmptyOp>(op)) {
    set(op->getResult(0), ExactInterval::empty());
    return success();
  }
  if (mlir::isa<arith::SelectOp, tensor::CastOp, tensor::CollapseShapeOp,
                tensor::ExpandShapeOp, tensor::ExtractSliceOp,
                tensor::ExtractOp, tensor::ReshapeOp, tensor::InsertOp,
                tensor::InsertSliceOp, tensor::ConcatOp, tensor::FromElementsOp,
                tensor::SplatOp>(op))
    return move(op);
  if (llvm::any_of(op->getResultTypes(), holdsFloats))
    return visitFloat(op);
  return visitInteger(op);
}

/// What the operands of the result's type hold, and nothing else.
LogicalResult RangePropagation::move(mlir::Operation *op) {
  mlir::Value result = op->getResult(0);
  ExactInterval all = ExactInterval::empty();
  for (mlir::Value operand : op->getOperands())
    if (mlir::getElementTypeOrSelf(operand.getType()) ==
        mlir::getElementTypeOrSelf(result.getType()))
      all = hull(all, intervals[operand]);
  set(result, all);
  return success();
}

LogicalResult RangePropagation::visitDivision(mlir::Operation *op) {
  std::optional<int> exponent = powerOfTwo(intervals[op->getOperand(1)]);
  if (!exponent)
    return rounds(op);
  ExactInterval scaled =
      scaleByPowerOfTwo(intervals[op->getOperand(0)], -*exponent);
  if (intervals[op->getOperand(1)].low < 0)
    scaled = negate(scaled);
  return store(op->getResult(0), scaled, op);
}

/// Of an integer in doubt whether it has a sign, the reading that is asked for.
static ExactInterval readAs(const ExactInterval &interval, mlir::Type type,
                            bool isSigned) {
  if (isSigned || interval.low >= 0)
    return interval;
  ExactInterval all = ExactInterval::ofType(mlir::getElementTypeOrSelf(type));
  return {0, all.high - all.low, 0};
}

LogicalResult RangePropagation::visitFloat(mlir::Operation *op) {
  mlir::Value result = op->getResult(0);
  if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op)) {
    set(result, ExactInterval::ofConstant(constant.getValue()));
    return success();
  }
  auto in = [&](unsigned i) { return intervals[op->getOperand(i)]; };
  auto give = [&](const ExactInterval &interval) {
    return store(result, interval, op);
  };
  auto pick = [&](const ExactInterval &interval) {
    set(result, interval); // one of the operands: never rounded
    return success();
  };
  auto round = [&](mlir::Operation *) {
    ExactInterval from = in(0);
    return give({std::floor(from.low), std::ceil(from.high), 0});
  };
  auto ofInteger = [&](bool isSigned) {
    return give(readAs(in(0), op->getOperand(0).getType(), isSigned));
  };
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(op)
      .Case([&](arith::AddFOp) { return give(add(in(0), in(1))); })
      .Case([&](arith::SubFOp) { return give(add(in(0), negate(in(1)))); })
      .Case([&](arith::MulFOp) { return give(multiply(in(0), in(1))); })
      .Case(
          [&](math::FmaOp) { return give(add(multiply(in(0), in(1)), in(2))); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return give(in(0)); })
      .Case([&](arith::NegFOp) { return pick(negate(in(0))); })
      .Case([&](math::AbsFOp) {
        return pick({0, in(0).largest(), in(0).fraction});
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](auto) { return pick(maximum(in(0), in(1))); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](auto) { return pick(minimum(in(0), in(1))); })
      .Case([&](arith::DivFOp) { return visitDivision(op); })
      .Case<math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp,
            math::TruncOp>(round)
      .Case([&](arith::SIToFPOp) { return ofInteger(true); })
      .Case([&](arith::UIToFPOp) { return ofInteger(false); })
      .Default([&](auto) { return rounds(op); });
}

LogicalResult RangePropagation::visitInteger(mlir::Operation *op) {
  for (mlir::Value result : op->getResults())
    if (holdsIntegers(result.getType()))
      set(result,
          ExactInterval::ofType(mlir::getElementTypeOrSelf(result.getType())));
  if (op->getNumResults() != 1 || !holdsIntegers(op->getResult(0).getType()))
    return success();
  auto in = [&](unsigned i) { return intervals[op->getOperand(i)]; };
  auto give = [&](const ExactInterval &interval) {
    return store(op->getResult(0), interval, op);
  };
  return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp constant) {
        return give(ExactInterval::ofConstant(constant.getValue()));
      })
      .Case([&](arith::AddIOp) { return give(add(in(0), in(1))); })
      .Case([&](arith::SubIOp) { return give(add(in(0), negate(in(1)))); })
      .Case([&](arith::MulIOp) { return give(multiply(in(0), in(1))); })
      .Case([&](arith::MaxSIOp) { return give(maximum(in(0), in(1))); })
      .Case([&](arith::MinSIOp) { return give(minimum(in(0), in(1))); })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(
          [&](auto) { return give(in(0)); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
        return give(readAs(in(0), op->getOperand(0).getType(), false));
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto) {
        return give({std::trunc(in(0).low), std::trunc(in(0).high), 0});
      })
      .Default([](auto) { return success(); });
}

static bool touchesFloats(mlir::Operation *op) {
  return op
      ->walk([](mlir::Operation *inner) {
        bool touches = llvm::any_of(inner->getOperandTypes(), holdsFloats) ||
                       llvm::any_of(inner->getResultTypes(), holdsFloats);
        return touches ? mlir::WalkResult::interrupt()
                       : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// The operands of the terminator of a region with one block.
static mlir::ValueRange yieldedBy(mlir::Region &region) {
  return region.front().getTerminator()->getOperands();
}

LogicalResult RangePropagation::visitRegions(mlir::Operation *op) {
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op))
    return visitLoop(loop);
  if (!mlir::isa<mlir::scf::IfOp, tensor::PadOp, tensor::GenerateOp>(op))
    return touchesFloats(op) ? fail(op, "is not analysed", true)
                             : visitInteger(op);
  for (mlir::Value result : op->getResults())
    set(result, ExactInterval::empty());
  if (auto pad = mlir::dyn_cast<tensor::PadOp>(op))
    set(pad.getResult(), intervals[pad.getSource()]);
  for (mlir::Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    for (mlir::BlockArgument index : region.getArguments())
      set(index, ExactInterval::ofType(index.getType()));
    if (failed(run(region.front())))
      return failure();
    for (auto [result, yielded] :
         llvm::zip(op->getResults(), yieldedBy(region)))
      set(result, hull(intervals[result], intervals[yielded]));
  }
  return success();
}

LogicalResult RangePropagation::visitLoop(mlir::scf::ForOp loop) {
  set(loop.getInductionVar(),
      ExactInterval::ofType(loop.getInductionVar().getType()));
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    set(argument, intervals[init]);
  for (unsigned round = 0; round < fixpointRounds; ++round) {
    if (failed(run(*loop.getBody())))
      return failure();
    bool settled = true;
    for (auto [argument, yielded, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues(),
                   loop.getResults())) {
      settled &= intervals[argument].contains(intervals[yielded]);
      ExactInterval all =
          carried(intervals[argument], intervals[yielded], argument.getType());
      set(argument, all);
      set(result, all);
    }
    if (settled)
      return success();
  }
  return fail(loop, "is not analysed: what it carries grows", true);
}

LogicalResult RangePropagation::visitCall(mlir::func::CallOp call) {
  auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
      call, call.getCalleeAttr());
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() ||
      callDepth == maxCallDepth)
    return fail(call, "is not analysed", true);
  for (auto [argument, operand] :
       llvm::zip(callee.getArguments(), call.getOperands()))
    set(argument, intervals[operand]);
  ++callDepth;
  LogicalResult result = run(callee.getBody().front());
  --callDepth;
  if (failed(result))
    return failure();
  for (auto [value, returned] :
       llvm::zip(call.getResults(), yieldedBy(callee.getBody())))
    set(value, intervals[returned]);
  return success();
}

/// How many terms each element of a reduction takes; none when not known.
static std::optional<double> reductionSteps(mlir::linalg::LinalgOp op) {
  double steps = 1;
  for (auto [size, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (kind != mlir::utils::IteratorType::reduction)
      continue;
    if (mlir::ShapedType::isDynamic(size))
      return std::nullopt;
    steps *= static_cast<double>(size);
  }
  return steps;
}

LogicalResult RangePropagation::visitLinalg(mlir::linalg::LinalgOp op) {
  mlir::Block *body = op.getBlock();
  for (mlir::OpOperand &operand : op->getOpOperands())
    if (operand.getOperandNumber() < body->getNumArguments())
      set(op.getMatchingBlockArgument(&operand), intervals[operand.get()]);
  if (failed(run(*body)))
    return failure();
  bool isReduction = op.getNumReductionLoops() > 0;
  if (isReduction)
    return accumulate(op);
  for (auto [result, yielded] :
       llvm::zip(op->getResults(), body->getTerminator()->getOperands()))
    set(result, intervals[yielded]);
  return success();
}

/// After all steps of a combiner that adds or multiplies; none for another.
std::optional<ExactInterval>
RangePropagation::accumulated(mlir::Operation *combiner,
                              mlir::Value accumulator, double steps) {
  bool isFirst = combiner->getOperand(0) == accumulator;
  ExactInterval init = intervals[accumulator];
  ExactInterval term = intervals[combiner->getOperand(isFirst ? 1 : 0)];
  if (mlir::isa<arith::AddFOp, arith::AddIOp>(combiner))
    return add(init, sum(term, steps));
  if (isFirst && mlir::isa<arith::SubFOp, arith::SubIOp>(combiner))
    return add(init, sum(negate(term), steps));
  if (!mlir::isa<arith::MulFOp, arith::MulIOp>(combiner))
    return std::nullopt;
  double power = std::pow(std::max(term.largest(), 1.0), steps);
  double fraction = std::min(term.fraction * steps, 10000.0);
  return multiply(init, {-power, power, static_cast<int>(fraction)});
}

LogicalResult RangePropagation::accumulate(mlir::linalg::LinalgOp op) {
  mlir::Block *body = op.getBlock();
  std::optional<double> steps = reductionSteps(op);
  bool all = true;
  for (auto [result, yielded, accumulator] :
       llvm::zip(op->getResults(), body->getTerminator()->getOperands(),
                 op.getRegionOutputArgs())) {
    mlir::Operation *combiner = yielded.getDefiningOp();
    if (accumulator.use_empty()) {
      set(result, intervals[yielded]);
      continue;
    }
    std::optional<ExactInterval> sums;
    if (combiner && combiner->getBlock() == body &&
        combiner->getNumOperands() == 2 && accumulator.hasOneUse() &&
        *accumulator.user_begin() == combiner)
      sums = accumulated(combiner, accumulator, steps.value_or(0));
    if (sums && !steps)
      return fail(op, "reduces a dimension that only the run knows", true);
    if (sums && failed(store(result, *sums, combiner)))
      return failure();
    all &= sums.has_value();
  }
  return all ? success() : accumulateByFixpoint(op);
}

/// Maxima, and all else that settles after one step.
LogicalResult
RangePropagation::accumulateByFixpoint(mlir::linalg::LinalgOp op) {
  mlir::Block *body = op.getBlock();
  for (unsigned round = 0; round < fixpointRounds; ++round) {
    bool settled = true;
    for (auto [result, yielded, accumulator] :
         llvm::zip(op->getResults(), body->getTerminator()->getOperands(),
                   op.getRegionOutputArgs())) {
      settled &= intervals[accumulator].contains(intervals[yielded]);
      set(result, intervals[yielded]);
      set(accumulator, carried(intervals[accumulator], intervals[yielded],
                               accumulator.getType()));
    }
    if (settled)
      return success();
    if (failed(run(*body)))
      return failure();
  }
  return fail(op, "accumulates in a way that is not analysed", true);
}
