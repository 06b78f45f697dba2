// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the seats of each case take turns, with probes between them.
#include "cli/Measurement.h"

#include "core/exec/Signals.h"
#include "core/graph/Evaluate.h"
#include "core/plan/ToolTargets.h"
#include "core/support/Suggestion.h"
#include "insight/report/Summary.h"
#include "runtime/cpu/Probes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>
#include <chrono>
#include <set>

using namespace lh;

/// Of the copy probe: less is a call's own cost, more is memory like any.
static constexpr uint64_t leastFootprint = uint64_t{1} << 12;
static constexpr uint64_t mostFootprint = uint64_t{1} << 29;

/// Who takes this many times the fastest's time wins no race.
static constexpr double outOfReach = 2;

namespace {

/// The group in the making, and who takes its rows' turns.
struct Heat {
  BenchGroup group;
  std::vector<StepId> leaves; ///< by row
  /// Of the rows that take turns. Equal code of two pipelines has one seat.
  std::vector<Seat *> contestants;
  std::vector<std::unique_ptr<Seat>> probes;
};

class Measurement {
public:
  Measurement(const RunRecord &run, BenchSeats &seats,
              const MeasureOptions &options, const HostFacts &host,
              const MeasuredCores &cores)
      : run(run), seats(seats), options(options), host(host) {
    record.cpu = host.cpu;
    record.core = cores.last;
    record.threads = cores.count;
    record.base = options.vs;
    record.isRace = options.race;
    record.targetError = options.errorPercent / 100;
    record.limitSeconds = options.timeLimit;
  }

  BenchRecord measureAll();

private:
  std::vector<std::vector<size_t>> resultsByCase() const;
  void measureCase(ArrayRef<size_t> results);
  void addRow(Heat &heat, size_t result);
  std::string whyNotMeasured(size_t result) const;
  void begin(Heat &heat);
  void addProbe(Heat &heat, ProbeInfo info,
                llvm::function_ref<std::unique_ptr<Sitter>()> make);
  void addProbes(Heat &heat);
  void measureCopies();
  TurnsTaken takeTurns(Heat &heat);
  TurnOptions turnOptions();

  const RunRecord &run;
  BenchSeats &seats;
  const MeasureOptions &options;
  const HostFacts &host;
  SignalCollector signals{SIGINT, SIGTERM};
  BenchRecord record;
};

} // namespace

/// Of results that can be measured, in the plan's order.
std::vector<std::vector<size_t>> Measurement::resultsByCase() const {
  std::map<std::pair<std::string, std::string>, size_t> places;
  std::vector<std::vector<size_t>> groups;
  for (size_t i = 0; i < run.results.size(); ++i) {
    const PlannedResult &planned = run.plan.results[i];
    if (!planned.skipped.empty() || !planned.notApplicable.empty() ||
        (!seats.find(planned.leaf) && !seats.isSimulated(planned.leaf)))
      continue;
    auto [place, isNew] = places.try_emplace(
        {planned.key.caseName, planned.key.dataSet}, groups.size());
    if (isNew)
      groups.emplace_back();
    groups[place->second].push_back(i);
  }
  return groups;
}

/// Whether two results check the same code.
static bool haveOneCode(const ResultKey &a, const ResultKey &b) {
  return a.caseName == b.caseName && a.target == b.target &&
         a.sweep == b.sweep && a.pipeline == b.pipeline;
}

/// What is wrong on any input isn't worth timing on another.
std::string Measurement::whyNotMeasured(size_t result) const {
  const ResultRecord &own = run.results[result];
  if (own.status != ResultStatus::Passed)
    return enumName(own.status).str() + ": " + own.reason;
  for (const ResultRecord &other : run.results)
    if (haveOneCode(own.key, other.key) && other.status == ResultStatus::Failed)
      return "failed on the data set '" + other.key.dataSet +
             "': " + other.reason;
  if (seats.isSimulated(run.plan.results[result].leaf))
    return "it ran on a device in software, whose time says nothing of a real "
           "one's";
  return "";
}

unsigned lh::mostThreads(const ResolvedGraph &graph) {
  unsigned most = 1;
  for (const TargetSpec &target : graph.targets)
    most = std::max(most, static_cast<unsigned>(threadsOf(target)));
  return most;
}

bool lh::knowsPipeline(StringRef flag, StringRef name,
                       const ResolvedGraph &graph, DriverEnv &env) {
  std::vector<StringRef> names;
  for (const ResolvedPipeline &pipeline : graph.pipelines)
    names.push_back(pipeline.name);
  if (name.empty() || llvm::is_contained(names, name))
    return true;
  env.err << "lh-run: " << flag << ": there is no pipeline '" << name << "'"
          << didYouMean(name, names) << '\n';
  return false;
}

std::optional<ContractionWork> lh::workOf(const RunRecord &run, size_t result) {
  for (StepId step : pathOf(run, result))
    if (run.outcomes[step].work)
      return run.outcomes[step].work;
  return std::nullopt;
}

void Measurement::addRow(Heat &heat, size_t result) {
  BenchRow row;
  row.key = run.results[result].key;
  if (const ToolUse *tool = toolOf(run.plan, run.plan.results[result].leaf))
    row.tool = labelOf(*tool);
  row.whyNot = whyNotMeasured(result);
  if (!heat.group.work)
    heat.group.work = workOf(run, result);
  heat.leaves.push_back(run.plan.results[result].leaf);
  heat.group.rows.push_back(std::move(row));
}

/// Asks for those who are to take turns.
void Measurement::begin(Heat &heat) {
  for (auto [row, leaf] : llvm::zip(heat.group.rows, heat.leaves)) {
    if (!row.whyNot.empty())
      continue;
    Seat &seat = *seats.find(leaf);
    seat.setPatience(signals.descriptor(), options.stepTimeout);
    if (!llvm::is_contained(heat.contestants, &seat) && !seat.begin()) {
      row.whyNot = seat.failure();
      continue;
    }
    row.bytes = seat.bytes();
    row.onDevice = seat.isOnDevice();
    heat.contestants.push_back(&seat);
  }
}

void Measurement::addProbe(Heat &heat, ProbeInfo info,
                           llvm::function_ref<std::unique_ptr<Sitter>()> make) {
  auto seat = std::make_unique<Seat>();
  seat->setPatience(signals.descriptor(), options.stepTimeout);
  if (!seat->isOpen() || !seat->take(record.core, make) || !seat->begin())
    return;
  // A copy says itself what it moves.
  if (info.workPerCall == 0)
    info.workPerCall = static_cast<double>(seat->bytes());
  // A probe has one thread.
  info.workPerCall *= record.threads;
  heat.group.probes.push_back({std::move(info), {}});
  heat.probes.push_back(std::move(seat));
}

static std::string footprintText(uint64_t bytes) {
  double mebibytes = static_cast<double>(bytes) / (1 << 20);
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(mebibytes < 1 ? "copy of %.0f KiB" : "copy of %.0f MiB",
                      mebibytes < 1 ? mebibytes * 1024 : mebibytes);
  return text;
}

void Measurement::addProbes(Heat &heat) {
  // They say what this machine's cores can do.
  if (llvm::all_of(heat.group.rows, [](const BenchRow &row) {
        return !row.whyNot.empty() || row.onDevice;
      }))
    return;
  if (heat.group.operations())
    for (const auto &[dtype, count] : heat.group.work->operations)
      for (const ArithmeticProbe &probe : arithmeticProbes(dtype, host))
        addProbe(heat, {probe.unit, dtype, probe.operations},
                 [&] { return makeArithmeticSitter(probe); });
  uint64_t footprint = leastFootprint;
  for (const BenchRow &row : heat.group.rows)
    footprint = std::max(footprint, row.bytes);
  footprint = std::min(footprint, mostFootprint);
  addProbe(heat, {footprintText(footprint), "", 0},
           [&] { return makeCopySitter(footprint); });
}

/// Of a power of two each, for nodes that move no more: what a cache holds is
/// copied faster than what it doesn't.
void Measurement::measureCopies() {
  std::set<uint64_t> sizes;
  for (const StepOutcome &outcome : run.outcomes)
    for (const NodeWork &node : outcome.nodes)
      sizes.insert(std::clamp(std::bit_ceil(static_cast<uint64_t>(node.bytes)),
                              leastFootprint, mostFootprint));
  Heat copies;
  for (uint64_t size : sizes)
    addProbe(copies, {footprintText(size), "", 0},
             [&] { return makeCopySitter(size); });
  std::vector<Contestant *> contestants;
  for (const std::unique_ptr<Seat> &seat : copies.probes)
    contestants.push_back(seat.get());
  TurnsTaken taken = lh::takeTurns(contestants, {}, turnOptions());
  if (copies.probes.size() != sizes.size())
    return;
  for (auto [size, probe, series] :
       llvm::zip_equal(sizes, copies.group.probes, taken.contestants))
    if (double seconds = callTimes(series).statistics().median; seconds > 0)
      record.copies[size] = probe.probe.workPerCall / seconds;
}

TurnOptions Measurement::turnOptions() {
  TurnOptions turns;
  turns.targetError = record.targetError;
  turns.limitSeconds = record.limitSeconds;
  turns.outOfReach = record.isRace ? outOfReach : 0;
  turns.dropsLosers = options.dropsLosers;
  if (options.minLaps > 0)
    turns.minLaps = options.minLaps;
  turns.now = [] {
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now().time_since_epoch();
    return time.count();
  };
  turns.interrupted = [this] {
    record.interrupted |= signals.next() != 0;
    return record.interrupted;
  };
  return turns;
}

/// What was measured must in the end still be what was judged.
TurnsTaken Measurement::takeTurns(Heat &heat) {
  std::vector<Contestant *> contestants(heat.contestants.begin(),
                                        heat.contestants.end());
  std::vector<Contestant *> probes;
  for (const std::unique_ptr<Seat> &probe : heat.probes)
    probes.push_back(probe.get());
  TurnsTaken taken = lh::takeTurns(contestants, probes, turnOptions());
  if (!record.interrupted)
    for (auto [seat, series] : llvm::zip(heat.contestants, taken.contestants))
      if (series.failure.empty())
        series.failure = seat->finish();
  return taken;
}

void Measurement::measureCase(ArrayRef<size_t> results) {
  Heat heat;
  heat.group.caseName = run.results[results.front()].key.caseName;
  heat.group.dataSet = run.results[results.front()].key.dataSet;
  for (size_t result : results)
    addRow(heat, result);
  begin(heat);
  if (!heat.contestants.empty()) {
    addProbes(heat);
    addFigures(heat.group, takeTurns(heat), record);
  }
  for (StepId leaf : heat.leaves)
    seats.free(leaf);
  record.groups.push_back(std::move(heat.group));
}

BenchRecord Measurement::measureAll() {
  for (const std::vector<size_t> &results : resultsByCase())
    if (!record.interrupted)
      measureCase(results);
  if (options.copiesForNodes && !record.interrupted)
    measureCopies();
  return std::move(record);
}

BenchRecord lh::measure(const RunRecord &run, BenchSeats &seats,
                        const MeasureOptions &options, const HostFacts &host,
                        const MeasuredCores &cores) {
  return Measurement(run, seats, options, host, cores).measureAll();
}
