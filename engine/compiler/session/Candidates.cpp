// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which strategies can compute the products of a module.
#include "compiler/session/Candidates.h"

#include "compiler/gaps/products/ProductForm.h"
#include "compiler/gaps/products/Products.h"
#include "compiler/session/Inspect.h"
#include "compiler/session/OpChoices.h"
#include "compiler/session/Schedule.h"
#include "core/graph/Strategies.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/BuiltinOps.h"

using namespace lh;
namespace transform = mlir::transform;

static std::string textOf(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Nothing for an op that multiplies no matrices and reads no windows.
static std::optional<ProductKey> keyOf(mlir::linalg::LinalgOp op) {
  bool windows = false;
  std::optional<ProductRoles> roles;
  if (isProduct(op))
    roles = rolesOf(op, false);
  if (!roles && readsWindows(op)) {
    windows = true;
    roles = rolesOf(op, true);
  }
  if (!roles || StringRef(roles->loops).contains('?'))
    return std::nullopt;
  ProductKey key;
  ProductShape shape = shapeOf(op, *roles, windows);
  key.loops = shape.loops;
  key.sizes.assign(shape.sizes.begin(), shape.sizes.end());
  for (mlir::Type type : elementTypesOf(op))
    key.types.push_back(textOf(type));
  key.fromWeights = comesFromWeights(op->getOperand(1));
  if (windows)
    llvm::append_range(key.steps, stepsOf(op));
  return key;
}

/// Why the matcher `name` of `schedule` fails for `op`; "" where it doesn't.
static std::string whyNoMatch(StringRef name, mlir::ModuleOp schedule,
                              mlir::Operation *op) {
  auto matcher = llvm::dyn_cast_or_null<transform::NamedSequenceOp>(
      mlir::SymbolTable::lookupSymbolIn(schedule, name));
  if (!matcher || matcher.isExternal() || matcher.getNumArguments() != 1)
    return ("the schedule has no matcher '" + name + "' of one op").str();
  std::string reason;
  mlir::ScopedDiagnosticHandler handler(
      op->getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error &&
            reason.empty())
          reason = diagnostic.str();
        return mlir::success(); // nobody else is told
      });
  mlir::RaggedArray<transform::MappedValue> bindings;
  bindings.push_back(mlir::ArrayRef<mlir::Operation *>{op});
  bool matched = succeeded(transform::applyTransformNamedSequence(
      std::move(bindings),
      llvm::cast<transform::TransformOpInterface>(matcher.getOperation()),
      mlir::ModuleOp(), transform::TransformOptions()));
  return matched ? "" : reason.empty() ? "it can't" : reason;
}

std::vector<mlir::Operation *> lh::unchosenProducts(mlir::ModuleOp module) {
  std::vector<mlir::Operation *> products;
  module.walk([&](mlir::linalg::LinalgOp op) {
    if (!choiceAt(op) && keyOf(op))
      products.push_back(op);
  });
  return products;
}

static OpCandidates candidatesOf(mlir::Operation *op, const Schedule &schedule,
                                 const ScheduleAction &action) {
  const StrategySpace &space = *action.strategies;
  OpCandidates found;
  found.op = op->getName().getStringRef().str();
  for (const std::string &origin : originsOf(op->getLoc()))
    found.origins.push_back(origin);
  found.product = *keyOf(llvm::cast<mlir::linalg::LinalgOp>(op));
  if (std::optional<OpChoice> choice = choiceAt(op))
    found.choice = std::move(*choice);
  for (const StrategyDecl &strategy : space.strategies) {
    std::string why = whyNoStrategy(space, strategy, *action.facts);
    if (why.empty())
      why = whyNoMatch(strategy.matches.value, schedule.source(), op);
    found.strategies.emplace_back(strategy.name.value, std::move(why));
  }
  return found;
}

std::vector<OpCandidates> lh::candidatesOf(ArrayRef<mlir::Operation *> products,
                                           mlir::ModuleOp module,
                                           const Schedule &schedule,
                                           const ScheduleAction &action) {
  std::vector<OpCandidates> all;
  schedule.withFunctions(module, [&] {
    for (mlir::Operation *op : products)
      all.push_back(::candidatesOf(op, schedule, action));
  });
  return all;
}
