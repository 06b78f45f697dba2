// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps taken apart, to find which part of one is at fault.
#include "compiler/session/StepParts.h"

#include "compiler/gaps/Marks.h"
#include "compiler/session/MlirDiagnostics.h"
#include "compiler/session/MlirSession.h"
#include "compiler/session/PassPipeline.h"
#include "compiler/session/Schedule.h"
#include "core/support/FileSystem.h"

#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace lh;
namespace transform = mlir::transform;

std::vector<StepPart> lh::passParts(const PassesAction &action,
                                    MlirSession &session) {
  std::vector<StepPart> parts;
  CollectingSink ignored; // who planned the step has parsed it
  auto pipeline = PassPipeline::parse(action.pipeline, action.where,
                                      session.context(), ignored);
  if (failed(pipeline))
    return parts;
  for (PassPipeline::Part &part : pipeline->parts()) {
    SourceSpan where = part.where;
    parts.push_back({std::move(part.name), where,
                     PassesAction{std::move(part.text), std::move(where)}});
  }
  return parts;
}

static std::string scheduleText(mlir::ModuleOp schedule) {
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(true); // counts of matches go by place
  std::string text;
  llvm::raw_string_ostream stream(text);
  schedule.print(stream, flags);
  stream << '\n';
  return text;
}

/// Ends the entry after its first `count` operations.
static void cutAfter(transform::NamedSequenceOp entry, size_t count) {
  mlir::Block &body = entry.getBody().front();
  while (body.getOperations().size() > count + 1)
    std::prev(body.end(), 2)->erase();
  body.getTerminator()->setOperands({});
}

/// The parameters that the entry still takes as arguments.
static std::vector<BoundParameter>
parametersOf(transform::NamedSequenceOp entry, const ScheduleAction &action) {
  std::vector<BoundParameter> left;
  for (unsigned i = 1; i < entry.getNumArguments(); ++i)
    if (auto name = entry.getArgAttrOfType<mlir::StringAttr>(i, nameMark))
      for (const BoundParameter &parameter : action.parameters)
        if (parameter.name.value == name.getValue())
          left.push_back(parameter);
  return left;
}

FailureOr<std::vector<StepPart>> lh::scheduleParts(const ScheduleAction &action,
                                                   StringRef folder,
                                                   MlirSession &session,
                                                   DiagnosticSink &sink) {
  ScheduleStore store(session.context());
  auto bound = store.bound(action, sink);
  if (failed(bound))
    return failure();
  mlir::ModuleOp schedule = *bound->module;
  auto entry = llvm::cast<transform::NamedSequenceOp>(
      mlir::SymbolTable::lookupSymbolIn(schedule, action.entry));
  if (entry.getFunctionType().getNumResults() > 0)
    return std::vector<StepPart>(); // who takes the results, needs all
  std::vector<StepPart> parts;
  for (mlir::Operation &op : entry.getBody().front().without_terminator()) {
    ScheduleAction part;
    part.file = (folder + "/" + Twine(parts.size() + 1) + ".mlir").str();
    part.entry = action.entry;
    part.parameters = parametersOf(entry, action);
    part.where = action.where;
    SourceSpan match;
    if (op.getNumOperands() > 0)
      if (auto found = op.getOperand(0).getDefiningOp<transform::MatchOp>())
        match = spanOf(found.getLoc());
    parts.push_back({op.getName().getStringRef().str(), spanOf(op.getLoc()),
                     std::move(part), std::move(match)});
  }
  for (size_t count = parts.size(); count > 0; --count) {
    cutAfter(entry, count);
    const auto &part = std::get<ScheduleAction>(parts[count - 1].action);
    if (failed(writeFileAtomically(part.file, scheduleText(schedule),
                                   action.where, sink)))
      return failure();
  }
  return parts;
}

FailureOr<std::optional<StepPart>>
lh::withFewerTargets(const StepPart &part, unsigned count, StringRef file,
                     MlirSession &session, DiagnosticSink &sink) {
  StepPart fewer = part;
  auto &action = std::get<ScheduleAction>(fewer.action);
  auto schedule =
      mlir::parseSourceFile<mlir::ModuleOp>(action.file, &session.context());
  if (!schedule)
    return failure();
  auto entry = llvm::cast<transform::NamedSequenceOp>(
      mlir::SymbolTable::lookupSymbolIn(*schedule, action.entry));
  mlir::Operation *last =
      entry.getBody().front().getTerminator()->getPrevNode();
  if (!last || last->getNumOperands() == 0)
    return std::optional<StepPart>();
  mlir::Value target = last->getOperand(0);
  if (!llvm::isa<transform::TransformHandleTypeInterface>(target.getType()) ||
      llvm::isa<mlir::BlockArgument>(target))
    return std::optional<StepPart>();
  mlir::OpBuilder builder(last);
  // One handle for each of the first, and one for all others.
  llvm::SmallVector<mlir::Type> types(count + 1, target.getType());
  auto split = transform::SplitHandleOp::create(
      builder, last->getLoc(), types, target,
      /*pass_through_empty_handle=*/true, /*fail_on_payload_too_small=*/false,
      /*overflow_result=*/builder.getI64IntegerAttr(count));
  mlir::Value first = transform::MergeHandlesOp::create(
      builder, last->getLoc(), split.getResults().take_front(count),
      /*deduplicate=*/false);
  last->setOperand(0, first);
  if (failed(mlir::verify(*schedule)))
    return std::optional<StepPart>();
  action.file = file.str();
  if (failed(writeFileAtomically(file, scheduleText(*schedule), action.where,
                                 sink)))
    return failure();
  return std::optional<StepPart>(std::move(fewer));
}
