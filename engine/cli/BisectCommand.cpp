// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run bisect`: searches, and says what it has found.
#include "cli/Command.h"

#include "cli/LogObserver.h"
#include "cli/SharedOptions.h"
#include "core/json/Fields.h"
#include "core/numerics/Statistics.h"
#include "core/support/FileSystem.h"
#include "insight/debug/FaultFolder.h"
#include "insight/report/TerminalReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <chrono>

using namespace lh;

namespace {
struct BisectOptions {
  BisectionOptions search;
  std::string outDir = "lh-bisect";
  std::string json;
};
} // namespace

static void addBisectFlags(CLI::App &command, BisectOptions &options) {
  addGraphFlags(command, options.search.run.graph);
  addValue(command, "--property", "mismatch|crash|nan|slow",
           options.search.property,
           "what to look for: wrong results or code that fails, code that "
           "fails, NaN and infinities that the reference lacks, or code that "
           "is slow (default: what the first result that fails shows)")
      ->check(CLI::IsMember({"mismatch", "crash", "nan", "slow"}));
  addValue(command, "--slower-than", "TIMES", options.search.slowerThan,
           "slow is what takes so many times as long as the imported module, "
           "lowered plainly; medians of 5 calls are compared, and operations "
           "of a schedule are not told apart (default: 2)")
      ->check(CLI::PositiveNumber);
  addValue(command, "--repeat", "N", options.search.repeat,
           "run each probe so often; it is bad if one run is. Without it, a "
           "fault that comes and goes is an error")
      ->check(CLI::Range(1U, 1000U));
  addValue(command, "--out", "DIR", options.outDir,
           "the folder for a manifest that shows the fault alone, with its "
           "module, inputs and expected outputs (default: lh-bisect)");
  addJsonFlag(command, options.json, "write what was found as JSON");
  addExecutionFlags(command, options.search.run);
}

static std::string placeText(const SourceSpan &where) {
  if (!where.isKnown())
    return "";
  std::string text = displayPath(where.file, workingDirectory());
  if (where.line > 0)
    text += ":" + std::to_string(where.line);
  if (where.column > 0)
    text += ":" + std::to_string(where.column);
  return text;
}

static void printChange(const ModuleChange &change, llvm::raw_ostream &out) {
  out << "  change   " << change.gone << " operations went, " << change.came
      << " came\n";
  for (const std::string &op : change.goneOps)
    out << "           - " << op << '\n';
  if (change.gone > change.goneOps.size())
    out << "           - ... " << change.gone - change.goneOps.size()
        << " more\n";
  for (const std::string &op : change.cameOps)
    out << "           + " << op << '\n';
  if (change.came > change.cameOps.size())
    out << "           + ... " << change.came - change.cameOps.size()
        << " more\n";
  if (change.names.empty())
    return;
  constexpr size_t mostShown = 6;
  ArrayRef<std::string> shown = change.names;
  out << "  nodes    '"
      << visibleLine(llvm::join(shown.take_front(mostShown), "', '")) << "'";
  if (shown.size() > mostShown)
    out << " and " << shown.size() - mostShown << " more";
  out << '\n';
}

static void printPart(const Fault &fault, llvm::raw_ostream &out) {
  if (!fault.part)
    return;
  bool ofSchedule = std::holds_alternative<ScheduleAction>(fault.part->action);
  out << (ofSchedule ? "  op       " : "  pass     ") << fault.part->name;
  if (fault.partCount > 1)
    out << ", number " << fault.partNumber << " of " << fault.partCount;
  out << "  (" << placeText(fault.part->where) << ")\n";
  if (fault.targetCount > 0)
    out << "  match    number " << fault.targetNumber << " of the "
        << fault.targetCount << " operations that it acts on\n";
}

static void printFault(const Fault &fault, double seconds,
                       llvm::raw_ostream &out) {
  out << "found after " << fault.bubbleProbes << " probes of bubbles";
  if (fault.innerProbes > 0)
    out << " and " << fault.innerProbes << " inside";
  out << ", " << durationText(seconds) << '\n'
      << "  bubble   " << fault.bubble << "  (" << placeText(fault.bubbleAt)
      << ")\n";
  if (!fault.beside.empty())
    out << "           or " << llvm::join(fault.beside, ", ")
        << ", which can't be told from it\n";
  printPart(fault, out);
  if (fault.change)
    printChange(*fault.change, out);
  if (fault.wrong)
    out << "  wrong    output '" << visibleLine(fault.wrong->output) << "' "
        << indexText(fault.wrong->index)
        << llvm::format(" is %.9g, %s says %.9g\n", fault.wrong->actual,
                        fault.wrong->against.c_str(), fault.wrong->expected);
  out << "  so that  " << visibleMessage(fault.words) << '\n';
}

static Json toJson(const Fault &fault, double seconds) {
  auto describe = [&](auto &v) {
    v("beside", fault.beside);
    v("bubble", fault.bubble);
    v("bubble_probes", fault.bubbleProbes);
    v("case", fault.key.caseName);
    if (fault.change)
      v("change", [&](auto &inner) {
        inner("came", fault.change->came);
        inner("came_ops", fault.change->cameOps);
        inner("gone", fault.change->gone);
        inner("gone_ops", fault.change->goneOps);
        inner("nodes", fault.change->names);
      });
    v("data_set", fault.key.dataSet);
    v("inner_probes", fault.innerProbes);
    if (fault.targetCount > 0)
      v("match", [&](auto &inner) {
        inner("number", fault.targetNumber);
        inner("of", fault.targetCount);
      });
    if (fault.part)
      v("part", [&](auto &inner) {
        inner("kind", std::holds_alternative<ScheduleAction>(fault.part->action)
                          ? "schedule-op"
                          : "pass");
        inner("name", fault.part->name);
        inner("number", fault.partNumber);
        inner("of", fault.partCount);
        inner("where", placeText(fault.part->where));
      });
    v("pipeline", fault.key.pipeline);
    v("seconds", seconds);
    v("target", fault.key.target);
    v("words", fault.words);
    if (fault.wrong)
      v("wrong", [&](auto &inner) {
        inner("actual", fault.wrong->actual);
        inner("expected", fault.wrong->expected);
        inner("index", fault.wrong->index);
        inner("output", fault.wrong->output);
      });
  };
  return writeFields(describe, FieldUse::Report);
}

static int runBisect(const BisectOptions &options, DriverEnv &env) {
  auto begin = std::chrono::steady_clock::now();
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Engine::Options engineOptions;
  engineOptions.runner.keepsInputs = true;
  FailureOr<RunSetup> setup =
      setUpRun(options.search.run.graph, engineOptions, sources, env, sink);
  if (failed(setup) ||
      (!options.json.empty() && failed(checkWritable(options.json, {}, sink))))
    return badUsage;
  RunObserver nobody;
  LogObserver log(nobody, /*color=*/false);
  RunObserver &observer =
      options.search.run.verbose ? static_cast<RunObserver &>(log) : nobody;
  Bisection bisection(options.search, *setup, sources, env, observer, sink);
  if (failed(bisection.runWhole()))
    return badUsage;
  FailureOr<Fault> fault = bisection.find();
  if (failed(fault))
    return 1;
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  printFault(*fault, taken.count(), env.out);
  if (!options.json.empty() &&
      failed(writeFileAtomically(
          options.json, printJson(toJson(*fault, taken.count())), {}, sink)))
    return 1;
  std::string folder = absolutePath(options.outDir, workingDirectory());
  auto written = writeFaultFolder({*fault, bisection.prober(), *setup,
                                   options.search.run, sources, env, observer},
                                  folder, sink);
  if (failed(written))
    return 1;
  if (*written)
    env.out << "  repeat   lh-run "
            << (fault->property == FaultProperty::Slow ? "bench " : "")
            << displayPath(folder + "/manifest.yaml", workingDirectory())
            << '\n';
  return 0;
}

CommandRun lh::makeBisectCommand(CLI::App &command) {
  return makeCommand(command, addBisectFlags, runBisect);
}
