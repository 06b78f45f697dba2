// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One reason per way in which a runner can end.
#include "runtime/emulated/Outcome.h"

#include "runtime/emulated/Emulation.h"

#include "llvm/ADT/StringExtras.h"

#include <csignal>
#include <cstring>

using namespace lh;

namespace {
/// Reports on one run.
class Coroner {
public:
  Coroner(const LaunchResult &launched, const LhJob &job,
          const RunnerContext &context, const SourceSpan &where,
          DiagnosticSink &sink)
      : launched(launched), job(job), context(context), where(where),
        sink(sink) {}

  LogicalResult report();

private:
  LogicalResult fail(DiagKind kind, const Twine &what) {
    return sink.error(kind, where, what);
  }
  LogicalResult reportProblem();
  LogicalResult reportLoading();
  LogicalResult reportLength();
  LogicalResult reportIllegal();
  LogicalResult reportSignal(int signal);
  LogicalResult reportExit();
  std::string machine() const {
    return context.machine.empty() ? "this machine"
                                   : "'" + context.machine + "'";
  }
  std::string doing() const;

  const LaunchResult &launched;
  const LhJob &job;
  const RunnerContext &context;
  const SourceSpan &where;
  DiagnosticSink &sink;
};
} // namespace

/// The outcome's text, which the other side may have damaged.
template <size_t N> static StringRef textOf(const char (&text)[N]) {
  return StringRef(text, strnlen(text, N));
}

std::string Coroner::doing() const {
  switch (job.state) {
  case LH_LOADING:
    return "while it loaded the code";
  case LH_PREPARING:
    return "in 'prepare'";
  case LH_CALLING:
  case LH_DONE:
    return "in '" + context.entry + "'";
  default:
    return "before it began";
  }
}

LogicalResult Coroner::reportLoading() {
  StringRef text = textOf(job.text);
  auto [before, symbol] = text.split("undefined symbol: ");
  if (symbol.empty())
    return fail(DiagKind::BackendCompileFailed,
                "the compiled code can't be loaded: " + text);
  return fail(DiagKind::BackendUnresolvedSymbol,
              "the compiled code calls '" + symbol.split(',').first +
                  "', which neither the runner nor the C library of target '" +
                  context.target + "' has");
}

LogicalResult Coroner::reportLength() {
  return fail(DiagKind::BackendVectorLength,
              machine() + " has " + (job.streaming ? "streaming " : "") +
                  "vectors of " + Twine(job.vectorBits) +
                  " bits, this run of target '" + context.target + "' is for " +
                  textOf(VectorBits{job.leastVectorBits, job.mostVectorBits}) +
                  "; the code was not called");
}

LogicalResult Coroner::reportIllegal() {
  std::string place = textOf(job.symbol).str();
  if (!place.empty())
    place = " at '" + place + "'+" + std::to_string(job.symbolOffset);
  return fail(DiagKind::BackendIllegalInstruction,
              "SIGILL " + doing() + ": " + machine() +
                  " doesn't have the instruction 0x" +
                  llvm::utohexstr(job.word, /*LowerCase=*/true, /*Width=*/8) +
                  place + "; target '" + context.target + "' uses " +
                  (context.features.empty() ? "no extension by name"
                                            : context.features));
}

LogicalResult Coroner::reportProblem() {
  StringRef text = textOf(job.text);
  switch (job.problem) {
  case LH_CANNOT_LOAD:
    return reportLoading();
  case LH_CANNOT_READ:
    return fail(DiagKind::BackendWeightFile, text);
  case LH_VECTOR_LENGTH:
    return reportLength();
  case LH_GAVE_UP:
    return fail(DiagKind::BackendBadOutput,
                "'" + Twine(context.entry) + "' gave up: " + text);
  case LH_REFUSED:
    return fail(DiagKind::BackendLibrary, "the built library's " + text);
  case LH_NO_MEMORY:
    return fail(DiagKind::BackendRunnerMemory, "out of memory " + doing() +
                                                   ": it asked for " + text +
                                                   " bytes");
  case LH_BAD_FREE:
    return fail(DiagKind::BackendRunnerFailed,
                "'" + Twine(context.entry) +
                    "' freed memory that it doesn't own, or freed it twice");
  case LH_SIGNAL:
    if (job.signal == SIGILL)
      return reportIllegal();
    return reportSignal(static_cast<int>(job.signal));
  default:
    return reportExit();
  }
}

LogicalResult Coroner::reportSignal(int signal) {
  const char *name = sigabbrev_np(signal);
  const char *meaning = sigdescr_np(signal);
  std::string text = std::string("SIG") + (name ? name : "?") + " (" +
                     (meaning ? StringRef(meaning).lower() : "unknown") + ")";
  if (signal == SIGKILL)
    return fail(DiagKind::BackendRunnerMemory,
                "the runner was killed " + doing() +
                    ", as the system does when memory runs out: " + text);
  return fail(DiagKind::BackendRunnerFailed,
              "the runner crashed " + doing() + " with " + text);
}

static bool tellsOfMemory(StringRef text) {
  return text.contains_insensitive("cannot allocate") ||
         text.contains_insensitive("out of memory") ||
         text.contains_insensitive("failed to allocate");
}

LogicalResult Coroner::reportExit() {
  StringRef said = lastLines(launched.errors, 2);
  DiagKind kind = tellsOfMemory(said) ? DiagKind::BackendRunnerMemory
                                      : DiagKind::BackendRunnerFailed;
  return fail(kind, machine() + " ended with code " + Twine(launched.exitCode) +
                        " " + doing() +
                        (said.empty() ? Twine("") : ": " + said));
}

LogicalResult Coroner::report() {
  if (!launched.problem.empty())
    return fail(DiagKind::BackendToolNotFound,
                "the runner can't be started: " + launched.problem);
  if (job.problem != LH_NO_PROBLEM)
    return reportProblem();
  if (launched.signal != 0)
    return reportSignal(launched.signal);
  return reportExit();
}

LogicalResult lh::checkOutcome(const LaunchResult &launched, const LhJob &job,
                               const RunnerContext &context,
                               const SourceSpan &where, DiagnosticSink &sink) {
  bool ended = launched.problem.empty() && launched.exitCode == 0 &&
               launched.signal == 0;
  if (ended && job.state == LH_DONE && job.problem == LH_NO_PROBLEM)
    return success();
  return Coroner(launched, job, context, where, sink).report();
}
