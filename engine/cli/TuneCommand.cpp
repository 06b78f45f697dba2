// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run tune`: searches a pipeline's choices, and writes down what wins.
#include "cli/Command.h"

#include "cli/RunContext.h"
#include "cli/SharedOptions.h"
#include "cli/TuneTrials.h"
#include "cli/TunedFile.h"
#include "core/manifest/ValueText.h"
#include "core/support/FileSystem.h"
#include "core/support/Version.h"
#include "core/tune/Search.h"
#include "core/tune/Winner.h"
#include "insight/report/Summary.h"
#include "insight/report/TunePage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <chrono>
#include <cmath>
#include <set>
using namespace lh;

namespace {
struct TuneOptions {
  ManifestRunOptions run;
  size_t trials = 64;
  double seconds = 300;
  SearchKind search = SearchKind::Tpe;
  size_t batch = 8;
  uint64_t seed = 1;
  double leastGain = 1; ///< percent
  std::string log = "tune-trials.jsonl";
  std::string write; ///< a tuned file
  std::string page;
  std::string check; ///< a tuned file whose entries are measured again
};

/// What is known of a site's points.
struct SiteSearch {
  std::vector<TriedPoint> tried;

  /// Those faster than the default, the fastest first.
  std::vector<size_t> fastest(size_t most) const;
};
} // namespace

/// A lap's noise: what is nearer to the default isn't told from it.
static constexpr double sameTime = 0.995;
/// Of a site beside others its profile is the time, which is less exact.
static constexpr double sameTimeOfSite = 0.97;
static constexpr size_t finalists = 4;

static void addTuneFlags(CLI::App &command, TuneOptions &options) {
  addGraphFlags(command, options.run.graph);
  addValue(command, "--trials", "N", options.trials,
           "try so many choices at most (default: 64)");
  addValue(command, "--seconds", "S", options.seconds,
           "begin no round after so many seconds (default: 300)");
  std::map<std::string, SearchKind> kinds;
  for (auto [index, name] : llvm::enumerate(enumNames(SearchKind())))
    kinds[name.str()] = static_cast<SearchKind>(index);
  addValue(command, "--search", "KIND", options.search,
           "'tpe': what good choices have more often than others (default); "
           "'random'; 'all'")
      ->transform(CLI::CheckedTransformer(kinds));
  addValue(command, "--batch", "N", options.batch,
           "choices of a round, which take turns with the default (default: 8)")
      ->check(CLI::Range(1, 64));
  addValue(command, "--search-seed", "N", options.seed,
           "another order of what is tried (default: 1)");
  addValue(command, "--least-gain", "PERCENT", options.leastGain,
           "what a choice has to gain surely to take the default's place "
           "(default: 1)")
      ->check(CLI::NonNegativeNumber);
  addValue(command, "--log", "FILE", options.log,
           "add each trial to this file, and go on from what it knows "
           "(default: tune-trials.jsonl)");
  addValue(command, "--write", "FILE", options.write,
           "put what wins into this file, for 'tuned:' and --tuned");
  addValue(command, "--page", "FILE", options.page,
           "write a page that draws the search");
  addValue(command, "--check", "FILE", options.check,
           "search nothing: measure the entries of this file that fit the "
           "pipeline against the default again");
  addExecutionFlags(command, options.run);
}

std::vector<size_t> SiteSearch::fastest(size_t most) const {
  std::vector<TriedPoint> better;
  for (const TriedPoint &point : tried)
    if (point.point != 0 && point.cost && *point.cost < sameTime)
      better.push_back(point);
  llvm::stable_sort(better, [](const TriedPoint &a, const TriedPoint &b) {
    return *a.cost < *b.cost;
  });
  std::vector<size_t> points;
  for (const TriedPoint &point : better)
    if (points.size() < most && !llvm::is_contained(points, point.point))
      points.push_back(point.point);
  return points;
}

namespace {
/// One call of the command.
class Tune {
public:
  Tune(const TuneOptions &options, DriverEnv &env)
      : options(options), env(env), sources(env.files),
        sink(env.err, sources, sinkOptions(env)) {}

  int run();

private:
  std::optional<int> begin();
  bool readLog();
  bool round();
  std::vector<Assignment>
  spread(size_t count,
         llvm::function_ref<std::vector<size_t>(size_t)> pointsOf);
  std::vector<Assignment> nextRound();
  void take(const Assignment &assignment, const TrialResult &result);
  LogicalResult append(ArrayRef<Assignment> round,
                       ArrayRef<TrialResult> results);
  void tell(ArrayRef<TrialResult> results);
  std::vector<TunedEntry> finalOfOne();
  std::vector<TunedEntry> finalOfMany();
  std::vector<TunedEntry> searched();
  std::vector<TunedEntry> checked();
  TunedEntry winner(size_t site, size_t point, const TunedGain &gain) const;
  double secondsSince() const {
    return std::chrono::duration<double>(Clock::now() - started).count();
  }
  const TuneSpace &space(size_t site) const {
    return trials->sites()[site].space;
  }

  using Clock = std::chrono::steady_clock;
  const TuneOptions &options;
  DriverEnv &env;
  SourceStore sources;
  StreamSink sink;
  std::optional<TuneTrials> trials;
  std::vector<SiteSearch> searches;
  std::vector<TrialRecord> records; ///< for the page
  std::string work;
  Clock::time_point started = Clock::now();
  size_t tried = 0;
  size_t first = 0; ///< whose site has the first say in the next round
  int rounds = 0;
  bool logFailed = false;
  std::set<std::string> told; ///< reasons, each once
};
} // namespace

/// Several products are told apart by profiles, which take longer to make.
std::optional<int> Tune::begin() {
  for (bool profiles : {false, true}) {
    trials.emplace(options.run, env, sources, sink);
    if (std::optional<int> code = trials->begin(profiles))
      return code;
    if (trials->sites().size() < 2)
      break;
  }
  searches.resize(trials->sites().size());
  for (SiteSearch &search : searches)
    search.tried.push_back({0, 1.0});
  work = trials->workKey();
  env.out << resultName(trials->key()) << '\n';
  for (const TuneSite &site : trials->sites())
    env.out << "  " << visibleLine(site.text) << ": "
            << site.space.points.size() - 1 << " choices\n";
  env.out.flush();
  return std::nullopt;
}

/// What was tried before of the same work, in the same space.
bool Tune::readLog() {
  if (options.log.empty())
    return true;
  FailureOr<TrialsRead> read = readTrials(options.log, sink);
  if (failed(read))
    return false;
  if (read->damaged > 0)
    env.err << options.log << ": " << read->damaged
            << " lines are no trials, and are left out\n";
  size_t known = 0;
  for (size_t site = 0; site < searches.size(); ++site) {
    std::string hash = hashOf(space(site));
    for (const TrialRecord &record : read->trials) {
      std::optional<size_t> point = indexOf(space(site), record.point);
      if (record.work != work + " " + trials->sites()[site].text ||
          record.space != hash || !point)
        continue;
      TriedPoint &tried = searches[site].tried.emplace_back();
      tried.point = *point;
      if (record.ratio)
        tried.cost = 1 / record.ratio->median;
      records.push_back(record);
      ++known;
    }
  }
  if (known > 0)
    env.out << "  " << known << " trials are known from " << options.log
            << '\n';
  return true;
}

/// Whether the times of two sites can't be told apart: a node's time is of all
/// that it became, and a path's of all.
static bool overlap(const TuneSite &one, const TuneSite &other) {
  return std::holds_alternative<TunedPath>(one.about) ||
         std::holds_alternative<TunedPath>(other.about) ||
         llvm::any_of(one.nodes, [&](const std::string &node) {
           return llvm::is_contained(other.nodes, node);
         });
}

/// Adds each site's points to the assignments, but for sites that overlap with
/// one that has some already. Another site is the first each time.
std::vector<Assignment>
Tune::spread(size_t count,
             llvm::function_ref<std::vector<size_t>(size_t)> pointsOf) {
  std::vector<Assignment> assignments(count);
  std::vector<size_t> taken;
  size_t used = 0, all = searches.size();
  for (size_t i = 0; i < all; ++i) {
    size_t site = (i + first) % all;
    if (llvm::any_of(taken, [&](size_t other) {
          return overlap(trials->sites()[site], trials->sites()[other]);
        }))
      continue;
    std::vector<size_t> points = pointsOf(site);
    if (points.empty())
      continue;
    taken.push_back(site);
    used = std::max(used, points.size());
    for (auto [assignment, point] : llvm::zip(assignments, points))
      assignment[site] = point;
  }
  ++first;
  assignments.resize(used);
  return assignments;
}

/// A point for each site, as long as it has some.
std::vector<Assignment> Tune::nextRound() {
  size_t left = options.trials - std::min(tried, options.trials);
  size_t count = std::min(options.batch, left);
  return spread(count, [&](size_t site) {
    return proposePoints(space(site), searches[site].tried, options.search,
                         count, options.seed);
  });
}

void Tune::take(const Assignment &assignment, const TrialResult &result) {
  for (const auto &[site, point] : assignment) {
    TriedPoint known{point, std::nullopt};
    if (auto cost = result.costs.find(site); cost != result.costs.end())
      known.cost = cost->second;
    searches[site].tried.push_back(known);
  }
}

LogicalResult Tune::append(ArrayRef<Assignment> round,
                           ArrayRef<TrialResult> results) {
  std::vector<TrialRecord> lines;
  for (auto [assignment, result] : llvm::zip_equal(round, results))
    for (const auto &[site, point] : assignment) {
      TrialRecord &line = lines.emplace_back();
      line.space = hashOf(space(site));
      line.work = work + " " + trials->sites()[site].text;
      line.target = trials->key().target;
      line.cpu = trials->host().cpu;
      line.versions = versions();
      line.point = space(site).points[point];
      line.outcome = result.outcome;
      line.reason = result.reason;
      line.seconds = result.seconds;
      if (auto cost = result.costs.find(site); cost != result.costs.end())
        line.ratio = TrialRatio{1 / cost->second,
                                result.ratio ? result.ratio->relativeError : 1};
      line.baseSeconds = result.baseSeconds;
      line.code = result.code;
      line.compileSeconds = result.compileSeconds;
      line.round = rounds;
      line.seed = options.seed;
      line.host = hostName();
      line.when = timeText(std::time(nullptr));
    }
  llvm::append_range(records, lines);
  return options.log.empty() ? success()
                             : appendTrials(options.log, lines, sink);
}

/// What the round came to, and the best so far of each site.
void Tune::tell(ArrayRef<TrialResult> results) {
  std::map<TrialOutcome, size_t> counts;
  for (const TrialResult &result : results)
    ++counts[result.outcome];
  env.out << "round " << rounds << llvm::format(", %.0f s: ", secondsSince())
          << tried << " tried";
  for (const auto &[outcome, count] : counts)
    if (outcome != TrialOutcome::Measured)
      env.out << ", " << count << ' ' << enumName(outcome);
  for (const auto &[site, search] : llvm::enumerate(searches)) {
    std::vector<size_t> best = search.fastest(1);
    if (best.empty())
      continue;
    double cost = 1;
    for (const TriedPoint &point : search.tried)
      if (point.point == best[0] && point.cost)
        cost = *point.cost;
    env.out << "\n  " << visibleLine(trials->sites()[site].text)
            << llvm::format(": %.2fx ", 1 / cost)
            << textOf(space(site).points[best[0]]);
  }
  env.out << '\n';
  for (const TrialResult &result : results)
    if (!result.reason.empty() && told.insert(result.reason).second)
      env.out << "  " << enumName(result.outcome) << ": "
              << visibleMessage(result.reason) << '\n';
  env.out.flush();
}

/// Whether there was anything to try.
bool Tune::round() {
  std::vector<Assignment> assignments = nextRound();
  if (assignments.empty())
    return false;
  MeasureOptions measure;
  // A round is for finding who is worth a final: 3 % are noise here.
  measure.timeLimit = 0.15 * static_cast<double>(assignments.size() + 1);
  measure.errorPercent = 2;
  measure.dropsLosers = true;
  std::vector<TrialResult> results = trials->tryAll(assignments, measure);
  if (trials->wasInterrupted())
    return false;
  ++rounds;
  tried += assignments.size();
  for (auto [assignment, result] : llvm::zip_equal(assignments, results))
    take(assignment, result);
  logFailed |= failed(append(assignments, results));
  tell(results);
  return !logFailed;
}

/// Three digits: more are noise.
static double rounded(double ratio) { return std::round(ratio * 1000) / 1000; }

static TunedGain gainIn(const SampleStatistics &ratio, size_t count) {
  Gain gain = gainOf(ratio, count);
  return {rounded(gain.median), rounded(gain.from), rounded(gain.to)};
}

TunedEntry Tune::winner(size_t site, size_t point,
                        const TunedGain &gain) const {
  TunedEntry entry = entryFor(trials->sites()[site], space(site).points[point]);
  entry.gain = gain;
  const HostFacts &host = trials->host();
  entry.seen.cpu = host.cpu;
  entry.seen.cacheBytes = host.l2Bytes;
  entry.seen.lhRun = versions().at("lh-run");
  entry.seen.llvm = versions().at("LLVM");
  entry.seen.trials = static_cast<int64_t>(searches[site].tried.size()) - 1;
  entry.seen.date = timeText(std::time(nullptr)).substr(0, 10);
  return entry;
}

static MeasureOptions finalMeasure() {
  MeasureOptions measure;
  measure.timeLimit = 8;
  measure.errorPercent = 0.5;
  measure.dropsLosers = true;
  // Of few laps a bound lies far from the median: gains below 6 % go unseen.
  measure.minLaps = 60;
  return measure;
}

/// The fastest once more, in processes of their own and in another order, on
/// all inputs: which is surely faster than the default.
std::vector<TunedEntry> Tune::finalOfOne() {
  std::vector<size_t> points = searches[0].fastest(finalists);
  std::reverse(points.begin(), points.end());
  std::vector<Assignment> assignments;
  for (size_t point : points)
    assignments.push_back({{0, point}});
  if (assignments.empty())
    return {};
  std::vector<TrialResult> results =
      trials->tryAll(assignments, finalMeasure(), /*everywhere=*/true);
  std::vector<SampleStatistics> ratios;
  std::vector<size_t> who;
  for (auto [point, result] : llvm::zip_equal(points, results)) {
    env.out << "final: " << textOf(space(0).points[point]);
    if (!result.ratio) {
      env.out << ": " << enumName(result.outcome) << ", "
              << visibleMessage(result.reason) << '\n';
      continue;
    }
    ratios.push_back(*result.ratio);
    who.push_back(point);
    TunedGain gain = gainIn(*result.ratio, points.size());
    env.out << llvm::format(": %.3fx [%.3f, %.3f]\n", gain.median, gain.low,
                            gain.high);
  }
  std::optional<size_t> best = winnerOf(ratios, options.leastGain / 100);
  if (!best)
    return {};
  return {winner(0, who[*best], gainIn(ratios[*best], ratios.size()))};
}

/// The fastest of each site once more, as often as it takes until all had two
/// turns; then what held each time together against the default, as a whole.
std::vector<TunedEntry> Tune::finalOfMany() {
  std::map<std::pair<size_t, size_t>, std::vector<double>> costs;
  for (size_t again = 0; again < 2 * searches.size(); ++again) {
    std::vector<Assignment> assignments = spread(3, [&](size_t site) {
      std::vector<size_t> points = searches[site].fastest(3);
      llvm::erase_if(points, [&](size_t point) {
        auto seen = costs.find({site, point});
        return seen != costs.end() && seen->second.size() >= 2;
      });
      return points;
    });
    if (assignments.empty())
      break;
    std::vector<TrialResult> results =
        trials->tryAll(assignments, finalMeasure(), /*everywhere=*/true);
    for (auto [assignment, result] : llvm::zip_equal(assignments, results))
      for (const auto &[site, point] : assignment) {
        auto cost = result.costs.find(site);
        costs[{site, point}].push_back(
            cost == result.costs.end() ? 1 : cost->second);
      }
  }
  Assignment together;
  std::map<size_t, double> best;
  for (const auto &[who, seen] : costs) {
    double worst = *std::max_element(seen.begin(), seen.end());
    if (seen.size() < 2 || worst >= sameTimeOfSite)
      continue;
    auto [place, isNew] = best.try_emplace(who.first, worst);
    if (!isNew && worst > place->second)
      continue;
    place->second = worst;
    together[who.first] = who.second;
  }
  if (together.empty())
    return {};
  TrialResult whole =
      trials->tryAll({together}, finalMeasure(), /*everywhere=*/true).front();
  if (!whole.ratio) {
    env.out << "all together: " << enumName(whole.outcome) << ", "
            << visibleMessage(whole.reason) << '\n';
    return {};
  }
  TunedGain gain = gainIn(*whole.ratio, 1);
  env.out << "all together: "
          << llvm::format("%.3fx [%.3f, %.3f]\n", gain.median, gain.low,
                          gain.high);
  if (!winnerOf({*whole.ratio}, options.leastGain / 100))
    return {};
  std::vector<TunedEntry> entries;
  for (const auto &[site, point] : together) {
    const std::vector<double> &seen = costs[{site, point}];
    double low = *std::max_element(seen.begin(), seen.end());
    double high = *std::min_element(seen.begin(), seen.end());
    entries.push_back(winner(
        site, point,
        {rounded(2 / (low + high)), rounded(1 / low), rounded(1 / high)}));
  }
  return entries;
}

std::vector<TunedEntry> Tune::searched() {
  while (tried < options.trials && secondsSince() < options.seconds &&
         !trials->wasInterrupted() && round()) {
  }
  if (trials->wasInterrupted() || logFailed)
    return {};
  return trials->sites().size() == 1 ? finalOfOne() : finalOfMany();
}

/// The entries of a file once more.
std::vector<TunedEntry> Tune::checked() {
  std::vector<TunedEntry> kept;
  FailureOr<TunedSpec> file = readTunedFile(options.check, sources, sink);
  if (failed(file))
    return kept;
  for (const TunedEntry &entry : file->entries)
    for (const auto &[site, each] : llvm::enumerate(trials->sites())) {
      std::optional<size_t> point = indexOf(each.space, entry.use);
      if (each.about != entry.about)
        continue;
      env.out << visibleLine(each.text) << ": " << textOf(entry.use);
      if (!point) {
        env.out << ": not among the choices any more\n";
        continue;
      }
      TrialResult result =
          trials->tryAll({{{site, *point}}}, finalMeasure(), true).front();
      if (!result.ratio) {
        env.out << ": " << enumName(result.outcome) << ", "
                << visibleMessage(result.reason) << '\n';
        continue;
      }
      TunedGain gain = gainIn(*result.ratio, 1);
      bool holds =
          winnerOf({*result.ratio}, options.leastGain / 100).has_value();
      env.out << llvm::format(": %.3fx [%.3f, %.3f], %.2fx in the file",
                              gain.median, gain.low, gain.high,
                              entry.gain.median)
              << (holds ? "\n" : "; it no longer gains\n");
      if (holds)
        kept.push_back(winner(site, *point, gain));
    }
  return kept;
}

int Tune::run() {
  for (const std::string &place : {options.write, options.page})
    if (!place.empty() && failed(checkWritable(place, {}, sink)))
      return badUsage;
  if (std::optional<int> code = begin())
    return *code;
  if (trials->sites().empty()) {
    env.out << "there is nothing to choose: no product has two strategies, and "
               "no bubble a parameter with 'tune' or a knob\n";
    return 0;
  }
  if (!options.check.empty())
    return checked().empty() || sink.errorCount() > 0 ? 1 : 0;
  if (!readLog())
    return badUsage;
  std::vector<TunedEntry> entries = searched();
  bool written = !logFailed;
  if (!options.page.empty())
    written &= succeeded(writeFileAtomically(
        options.page, tunePage(resultName(trials->key()), records), {}, sink));
  if (trials->wasInterrupted())
    return 1;
  if (entries.empty())
    env.out << "the default is as good as all that was tried\n";
  for (const TunedEntry &entry : entries)
    env.out << "faster: " << textOf(entry.use)
            << llvm::format(", %.2fx\n", entry.gain.median);
  if (!options.write.empty() && !entries.empty())
    written &= succeeded(writeTunedFile(options.write, trials->key().target,
                                        std::move(entries), sources, sink));
  return written ? 0 : 1;
}

static int runTune(const TuneOptions &options, DriverEnv &env) {
  return Tune(options, env).run();
}

CommandRun lh::makeTuneCommand(CLI::App &command) {
  return makeCommand(command, addTuneFlags, runTune);
}
