// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches the sites of one path, and finds out what is surely faster.
#include "cli/TuneSearch.h"

#include "cli/RunContext.h"
#include "core/support/Version.h"
#include "core/tune/Winner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <chrono>
#include <cmath>

using namespace lh;

/// What is nearer to the default isn't worth a final.
static constexpr double sameTime = 0.995;
static constexpr size_t mostFinalists = 4;
/// Of five ratios that differ by 0.4 %, a bound lies 0.8 % away (Winner.h).
static constexpr size_t sittingsOfFinal = 5;

RoundOptions lh::finalRound(size_t sittings) {
  RoundOptions round;
  round.measure.timeLimit = 4;
  round.measure.errorPercent = 1;
  round.everywhere = true;
  round.sittings = sittings;
  return round;
}

/// Three digits: more are noise.
static double rounded(double ratio) { return std::round(ratio * 1000) / 1000; }

TunedGain lh::gainIn(ArrayRef<double> ratios, size_t count) {
  Gain gain = gainOf(ratios, count);
  return {rounded(gain.median), rounded(gain.from), rounded(gain.to)};
}

TunedEntry lh::winnerEntry(const TuneTrials &trials, size_t site, size_t point,
                           const TunedGain &gain, size_t tried) {
  const TuneSite &about = trials.sites()[site];
  TunedEntry entry = entryFor(about, about.space.points[point]);
  entry.gain = gain;
  entry.seen.cpu = trials.host().cpu;
  entry.seen.cacheBytes = trials.host().l2Bytes;
  entry.seen.lhRun = versions().at("lh-run");
  entry.seen.llvm = versions().at("LLVM");
  entry.seen.trials = static_cast<int64_t>(tried);
  entry.seen.date = timeText(std::time(nullptr)).substr(0, 10);
  return entry;
}

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double TuneSearch::secondsSince() const { return now() - started; }

TuneSearch::TuneSearch(const SearchOptions &options, TuneTrials &trials,
                       DriverEnv &env, DiagnosticSink &sink,
                       llvm::function_ref<bool(const TuneSite &)> isWanted)
    : options(options), trials(trials), env(env), sink(sink),
      work(trials.workKey()), started(now()) {
  for (const auto &[index, site] : llvm::enumerate(trials.sites()))
    if (isWanted(site))
      sites.push_back({index, {{0, 1.0}}}); // the default
}

/// What was tried before of the same work, in the same space.
LogicalResult TuneSearch::readLog() {
  if (options.log.empty())
    return success();
  FailureOr<TrialsRead> read = readTrials(options.log, sink);
  if (failed(read))
    return failure();
  if (read->damaged > 0)
    env.err << options.log << ": " << read->damaged
            << " lines are no trials, and are left out\n";
  size_t known = 0;
  for (Site &site : sites) {
    const TuneSpace &space = siteOf(site).space;
    std::string hash = hashOf(space), name = work + " " + siteOf(site).text;
    for (const TrialRecord &record : read->trials) {
      std::optional<size_t> point = indexOf(space, record.point);
      if (record.work != name || record.space != hash || !point)
        continue;
      TriedPoint &tried = site.tried.emplace_back(TriedPoint{*point, {}});
      if (record.ratio)
        tried.cost = 1 / record.ratio->median;
      seen.push_back(record);
      ++known;
    }
  }
  if (known > 0)
    env.out << "  " << known << " trials are known from " << options.log
            << '\n';
  return success();
}

/// A round's trials, for the log and for the page.
LogicalResult TuneSearch::note(const Site &site, ArrayRef<size_t> points,
                               ArrayRef<TrialResult> results) {
  std::vector<TrialRecord> lines;
  for (auto [point, result] : llvm::zip_equal(points, results)) {
    if (result.outcome == TrialOutcome::Lost)
      continue;
    TrialRecord &line = lines.emplace_back();
    line.space = hashOf(siteOf(site).space);
    line.work = work + " " + siteOf(site).text;
    line.target = trials.key().target;
    line.cpu = trials.host().cpu;
    line.versions = versions();
    line.point = siteOf(site).space.points[point];
    line.outcome = result.outcome;
    line.reason = result.reason;
    line.seconds = result.seconds;
    if (result.cost)
      line.ratio = TrialRatio{1 / *result.cost,
                              result.ratio ? result.ratio->relativeError : 1};
    line.baseSeconds = result.baseSeconds;
    line.code = result.code;
    line.compileSeconds = result.compileSeconds;
    line.round = rounds;
    line.seed = options.seed;
    line.host = result.host.empty() ? hostName() : result.host;
    line.when = timeText(std::time(nullptr));
  }
  llvm::append_range(seen, lines);
  return options.log.empty() ? success()
                             : appendTrials(options.log, lines, sink);
}

/// Those faster than the default, the fastest first.
static std::vector<TriedPoint> fasterThanDefault(ArrayRef<TriedPoint> tried) {
  std::map<size_t, double> costs; // the last counts
  for (const TriedPoint &point : tried)
    if (point.point != 0 && point.cost)
      costs[point.point] = *point.cost;
  std::vector<TriedPoint> faster;
  for (const auto &[point, cost] : costs)
    if (cost < sameTime)
      faster.push_back({point, cost});
  llvm::stable_sort(faster, [](const TriedPoint &a, const TriedPoint &b) {
    return *a.cost < *b.cost;
  });
  return faster;
}

/// What the round came to, and the best so far of each site.
void TuneSearch::tell(ArrayRef<TrialResult> results) {
  std::map<TrialOutcome, size_t> counts;
  for (const TrialResult &result : results)
    ++counts[result.outcome];
  env.out << "round " << rounds << llvm::format(", %.0f s: ", secondsSince())
          << tried << " tried";
  for (const auto &[outcome, count] : counts)
    if (outcome != TrialOutcome::Measured)
      env.out << ", " << count << ' ' << enumName(outcome);
  for (const Site &site : sites) {
    std::vector<TriedPoint> best = fasterThanDefault(site.tried);
    if (!best.empty())
      env.out << "; best " << llvm::format("%.2fx ", 1 / *best[0].cost)
              << textOf(siteOf(site).space.points[best[0].point]);
  }
  env.out << '\n';
  for (const TrialResult &result : results)
    if (!result.reason.empty() && told.insert(result.reason).second)
      env.out << "  " << enumName(result.outcome) << ": "
              << visibleMessage(result.reason) << '\n';
  env.out.flush();
}

/// Tries points of the next site that has some. Whether there was one.
bool TuneSearch::round() {
  size_t count = std::min(options.batch * options.batches,
                          options.trials - std::min(tried, options.trials));
  for (size_t i = 0; i < sites.size() && count > 0; ++i) {
    Site &site = sites[next++ % sites.size()];
    std::vector<size_t> points = proposePoints(
        siteOf(site).space, site.tried, options.kind, count, options.seed);
    if (points.empty())
      continue;
    std::vector<Assignment> assignments;
    for (size_t point : points)
      assignments.push_back({{site.index, point}});
    // A round is for finding who is worth a final: 2 % are noise here.
    RoundOptions options;
    options.measure.timeLimit = 0.15 * static_cast<double>(points.size() + 1);
    options.measure.errorPercent = 2;
    options.measure.dropsLosers = true;
    std::vector<TrialResult> results = trials.tryAll(assignments, options);
    if (trials.wasInterrupted())
      return false;
    ++rounds;
    tried += points.size();
    // Nothing is known of what was lost: it may be tried again.
    for (auto [point, result] : llvm::zip_equal(points, results))
      if (result.outcome != TrialOutcome::Lost)
        site.tried.push_back({point, result.cost});
    logFailed |= failed(note(site, points, results));
    tell(results);
    return !logFailed;
  }
  return false;
}

std::vector<Assignment> TuneSearch::finalists() const {
  std::vector<std::pair<double, Assignment>> all;
  for (const Site &site : sites)
    for (const TriedPoint &point : fasterThanDefault(site.tried))
      all.push_back({*point.cost, {{site.index, point.point}}});
  llvm::stable_sort(all, llvm::less_first());
  all.resize(std::min(all.size(), mostFinalists));
  std::vector<Assignment> chosen;
  for (auto &[cost, assignment] : llvm::reverse(all))
    chosen.push_back(std::move(assignment));
  return chosen;
}

/// The fastest once more, in several sittings and another order, on all inputs:
/// which is surely faster than the default.
std::optional<TunedEntry> TuneSearch::final() {
  std::vector<Assignment> assignments = finalists();
  if (assignments.empty())
    return std::nullopt;
  std::vector<TrialResult> results =
      trials.tryAll(assignments, finalRound(sittingsOfFinal));
  std::vector<std::vector<double>> ratios;
  std::vector<Assignment> who;
  for (auto [assignment, result] : llvm::zip_equal(assignments, results)) {
    auto [site, point] = *assignment.begin();
    env.out << "final: " << textOf(trials.sites()[site].space.points[point]);
    if (!result.ratio) {
      env.out << ": " << enumName(result.outcome) << ", "
              << visibleMessage(result.reason) << '\n';
      continue;
    }
    ratios.push_back(result.sittings);
    who.push_back(assignment);
    TunedGain gain = gainIn(result.sittings, assignments.size());
    env.out << llvm::format(": %.3fx [%.3f, %.3f]\n", gain.median, gain.low,
                            gain.high);
  }
  std::optional<size_t> best = winnerOf(ratios, options.leastGain);
  if (!best)
    return std::nullopt;
  auto [site, point] = *who[*best].begin();
  size_t known = 0;
  for (const Site &each : sites)
    if (each.index == site)
      known = each.tried.size() - 1;
  return winnerEntry(trials, site, point, gainIn(ratios[*best], ratios.size()),
                     known);
}

FailureOr<std::optional<TunedEntry>> TuneSearch::run() {
  if (failed(readLog()))
    return failure();
  while (tried < options.trials && secondsSince() < options.seconds &&
         !trials.wasInterrupted() && round()) {
  }
  if (trials.wasInterrupted() || logFailed)
    return failure();
  std::optional<TunedEntry> won = final();
  if (trials.wasInterrupted())
    return failure();
  return won;
}
