// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does what the cache doesn't know, and keeps what it does.
#include "steps/CachedStepRunner.h"

#include "compiler/session/ModuleBytecode.h"
#include "compiler/session/ModuleFile.h"
#include "core/cache/CacheRecord.h"
#include "runtime/abi/PathAttributes.h"

#include "llvm/ADT/STLExtras.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace lh;

/// Compile and emit steps make bytes; the others make a module.
static bool makesBytes(const Step &step) {
  return std::holds_alternative<CompileAction>(step.action) ||
         std::holds_alternative<EmitAction>(step.action);
}

/// Of a worker, whose standard error is a file that each step begins empty.
static bool wroteToStandardError() {
  struct stat status {};
  return fstat(STDERR_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_size > 0;
}

static bool areSame(const Diagnostic &a, const Diagnostic &b) {
  return a.kind == b.kind && a.severity == b.severity &&
         a.message == b.message && a.where.file == b.where.file &&
         a.where.line == b.where.line && a.where.column == b.where.column;
}

StepOutcome CachedStepRunner::load(const Step &step, const CachedStep &cached) {
  StringRef content = cached.content->getBuffer();
  StepOutcome outcome = cached.outcome;
  if (!makesBytes(step)) {
    auto module = readModuleBytecode(content, context);
    if (module) {
      changePaths(*module, [&](StringRef path) { return paths.unpack(path); });
      runner.moduleRunner().setModule(std::move(module));
      return outcome;
    }
    store.remove(cached.key.key);
    CollectingSink sink;
    (void)sink.error(DiagKind::ExecCacheDamaged, step.declaredAt,
                     "the cache's module of bubble '" + step.bubble +
                         "' can't be read; it is dropped: run again");
    return makeOutcome(step, false, sink.take(), 0);
  }
  // What is said while code is loaded, or a file written, may have been said
  // before.
  StepOutcome now = runner.runFrom(step, content);
  for (Diagnostic &diagnostic : now.diagnostics)
    if (llvm::none_of(outcome.diagnostics, [&](const Diagnostic &known) {
          return areSame(known, diagnostic);
        }))
      outcome.diagnostics.push_back(std::move(diagnostic));
  outcome.status = now.status;
  outcome.reason = std::move(now.reason);
  return outcome;
}

/// The module with paths as they are the same elsewhere.
static std::string portableBytecode(mlir::ModuleOp module,
                                    const PortablePaths &paths) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  changePaths(*copy, [&](StringRef path) { return paths.pack(path); });
  return moduleBytecode(*copy);
}

void CachedStepRunner::keep(const Step &step, const CachedStep &cached,
                            const StepOutcome &outcome) {
  std::string content;
  if (makesBytes(step))
    content = runner.takeProduct();
  else if (cached.keepsModule && outcome.changedModule)
    content = portableBytecode(runner.moduleRunner().module(), paths);
  store.put(cached.key.key, encodeRecord({cached.key, outcome}, step, paths),
            content);
}

StepOutcome CachedStepRunner::run(const Step &step) {
  const CachedStep &cached = steps[step.id];
  if (cached.decision == CacheDecision::Run) {
    StepOutcome outcome = runner.run(step);
    if (outcome.status == StepStatus::Passed && !cached.key.key.empty() &&
        !(makesBytes(step) && ModuleRunner::handles(step)) &&
        !wroteToStandardError())
      keep(step, cached, outcome);
    outcome.cacheNote = cached.note;
    return outcome;
  }
  if (cached.decision == CacheDecision::Load) {
    StepOutcome outcome = load(step, cached);
    outcome.cache = CacheUse::Found;
    return outcome;
  }
  StepOutcome outcome = cached.outcome;
  outcome.cache = CacheUse::Unneeded;
  return outcome;
}
