// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large integer inputs may be for every result to be exact.
#include "compiler/session/ExactRange.h"

#include "compiler/gaps/Marks.h"
#include "compiler/session/RangePropagation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace lh;

/// From the largest: numbers of more bits show more mistakes.
static constexpr int64_t candidates[] = {127, 63, 31, 15, 7, 3, 2, 1};

namespace {

/// One entry function with its drawable inputs.
class Entry {
public:
  explicit Entry(mlir::func::FuncOp function) : function(function) {}

  /// A candidate that is exact; none: obstacle says why.
  std::optional<int64_t> largestRange();
  void mark(int64_t range);

  RangePropagation::Obstacle obstacle;

private:
  static mlir::Type elementOf(mlir::BlockArgument argument) {
    return mlir::getElementTypeOrSelf(argument.getType());
  }
  bool isWeight(mlir::BlockArgument argument) {
    return function.getArgAttr(argument.getArgNumber(), weightMark) != nullptr;
  }
  bool isDrawnFloat(mlir::BlockArgument argument) {
    return mlir::isa<mlir::FloatType>(elementOf(argument)) &&
           !isWeight(argument);
  }
  bool hasFloatWeights();
  bool isExact(int64_t range);

  mlir::func::FuncOp function;
};

} // namespace

/// Weights come from files, with the numbers that they have.
bool Entry::hasFloatWeights() {
  for (mlir::BlockArgument argument : function.getArguments()) {
    if (!isWeight(argument) || !mlir::isa<mlir::FloatType>(elementOf(argument)))
      continue;
    auto name = function.getArgAttrOfType<mlir::StringAttr>(
        argument.getArgNumber(), weightMark);
    obstacle.why =
        "the weight '" + (name ? name.str() : "") + "' comes from a file";
    return true;
  }
  return false;
}

bool Entry::isExact(int64_t range) {
  RangePropagation propagation;
  auto largest = static_cast<double>(range);
  LogicalResult result = success();
  for (mlir::BlockArgument argument : function.getArguments()) {
    mlir::Type type = elementOf(argument);
    if (type.isIntOrIndex())
      propagation.set(argument, ExactInterval::ofType(type));
    if (!isDrawnFloat(argument))
      continue;
    propagation.set(argument, {-largest, largest, 0});
    if (!holds(type, {-largest, largest, 0}))
      result = propagation.fail(
          function, "has an input that can't hold small integers", false);
  }
  if (succeeded(result))
    result = propagation.run(function.getBody().front());
  obstacle = propagation.obstacle();
  return succeeded(result);
}

std::optional<int64_t> Entry::largestRange() {
  if (!function.getBody().hasOneBlock()) {
    obstacle.why = "'@main' has branches between blocks";
    return std::nullopt;
  }
  if (hasFloatWeights())
    return std::nullopt;
  for (int64_t range : candidates) {
    if (isExact(range))
      return range;
    if (obstacle.always)
      return std::nullopt;
  }
  return std::nullopt;
}

void Entry::mark(int64_t range) {
  mlir::Builder builder(function.getContext());
  for (mlir::BlockArgument argument : function.getArguments())
    if (isDrawnFloat(argument))
      function.setArgAttr(argument.getArgNumber(), exactMark,
                          builder.getI64IntegerAttr(range));
}

void lh::markExactRange(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal() || !main.isPublic())
    return;
  module->removeAttr(inexactMark); // of an earlier import
  Entry entry(main);
  if (std::optional<int64_t> range = entry.largestRange())
    return entry.mark(*range);
  module->setAttr(inexactMark, mlir::StringAttr::get(module.getContext(),
                                                     entry.obstacle.why));
}

void lh::markUndefinedOnSpecials(mlir::ModuleOp module) {
  module->removeAttr(undefinedMark);
  module.walk([&](mlir::Operation *op) {
    if (!mlir::isa<mlir::arith::FPToSIOp, mlir::arith::FPToUIOp>(op))
      return mlir::WalkResult::advance();
    module->setAttr(undefinedMark,
                    mlir::StringAttr::get(
                        module.getContext(),
                        "'" + op->getName().getStringRef() +
                            "' of NaN or an infinity has no defined result"));
    return mlir::WalkResult::interrupt();
  });
}
