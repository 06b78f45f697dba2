// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs that plans start: whether they may, and starting them.
#include "steps/ExternalPrograms.h"

#include "core/manifest/KernelParser.h"
#include "runtime/emulated/Emulation.h"
#include "runtime/emulated/Launch.h"
#include "steps/KernelBodies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <set>
#include <unistd.h>

using namespace lh;

/// The words of the step's command; null: it has none.
static const std::vector<std::string> *commandOf(const Step &step) {
  if (const auto *command = std::get_if<CommandAction>(&step.action))
    return &command->words;
  const auto *import = std::get_if<ImportAction>(&step.action);
  return import && !import->command.empty() ? &import->command : nullptr;
}

/// The target whose emulator runs the step's code; null: none does.
static const TargetSpec *emulatedTarget(const Step &step,
                                        const HostFacts &host) {
  const auto *compile = std::get_if<CompileAction>(&step.action);
  return compile && !compile->tool && isEmulated(*compile->target, host)
             ? &*compile->target
             : nullptr;
}

/// The compiler of others' that runs the step's model; null: none does.
static const ToolSpec *toolOf(const Step &step) {
  const auto *compile = std::get_if<CompileAction>(&step.action);
  return compile && compile->tool ? &*compile->tool->tool : nullptr;
}

/// The target whose programs compile and run the step's code; null: none do.
static const TargetSpec *externalTarget(const Step &step) {
  const auto *compile = std::get_if<CompileAction>(&step.action);
  return compile && !compile->tool && !compile->target->compile.empty()
             ? &*compile->target
             : nullptr;
}

/// By the folder that it lies in: who can write to an installed one can do
/// more.
static bool liesIn(StringRef folder, StringRef file,
                   ArrayRef<std::string> libraries) {
  llvm::SmallString<128> place, installed;
  if (llvm::sys::fs::real_path(llvm::sys::path::parent_path(file), place))
    return false;
  return llvm::any_of(libraries, [&](const std::string &library) {
    return !llvm::sys::fs::real_path(library + "/" + folder, installed) &&
           place == installed;
  });
}

bool lh::isOfLibrary(const KernelSpec &kernel,
                     ArrayRef<std::string> libraries) {
  return liesIn("kernels", kernel.file, libraries);
}

/// The kernel whose body a compiler is started for, or that is loaded; null:
/// the step has none.
static const KernelSpec *nativeKernel(const Step &step) {
  const auto *schedule = std::get_if<ScheduleAction>(&step.action);
  if (!schedule || !schedule->kernel)
    return nullptr;
  const KernelSpec &kernel = *schedule->kernel;
  return needsCompiler(kernel) || loadsLibrary(kernel) ? &kernel : nullptr;
}

/// Patterns in PDLL, which a program translates; null: the step has none.
static const PatternsAction *translatedPatterns(const Step &step) {
  const auto *patterns = std::get_if<PatternsAction>(&step.action);
  return patterns && patterns->isPdll() ? patterns : nullptr;
}

bool lh::startsProgram(const Step &step, const HostFacts &host) {
  return commandOf(step) || toolOf(step) || externalTarget(step) ||
         emulatedTarget(step, host) || nativeKernel(step) ||
         translatedPatterns(step);
}

LogicalResult lh::refusePrograms(const Plan &plan, const HostFacts &host,
                                 ArrayRef<std::string> libraries,
                                 DiagnosticSink &sink) {
  LogicalResult result = success();
  std::set<std::string> told;
  auto refuse = [&](const SourceSpan &where, const Twine &what) {
    result = failure();
    std::string message =
        (what + "; a program is started with your rights, and only with "
                "--allow-exec")
            .str();
    if (told.insert(where.file + message).second)
      (void)sink.error(DiagKind::PlanNotAllowed, where, message);
  };
  for (const Step &step : plan.steps) {
    if (const std::vector<std::string> *words = commandOf(step))
      refuse(step.declaredAt, "bubble '" + step.bubble + "' starts '" +
                                  (words->empty() ? "" : words->front()) + "'");
    if (const ToolSpec *tool = toolOf(step))
      refuse(step.declaredAt, "bubble '" + step.bubble + "' starts '" +
                                  tool->serve.front().value + "'");
    if (const TargetSpec *external = externalTarget(step))
      refuse(external->compile.front().where,
             "target '" + external->name + "' is compiled by a program");
    const TargetSpec *target = emulatedTarget(step, host);
    if (target && !target->run.emulator.empty() &&
        !liesIn("targets", target->file, libraries))
      refuse(target->run.emulator.front().where,
             "target '" + target->name +
                 "' names an emulator and is not one of the installed targets");
    if (const PatternsAction *patterns = translatedPatterns(step))
      refuse(patterns->where, "patterns in PDLL are translated by mlir-pdll");
    const KernelSpec *kernel = nativeKernel(step);
    if (kernel && (loadsLibrary(*kernel) || !isOfLibrary(*kernel, libraries)))
      refuse(bodyFile(*kernel).where,
             "kernel '" + kernel->name + "' has its body " +
                 (loadsLibrary(*kernel)
                      ? "loaded as a shared library"
                      : "compiled and is not one of the installed kernels"));
  }
  return result;
}

FailureOr<std::string> lh::runExternalCommand(ArrayRef<std::string> words,
                                              StringRef input,
                                              DiagnosticSink &sink) {
  auto fail = [&](const Twine &what) {
    return sink.error(DiagKind::DriverCommandFailed, {},
                      "command '" + words.front() + "' " + what);
  };
  MemoryFile in, out;
  if (!in.isUsable() || !out.isUsable() || !in.write(input) ||
      lseek(in.descriptor(), 0, SEEK_SET) != 0)
    return fail("can't be started: there is no memory for its input");
  LaunchResult done = launch(words, {&in, &out}, &out, &in);
  if (std::string why = whyLaunchFailed(done); !why.empty())
    return fail(why);
  return out.read();
}
