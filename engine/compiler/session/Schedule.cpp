// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses, links, checks and runs transform schedules.
#include "compiler/session/Schedule.h"

#include "compiler/gaps/Marks.h"
#include "compiler/gaps/gpu/LendKernels.h"
#include "compiler/ingress/mlir/TextDepth.h"
#include "compiler/session/MatchedOps.h"
#include "compiler/session/MlirDiagnostics.h"
#include "compiler/session/PassClock.h"
#include "compiler/session/ScheduleMatches.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/IR/Utils.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"

#include "llvm/Support/CommandLine.h"

#include <array>
#include <optional>

using namespace lh;
namespace transform = mlir::transform;

namespace {
/// While it lives, operations that go into messages are taken to be valid and
/// written in generic form, without what is in them: fuse_into_containing_op
/// words what it would say if it failed each time. Verifying and naming all of
/// the function around it for that is most of what tiling a large net takes.
class QuickPrinting {
public:
  QuickPrinting() { set(true); }
  ~QuickPrinting() { set(false); }
  QuickPrinting(const QuickPrinting &) = delete;
  QuickPrinting &operator=(const QuickPrinting &) = delete;

private:
  using Flag = llvm::cl::opt<bool, false, llvm::cl::parser<bool>>;

  /// Upstream has no other way to it than the command line's.
  static Flag *option(StringRef name) {
    return static_cast<Flag *>(llvm::cl::getRegisteredOptions().lookup(name));
  }
  static void set(bool value) {
    static const std::array<Flag *, 3> flags = [] {
      mlir::registerAsmPrinterCLOptions();
      return std::array{option("mlir-print-assume-verified"),
                        option("mlir-print-op-generic"),
                        option("mlir-print-skip-regions")};
    }();
    for (Flag *flag : flags)
      flag->setValue(value);
  }
};
} // namespace

/// The payload may have a function of its own under the name of a kernel's.
static LogicalResult checkNamesAreFree(mlir::ModuleOp schedule,
                                       mlir::ModuleOp payload) {
  for (mlir::Operation &op : *schedule.getBody()) {
    if (!op.hasAttr(kernelCallMark))
      continue;
    auto name = mlir::SymbolTable::getSymbolName(&op);
    mlir::Operation *own = mlir::SymbolTable::lookupSymbolIn(payload, name);
    if (own && !own->hasAttr(kernelCallMark))
      return own->emitError() << "the kernel's function '" << name.getValue()
                              << "' would have the name of this one";
  }
  return success();
}

LogicalResult Schedule::apply(mlir::ModuleOp payload) const {
  if (failed(checkNamesAreFree(*module, payload)))
    return failure();
  llvm::SmallVector<std::string> lent = lendKernels(*module, payload);
  LogicalResult applied = interpret(payload);
  takeBackKernels(lent, payload);
  return applied;
}

void Schedule::withFunctions(mlir::ModuleOp payload,
                             llvm::function_ref<void()> ask) const {
  llvm::SmallVector<std::string> lent = lendKernels(*module, payload);
  ask();
  takeBackKernels(lent, payload);
}

/// Whether the schedule prints what it works on: all of that is to be seen.
static bool printsPayload(mlir::ModuleOp schedule) {
  return schedule
      ->walk([](transform::PrintOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

LogicalResult Schedule::interpret(mlir::ModuleOp payload) const {
  mlir::RaggedArray<transform::MappedValue> bindings;
  bindings.push_back(mlir::ArrayRef<mlir::Operation *>{payload});
  for (const auto &attributes : arguments) {
    llvm::SmallVector<transform::MappedValue> values;
    for (mlir::Attribute attribute : attributes)
      values.push_back(attribute);
    bindings.push_back(std::move(values));
  }
  std::optional<QuickPrinting> quick;
  if (!printsPayload(*module))
    quick.emplace();
  // The expensive checks report the use of a handle whose operation is gone,
  // which is undefined behaviour without them.
  return transform::applyTransformNamedSequence(
      std::move(bindings), llvm::cast<transform::TransformOpInterface>(entry),
      /*transformModule=*/mlir::ModuleOp(),
      transform::TransformOptions().enableExpensiveChecks(true));
}

namespace {
class SchedulePass
    : public mlir::PassWrapper<SchedulePass,
                               mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SchedulePass)

  explicit SchedulePass(const Schedule &schedule) : schedule(schedule) {}

  llvm::StringRef getArgument() const override { return "lh-schedule"; }

private:
  void runOnOperation() override {
    if (failed(schedule.apply(getOperation())))
      signalPassFailure();
  }

  const Schedule &schedule;
};
} // namespace

std::unique_ptr<mlir::Pass> lh::makeSchedulePass(const Schedule &schedule) {
  return std::make_unique<SchedulePass>(schedule);
}

static transform::NamedSequenceOp tunedIn(mlir::ModuleOp schedule) {
  return llvm::dyn_cast_or_null<transform::NamedSequenceOp>(
      mlir::SymbolTable::lookupSymbolIn(schedule, "tuned"));
}

/// A library's `@tuned`, what measurement has chosen, takes the place of the
/// schedule's.
static LogicalResult mergeInto(mlir::ModuleOp target,
                               mlir::OwningOpRef<mlir::ModuleOp> library) {
  auto own = tunedIn(target), other = tunedIn(*library);
  if (own && other && !own.isExternal() && !other.isExternal()) {
    own.getBody().getBlocks().clear(); // a declaration, which merging defines
    own.setVisibility(mlir::SymbolTable::Visibility::Private);
  }
  return transform::detail::mergeSymbolsInto(
      target, mlir::OwningOpRef<mlir::Operation *>(library.release()));
}

LogicalResult ScheduleStore::merge(mlir::ModuleOp target,
                                   const std::string &library,
                                   DiagnosticSink &sink) {
  if (failed(checkTextDepth(library, sink)))
    return failure();
  auto parsed = mlir::parseSourceFile<mlir::ModuleOp>(library, &context);
  return parsed ? mergeInto(target, std::move(parsed)) : failure();
}

/// `failures(suppress)` swallows the error and reports success.
void ScheduleStore::warnOfSuppression(mlir::ModuleOp schedule,
                                      DiagnosticSink &sink) {
  schedule.walk([&](mlir::Operation *op) {
    auto mode = op->getAttrOfType<transform::FailurePropagationModeAttr>(
        "failure_propagation_mode");
    if (mode &&
        mode.getValue() == transform::FailurePropagationMode::Suppress &&
        !isOptional(op))
      sink.warning(DiagKind::IrSuppressedFailures, spanOf(op->getLoc()),
                   "'failures(suppress)' hides it when this schedule fails to "
                   "apply; use 'failures(propagate)', or say why it may with "
                   "lh.optional = \"...\"");
  });
}

static LogicalResult checkIncludes(mlir::ModuleOp schedule,
                                   DiagnosticSink &sink) {
  bool failedAny = false;
  schedule.walk([&](transform::IncludeOp include) {
    auto target = llvm::dyn_cast_or_null<transform::NamedSequenceOp>(
        mlir::SymbolTable::lookupNearestSymbolFrom(include,
                                                   include.getTarget()));
    if (!target || !target.isExternal())
      return;
    failedAny = true;
    (void)sink.error(DiagKind::IrBadSchedule, spanOf(include.getLoc()),
                     "the included sequence '" + target.getSymName() +
                         "' is declared but has no body; name the file that "
                         "defines it under 'library:'");
  });
  return failure(failedAny);
}

/// LLVM 22 aborts on scalable vectors whose size is no power of two.
static LogicalResult checkScalableSizes(mlir::ModuleOp schedule,
                                        DiagnosticSink &sink) {
  bool failedAny = false;
  schedule.walk([&](transform::VectorizeOp op) {
    for (auto [size, isScalable] :
         llvm::zip(op.getStaticVectorSizes(), op.getScalableSizes())) {
      if (!isScalable || size <= 0 ||
          llvm::isPowerOf2_64(static_cast<uint64_t>(size)))
        continue;
      failedAny = true;
      (void)sink.error(DiagKind::IrBadSchedule, spanOf(op.getLoc()),
                       "a scalable vector of [" + Twine(size) +
                           "]; LLVM can't generate code for a size that is "
                           "no power of two");
    }
  });
  return failure(failedAny);
}

/// Puts the sequences that are included most in front. Before each op of a
/// schedule that is applied, the interpreter looks up what it includes, for its
/// effects, and goes through the sequences from the first one on.
static void putIncludedFirst(mlir::ModuleOp schedule) {
  llvm::StringMap<unsigned> includes;
  schedule.walk([&](transform::IncludeOp include) {
    ++includes[include.getTarget().getLeafReference()];
  });
  auto sequences =
      llvm::to_vector(schedule.getOps<transform::NamedSequenceOp>());
  llvm::stable_sort(sequences, [&](auto one, auto other) {
    return includes.lookup(one.getSymName()) <
           includes.lookup(other.getSymName());
  });
  for (transform::NamedSequenceOp sequence : sequences)
    sequence->moveBefore(schedule.getBody(), schedule.getBody()->begin());
}

mlir::ModuleOp ScheduleStore::linked(const ScheduleAction &action,
                                     DiagnosticSink &sink) {
  std::string key = action.file;
  for (const std::string &library : action.libraries)
    key += "\n" + library;
  auto [slot, isNew] = files.try_emplace(key);
  if (!isNew)
    return slot->second ? *slot->second : mlir::ModuleOp();

  if (failed(checkTextDepth(action.file, sink)))
    return {};
  MlirDiagnostics caught(context, DiagKind::IrBadSchedule, action.where);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(action.file, &context);
  bool linkedAll = static_cast<bool>(module);
  for (const std::string &library : action.libraries)
    linkedAll = linkedAll && succeeded(merge(*module, library, sink));
  linkedAll = linkedAll && succeeded(mlir::verify(*module));
  caught.flushTo(sink);
  if (!linkedAll || failed(checkIncludes(*module, sink)) ||
      failed(checkMatchedNames(*module, sink)))
    return {};
  warnOfSuppression(*module, sink);
  slot->second = std::move(module);
  return *slot->second;
}

/// The named sequence `action.entry` of the schedule; null after an error.
static transform::NamedSequenceOp findEntry(mlir::ModuleOp schedule,
                                            const ScheduleAction &action,
                                            DiagnosticSink &sink) {
  auto entry = llvm::dyn_cast_or_null<transform::NamedSequenceOp>(
      mlir::SymbolTable::lookupSymbolIn(schedule, action.entry));
  if (!entry) {
    std::vector<StringRef> names;
    for (auto sequence : schedule.getOps<transform::NamedSequenceOp>())
      names.push_back(sequence.getSymName());
    std::string known = names.empty()
                            ? "it has none"
                            : "it has '" + llvm::join(names, "', '") + "'";
    std::string hint = didYouMean(action.entry, names);
    (void)sink.error(DiagKind::IrUnknownEntry, action.where,
                     "the schedule '" + action.file +
                         "' has no named sequence '" + action.entry + "'" +
                         (hint.empty() ? "; " + known : hint));
    return {};
  }
  auto takesRoot = [&] {
    return !entry.getArgumentTypes().empty() &&
           llvm::isa<transform::TransformHandleTypeInterface>(
               entry.getArgumentTypes().front());
  };
  if (!entry.isExternal() && takesRoot())
    return entry;
  (void)sink.error(DiagKind::IrBadEntry, spanOf(entry.getLoc()),
                   "the entry '" + action.entry + "' " +
                       (entry.isExternal()
                            ? "has no body"
                            : "doesn't take the payload; its first argument "
                              "is the module, as !transform.any_op"));
  return {};
}

const KernelCode *ScheduleStore::codeFor(const ScheduleAction &action,
                                         DiagnosticSink &sink) {
  const KernelSpec &kernel = *action.kernel;
  const TargetSpec &target = *action.kernelTarget;
  auto [slot, isNew] =
      codes.try_emplace(kernel.file + "\n" + target.file + "\n" + target.name);
  if (isNew) {
    FailureOr<KernelCode> code =
        kernelCode ? kernelCode(kernel, target, sink) : KernelCode();
    if (succeeded(code))
      slot->second = std::move(*code);
  }
  return slot->second ? &*slot->second : nullptr;
}

LogicalResult ScheduleStore::addTuned(mlir::ModuleOp schedule,
                                      const ScheduleAction &action,
                                      DiagnosticSink &sink) {
  if (!tunedIn(schedule))
    return sink.error(DiagKind::IrBadSchedule, action.where,
                      "the schedule '" + action.file +
                          "' has strategies and no named sequence '@tuned' for "
                          "measured choices");
  MlirDiagnostics caught(context, DiagKind::IrBadSchedule, action.where);
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(action.tuned, &context,
                                                        "tuned choices");
  LogicalResult merged =
      parsed ? mergeInto(schedule, std::move(parsed)) : failure();
  caught.flushTo(sink);
  return merged;
}

mlir::OwningOpRef<mlir::ModuleOp>
ScheduleStore::copyFor(const ScheduleAction &action, DiagnosticSink &sink) {
  mlir::ModuleOp shared = linked(action, sink);
  if (!shared)
    return {};
  mlir::OwningOpRef<mlir::ModuleOp> copy(shared.clone());
  if (!action.tuned.empty() && failed(addTuned(*copy, action, sink)))
    return {};
  if (!action.kernel)
    return copy;
  const KernelCode *code = codeFor(action, sink);
  if (!code)
    return {};
  if (failed(addKernel(*copy, *action.kernel, *code, sink)))
    return {};
  return copy;
}

FailureOr<std::unique_ptr<Schedule>>
ScheduleStore::load(const ScheduleAction &action, DiagnosticSink &sink) {
  auto schedule = std::make_unique<Schedule>();
  schedule->module = copyFor(action, sink);
  if (!schedule->module)
    return failure();
  auto entry = findEntry(*schedule->module, action, sink);
  if (!entry)
    return failure();
  auto arguments = bindParameters(*schedule->module, entry, action, sink);
  if (failed(arguments))
    return failure();
  if (isTimed)
    instrumentClock(*schedule->module);
  instrumentMatches(*schedule->module);
  putIncludedFirst(*schedule->module);
  MlirDiagnostics caught(context, DiagKind::IrBadSchedule, action.where);
  LogicalResult valid = mlir::verify(*schedule->module);
  caught.flushTo(sink);
  if (failed(valid) || failed(checkScalableSizes(*schedule->module, sink)))
    return failure();
  schedule->entry = entry;
  schedule->arguments = std::move(*arguments);
  return schedule;
}

FailureOr<BoundSchedule> ScheduleStore::bound(const ScheduleAction &action,
                                              DiagnosticSink &sink) {
  BoundSchedule bound;
  bound.module = copyFor(action, sink);
  if (!bound.module)
    return failure();
  auto entry = findEntry(*bound.module, action, sink);
  if (!entry)
    return failure();
  auto arguments = bindParameters(*bound.module, entry, action, sink);
  if (failed(arguments))
    return failure();
  // Asked for again, what they name has its value.
  bound.module->walk([](mlir::Operation *op) { op->removeAttr(bindMark); });
  bound.arguments = std::move(*arguments);
  return bound;
}
