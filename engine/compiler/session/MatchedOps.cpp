// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a schedule looks for, before it is applied: is there any such thing?
#include "compiler/session/MatchedOps.h"

#include "compiler/session/MlirDiagnostics.h"
#include "compiler/session/ScheduleMatches.h"
#include "core/graph/FormFacts.h"

#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;
namespace transform = mlir::transform;

/// The names that `op` looks for, if it is a search by names.
static std::vector<StringRef> wantedNames(mlir::Operation *op) {
  mlir::ArrayAttr names;
  if (auto match = llvm::dyn_cast<transform::MatchOp>(op))
    names = match.getOpsAttr();
  else if (auto match = llvm::dyn_cast<transform::MatchOperationNameOp>(op))
    names = match.getOpNamesAttr();
  else if (auto parent = llvm::dyn_cast<transform::GetParentOp>(op))
    return parent.getOpName() ? std::vector<StringRef>{*parent.getOpName()}
                              : std::vector<StringRef>();
  std::vector<StringRef> wanted;
  if (names)
    for (auto name : names.getAsRange<mlir::StringAttr>())
      wanted.push_back(name.getValue());
  return wanted;
}

static bool isOperation(StringRef name, mlir::MLIRContext &context) {
  context.getOrLoadDialect(name.split('.').first);
  return mlir::RegisteredOperationName::lookup(name, &context).has_value();
}

std::string lh::didYouMeanOperation(StringRef name,
                                    mlir::MLIRContext &context) {
  auto [dialect, rest] = name.split('.');
  std::vector<std::string> candidates;
  if (context.getLoadedDialect(dialect)) {
    for (auto known : context.getRegisteredOperations())
      if (known.getDialectNamespace() == dialect)
        candidates.push_back(known.getStringRef().str());
  } else {
    for (StringRef other : context.getAvailableDialects())
      if (std::string known = (other + "." + rest).str();
          !didYouMean(dialect, {other}).empty() && isOperation(known, context))
        candidates.push_back(known);
  }
  return didYouMean(
      name, std::vector<StringRef>(candidates.begin(), candidates.end()));
}

LogicalResult lh::checkMatchedNames(mlir::ModuleOp schedule,
                                    DiagnosticSink &sink) {
  LogicalResult result = success();
  mlir::MLIRContext &context = *schedule.getContext();
  schedule.walk([&](mlir::Operation *op) {
    for (StringRef name : wantedNames(op))
      if (name != "lh.none" && !isOperation(name, context))
        result = sink.error(DiagKind::IrBadSchedule, spanOf(op->getLoc()),
                            "there is no operation '" + name + "' to match" +
                                didYouMeanOperation(name, context));
  });
  return result;
}

/// Whether what comes after `op` may see another module than what came before.
static bool mayChangePayload(mlir::Operation &op) {
  auto effects = llvm::dyn_cast<mlir::MemoryEffectOpInterface>(op);
  if (!effects || op.getNumRegions() > 0)
    return true;
  llvm::SmallVector<mlir::MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::any_of(all, [](const mlir::MemoryEffects::EffectInstance &one) {
    return llvm::isa<mlir::MemoryEffects::Write>(one.getEffect()) &&
           llvm::isa<transform::PayloadIRResource>(one.getResource());
  });
}

/// The clause that rules out an operation of this name.
static std::optional<ClauseState> ruledOut(const FormFacts &facts,
                                           StringRef name) {
  FormDecl some;
  some.opsSome = {name.str()};
  for (ClauseState &clause : judge(facts, some))
    if (clause.met == Known::No)
      return std::move(clause);
  return std::nullopt;
}

static LogicalResult checkFits(transform::MatchOp match, const FormFacts &facts,
                               const FormDecl &required, DiagnosticSink &sink) {
  std::vector<StringRef> names = wantedNames(match);
  std::optional<ClauseState> clause;
  for (StringRef name : names)
    if (clause = ruledOut(facts, name); !clause)
      return success();
  if (!clause || names.front() == "lh.none" || isOptional(match))
    return success();
  return sink.error(DiagKind::GraphContractMisfit, spanOf(match.getLoc()),
                    "this search for '" + names.front() +
                        "' can find nothing: by the bubble's contract there "
                        "is " +
                        clause->seen,
                    {{required.where, "required here"}});
}

LogicalResult lh::checkMatchesFit(mlir::Operation *entry,
                                  const FormDecl &required,
                                  DiagnosticSink &sink) {
  FormFacts facts;
  facts.add(required, "");
  LogicalResult result = success();
  for (mlir::Operation &op : entry->getRegion(0).front()) {
    auto match = llvm::dyn_cast<transform::MatchOp>(op);
    if (match && failed(checkFits(match, facts, required, sink)))
      result = failure();
    if (mayChangePayload(op))
      break;
  }
  return result;
}
