// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of laps until all are steady.
#include "core/bench/Turns.h"

#include "core/bench/Bounds.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace lh;

/// Wall time that the thread didn't have, as a share: more is a disturbance.
static constexpr double undisturbed = 0.05;
/// In one lap, however short a call is.
static constexpr uint64_t mostCalls = uint64_t{1} << 30;
/// The rounds after which losers are looked for.
static constexpr size_t looks[] = {3, 6, 12};
/// That the truly best is ever among them.
static constexpr double chanceOfLosingBest = 0.05;
/// A share's standard error is at least this: no clock is better.
static constexpr double leastError = 0.001;

namespace {

/// One who takes turns, and what is known of it.
struct Player {
  Contestant *contestant = nullptr;
  uint64_t calls = 1, warmUps = 1;
  std::string failure = {};

  bool isOut() const { return !failure.empty(); }
};

class Rounds {
public:
  Rounds(ArrayRef<Contestant *> contestants, ArrayRef<Contestant *> probes,
         const TurnOptions &options)
      : options(options) {
    for (Contestant *contestant : contestants)
      players.push_back({contestant});
    for (Contestant *probe : probes)
      probing.push_back({probe});
    taken.contestants.resize(players.size());
    taken.probes.resize(probing.size());
  }

  TurnsTaken run();

private:
  std::optional<Lap> lap(Player &player, uint64_t warmUps);
  void findCalls(Player &player);
  void probe();
  bool isOutOfReach(size_t i) const;
  bool isDone(size_t i);
  void dropLosers();
  bool round();
  bool stops() {
    taken.interrupted = taken.interrupted || options.interrupted();
    return taken.interrupted;
  }

  const TurnOptions &options;
  std::vector<Player> players, probing;
  TurnsTaken taken;
  size_t turn = 0, rounds = 0;
  std::optional<size_t> latest; ///< player
};

} // namespace

std::optional<Lap> Rounds::lap(Player &player, uint64_t warmUps) {
  if (player.isOut() || stops())
    return std::nullopt;
  std::optional<Lap> lap = player.contestant->lap(warmUps, player.calls);
  if (!lap)
    player.failure = player.contestant->failure();
  return lap;
}

/// Doubles the calls until a lap is long enough. Before each later lap it is
/// called as often as fills a quarter of one, at least once: others have had
/// the caches, and some machines slow down memory that nobody has used for a
/// while (docs/benchmarks.md).
void Rounds::findCalls(Player &player) {
  while (std::optional<Lap> tried = lap(player, 1)) {
    double seconds = tried->cpuSeconds;
    if (seconds >= options.lapSeconds || player.calls >= mostCalls) {
      player.warmUps = std::max<uint64_t>(1, player.calls / 4);
      return;
    }
    double factor = options.lapSeconds / std::max(seconds, 1e-9) * 1.1;
    player.calls = static_cast<uint64_t>(std::ceil(
        static_cast<double>(player.calls) * std::clamp(factor, 1.5, 16.0)));
  }
}

void Rounds::probe() {
  for (auto [player, laps] : llvm::zip(probing, taken.probes))
    if (std::optional<Lap> done = lap(player, player.warmUps))
      laps.push_back(*done);
}

/// CPU seconds per call: usable from a disturbed lap too, unlike wall time.
static double callCost(const Lap &lap) {
  return lap.cpuSeconds / static_cast<double>(lap.calls);
}

static double medianCost(const LapSeries &series) {
  std::vector<double> costs;
  for (const Lap &lap : series.laps)
    costs.push_back(callCost(lap));
  return statisticsOf(std::move(costs)).median;
}

bool Rounds::isOutOfReach(size_t i) const {
  if (options.outOfReach <= 0 ||
      taken.contestants[i].laps.size() < options.minLaps / 3)
    return false;
  double own = medianCost(taken.contestants[i]);
  for (size_t j = 0; j < players.size(); ++j)
    if (!players[j].isOut() && !taken.contestants[j].laps.empty() &&
        own > options.outOfReach * medianCost(taken.contestants[j]))
      return true;
  return false;
}

/// Whether nothing is left to do for it. Who others are measured against goes
/// on as long as they do.
bool Rounds::isDone(size_t i) {
  LapSeries &series = taken.contestants[i];
  bool mayLeave = i > 0 || !options.dropsLosers;
  series.leftRace = series.leftRace || (mayLeave && isOutOfReach(i));
  if (players[i].isOut() || series.leftRace)
    return true;
  if (i == 0 && options.dropsLosers)
    for (size_t other = 1; other < players.size(); ++other)
      if (!isDone(other))
        return false;
  SampleStatistics statistics = callTimes(series).statistics();
  return statistics.count >= options.minLaps &&
         statistics.relativeError <= options.targetError;
}

/// What a call of `own` costs as a share of one of `base` in the same round.
static SampleStatistics shareOf(const LapSeries &base, const LapSeries &own) {
  std::vector<double> shares;
  size_t i = 0;
  for (auto [lap, round] : llvm::zip(own.laps, own.rounds)) {
    while (i < base.laps.size() && base.rounds[i] < round)
      ++i;
    if (i < base.laps.size() && base.rounds[i] == round &&
        callCost(base.laps[i]) > 0)
      shares.push_back(callCost(lap) / callCost(base.laps[i]));
  }
  return statisticsOf(std::move(shares));
}

/// How many standard errors a share's bounds are away, when those of all
/// contestants, upper and lower, are to hold at all looks together.
static double errorsAllowed(size_t contestants, double degrees) {
  auto bounds = static_cast<double>(contestants * std::size(looks) * 2);
  return studentQuantile(chanceOfLosingBest / bounds,
                         static_cast<size_t>(degrees));
}

/// Of shares of the first's cost, those that are surely above the lowest; the
/// first's own, which is 1, is not among them. Few samples may lie near each
/// other by luck: no share is taken for better known than all are on average.
static std::vector<size_t> losersOf(ArrayRef<SampleStatistics> shares) {
  double sum = 0, known = 0, degrees = 0;
  for (const SampleStatistics &share : shares)
    if (share.count >= looks[0]) {
      sum += share.relativeError;
      degrees += degreesOfMedian(share.count);
      known += 1;
    }
  if (known == 0)
    return {};
  double errors = errorsAllowed(shares.size(), degrees);
  double usual = std::max(leastError, sum / known);
  auto margin = [&](const SampleStatistics &share) {
    return errors * std::max(usual, share.relativeError) * share.median;
  };
  double lowest = 1, upper = 1;
  for (const SampleStatistics &share : shares)
    if (share.count >= looks[0] && share.median < lowest) {
      lowest = share.median;
      upper = std::min(1.0, share.median + margin(share));
    }
  std::vector<size_t> losers;
  for (size_t i = 0; i < shares.size(); ++i)
    if (shares[i].count >= looks[0] &&
        shares[i].median - margin(shares[i]) > upper)
      losers.push_back(i);
  return losers;
}

void Rounds::dropLosers() {
  if (!options.dropsLosers || players.size() < 2 || players[0].isOut() ||
      !llvm::is_contained(looks, rounds))
    return;
  std::vector<LapSeries> &series = taken.contestants;
  std::vector<SampleStatistics> shares(players.size() - 1);
  for (size_t i = 1; i < players.size(); ++i)
    if (!players[i].isOut() && !series[i].leftRace)
      shares[i - 1] = shareOf(series[0], series[i]);
  for (size_t loser : losersOf(shares))
    series[loser + 1].leftRace = true;
}

/// Whether anyone had something left to do.
bool Rounds::round() {
  bool anyPlayed = false;
  for (size_t i = 0; i < players.size(); ++i) {
    if (isDone(i))
      continue;
    probe();
    LapSeries &series = taken.contestants[i];
    // Who goes on alone is warm, if a call is a whole lap.
    bool isWarm = std::exchange(latest, i) == i && players[i].calls == 1;
    if (std::optional<Lap> done =
            lap(players[i], isWarm ? 0 : players[i].warmUps)) {
      series.laps.push_back(*done);
      series.turns.push_back(turn);
      series.rounds.push_back(rounds);
    }
    ++turn;
    anyPlayed = true;
  }
  ++rounds;
  dropLosers();
  return anyPlayed;
}

TurnsTaken Rounds::run() {
  for (Player &player : players)
    findCalls(player);
  for (Player &player : probing)
    findCalls(player);
  double begin = options.now();
  while (round() && !stops() && options.now() - begin < options.limitSeconds) {
  }
  probe();
  for (auto [player, series] : llvm::zip(players, taken.contestants))
    series.failure = player.failure;
  return std::move(taken);
}

TurnsTaken lh::takeTurns(ArrayRef<Contestant *> contestants,
                         ArrayRef<Contestant *> probes,
                         const TurnOptions &options) {
  return Rounds(contestants, probes, options).run();
}

SampleStatistics CallTimes::statistics() const {
  std::vector<double> kept;
  for (const std::optional<double> &seconds : perLap)
    if (seconds)
      kept.push_back(*seconds);
  return statisticsOf(std::move(kept));
}

static bool wasDisturbed(const Lap &lap) {
  return lap.wallSeconds - lap.cpuSeconds > undisturbed * lap.wallSeconds;
}

CallTimes lh::callTimes(const LapSeries &series) {
  CallTimes times;
  auto disturbed =
      static_cast<size_t>(llvm::count_if(series.laps, wasDisturbed));
  times.byCpuTime = 2 * disturbed > series.laps.size();
  times.dropped = times.byCpuTime ? 0 : disturbed;
  for (const Lap &lap : series.laps) {
    double seconds = times.byCpuTime ? lap.cpuSeconds : lap.wallSeconds;
    bool drops = !times.byCpuTime && wasDisturbed(lap);
    times.perLap.push_back(
        drops ? std::nullopt
              : std::optional(seconds / static_cast<double>(lap.calls)));
  }
  return times;
}
