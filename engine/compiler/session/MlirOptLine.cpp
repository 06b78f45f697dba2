// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --dry-run's mlir-opt lines, and the schedules that they name.
#include "compiler/session/MlirOptLine.h"

#include "compiler/gaps/Gaps.h"
#include "compiler/session/ModuleText.h"
#include "compiler/session/PassPipeline.h"
#include "compiler/session/Schedule.h"
#include "compiler/session/Snapshot.h"
#include "core/plan/CanonicalText.h"
#include "core/support/FileSystem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;
namespace transform = mlir::transform;

/// One word of a POSIX shell.
static std::string quoted(StringRef word) {
  std::string out = "'";
  for (char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

static std::string command(bool loadsGaps, StringRef pipeline,
                           MlirSession &session) {
  std::string line = "mlir-opt";
  if (loadsGaps)
    for (StringRef sort : {"pass", "dialect"})
      line += (" --load-" + sort + "-plugin=" + session.gapsPlugin()).str();
  for (const std::string &file : session.dialectFiles())
    line += " --irdl-file=" + quoted(file);
  return line + " --pass-pipeline=" + quoted(pipeline);
}

/// The passes that run `entry` of `files`.
static std::string interpreterText(StringRef files, StringRef entry,
                                   bool hasKernels) {
  std::string text =
      ("transform-preload-library{transform-library-paths=" + files +
       "},transform-interpreter{entry-point=" + entry + "}")
          .str();
  if (hasKernels)
    text =
        ("lh-lend-kernels{from=" + files + "}," + text + ",symbol-dce").str();
  return "builtin.module(" + text + ")";
}

/// One handle to all of `values`.
static mlir::Value constantsOf(llvm::ArrayRef<mlir::Attribute> values,
                               mlir::Type type, mlir::Location loc,
                               mlir::OpBuilder &builder) {
  llvm::SmallVector<mlir::Value> constants;
  for (mlir::Attribute value : values)
    constants.push_back(
        transform::ParamConstantOp::create(builder, loc, type, value));
  if (constants.size() == 1)
    return constants.front();
  return transform::MergeHandlesOp::create(builder, loc, type, constants,
                                           /*deduplicate=*/false);
}

/// Those that include `entry` give it values of their own: they get a copy.
static void keepIncludes(mlir::ModuleOp schedule,
                         transform::NamedSequenceOp entry) {
  if (mlir::SymbolTable::symbolKnownUseEmpty(entry, schedule))
    return;
  mlir::SymbolTable symbols(schedule);
  auto copy = llvm::cast<transform::NamedSequenceOp>(entry->clone());
  mlir::StringAttr name = symbols.insert(copy); // another than the entry's
  (void)mlir::SymbolTable::replaceAllSymbolUses(entry, name, schedule);
}

/// The interpreter takes an entry with the payload as its one argument: the
/// other ones become constants.
static LogicalResult closeEntry(transform::NamedSequenceOp entry,
                                const BoundArguments &arguments) {
  if (arguments.empty())
    return success();
  keepIncludes(entry->getParentOfType<mlir::ModuleOp>(), entry);
  mlir::Block &body = entry.getBody().front();
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&body);
  for (auto [index, values] : llvm::enumerate(arguments)) {
    mlir::BlockArgument argument = body.getArgument(unsigned(index) + 1);
    argument.replaceAllUsesWith(
        constantsOf(values, argument.getType(), entry.getLoc(), builder));
  }
  llvm::BitVector closed(body.getNumArguments(), true);
  closed.reset(0);
  return entry.eraseArguments(closed);
}

/// Writes the schedule, linked and with all values in place.
static LogicalResult writeBound(ScheduleStore &store,
                                const ScheduleAction &action, StringRef file,
                                DiagnosticSink &sink) {
  auto bound = store.bound(action, sink);
  if (failed(bound))
    return failure();
  auto entry = llvm::cast<transform::NamedSequenceOp>(
      mlir::SymbolTable::lookupSymbolIn(*bound->module, action.entry));
  if (failed(closeEntry(entry, bound->arguments)))
    return failure();
  return writeFileAtomically(file, moduleText(*bound->module), action.where,
                             sink);
}

MlirOptLines::MlirOptLines(MlirSession &session, std::string schedules)
    : session(session), schedules(std::move(schedules)),
      store(std::make_unique<ScheduleStore>(session.context())) {}

MlirOptLines::~MlirOptLines() = default;

MlirOptLines::Needs &MlirOptLines::needsOf(const Step &step) {
  auto [slot, isNew] = seen.try_emplace(canonicalText(step));
  Needs &needs = slot->second;
  CollectingSink ignored; // prepare() reports
  if (!isNew)
    return needs;
  auto bound = store->bound(std::get<ScheduleAction>(step.action), ignored);
  if (failed(bound))
    return needs;
  bound->module->walk([&](mlir::Operation *op) {
    if (auto pass = llvm::dyn_cast<transform::ApplyRegisteredPassOp>(op))
      needs.gapPasses |= isGapPass(pass.getPassName());
    needs.gapPasses |=
        op->getName().getStringRef().starts_with("transform.lh.");
    needs.kernels |= llvm::isa<mlir::func::FuncOp>(op);
  });
  return needs;
}

std::string MlirOptLines::lineFor(const PassesAction &action, bool loadsGaps) {
  CollectingSink ignored; // prepare() reports
  auto pipeline = PassPipeline::parse(action.pipeline, action.where,
                                      session.context(), ignored);
  if (failed(pipeline))
    return "";
  return command(loadsGaps || !pipeline->gapPasses().empty(), pipeline->text(),
                 session);
}

FailureOr<std::string> MlirOptLines::lineFor(const ScheduleAction &action,
                                             const Step &step, bool loadsGaps,
                                             DiagnosticSink &sink) {
  Needs &needs = needsOf(step);
  if (!schedules.empty() && needs.copy.empty()) {
    needs.copy = stepFile(step, schedules, ".mlir");
    if (failed(writeBound(*store, action, needs.copy, sink)))
      return failure();
  }
  std::vector<std::string> files{action.file};
  files.insert(files.end(), action.libraries.begin(), action.libraries.end());
  std::string line = command(
      loadsGaps || needs.gapPasses || needs.kernels,
      interpreterText(needs.copy.empty() ? llvm::join(files, ",") : needs.copy,
                      action.entry, needs.kernels),
      session);
  std::vector<std::string> names;
  for (const BoundParameter &parameter : action.parameters)
    names.push_back(parameter.name.value);
  if (!names.empty() && needs.copy.empty())
    line += " # without values for " + llvm::join(names, ", ") +
            ": --dry-run --schedules DIR writes the schedule with them";
  return line;
}

FailureOr<std::string> MlirOptLines::line(const Step &step, bool loadsGaps,
                                          DiagnosticSink &sink) {
  if (const auto *passes = std::get_if<PassesAction>(&step.action))
    return lineFor(*passes, loadsGaps);
  if (const auto *schedule = std::get_if<ScheduleAction>(&step.action))
    return lineFor(*schedule, step, loadsGaps, sink);
  return std::string();
}

bool MlirOptLines::needsGaps(const Step &step) {
  if (std::holds_alternative<ScheduleAction>(step.action)) {
    const Needs &needs = needsOf(step);
    return needs.gapPasses || needs.kernels;
  }
  const auto *passes = std::get_if<PassesAction>(&step.action);
  CollectingSink ignored; // prepare() reports
  if (!passes)
    return false;
  auto pipeline = PassPipeline::parse(passes->pipeline, passes->where,
                                      session.context(), ignored);
  return succeeded(pipeline) && !pipeline->gapPasses().empty();
}

std::string lh::mlirOptLine(const Step &step, MlirSession &session) {
  CollectingSink ignored; // nothing is written
  auto line = MlirOptLines(session).line(step, /*loadsGaps=*/false, ignored);
  return succeeded(line) ? *line : "";
}
