// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From laps to figures. A lap is held against its neighbours alone: clocks and
// guests of the machine change from second to second.
#include "core/bench/BenchRecord.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace lh;

/// A ratio this many standard errors from 1 is no accident.
static constexpr double clearErrors = 2;

std::optional<double> BenchGroup::operations() const {
  if (!work || work->isOpen)
    return std::nullopt;
  double total = 0;
  for (const auto &[dtype, count] : work->operations)
    total += count;
  return total > 0 ? std::optional(total) : std::nullopt;
}

bool BenchRecord::hasFailure() const {
  return llvm::any_of(groups, [](const BenchGroup &group) {
    return llvm::any_of(group.rows,
                        [](const BenchRow &row) { return row.failed; });
  });
}

static double rateOf(const Lap &lap, double workPerCall) {
  return lap.cpuSeconds > 0
             ? workPerCall * static_cast<double>(lap.calls) / lap.cpuSeconds
             : 0;
}

namespace {

/// The probes' rates next to a lap.
class Surroundings {
public:
  Surroundings(const BenchGroup &group, const TurnsTaken &taken)
      : group(group), taken(taken) {}

  /// Of the fastest probe of this type, the mean of before and after.
  std::optional<double> rate(StringRef dtype, size_t turn) const {
    std::optional<double> fastest;
    for (size_t i = 0; i < group.probes.size(); ++i) {
      const ProbeInfo &probe = group.probes[i].probe;
      const std::vector<Lap> &laps = taken.probes[i];
      if (probe.dtype != dtype || turn + 1 >= laps.size())
        continue;
      double mean = (rateOf(laps[turn], probe.workPerCall) +
                     rateOf(laps[turn + 1], probe.workPerCall)) /
                    2;
      fastest = std::max(fastest.value_or(0), mean);
    }
    return fastest && *fastest > 0 ? fastest : std::nullopt;
  }

  /// Seconds that the group's work takes at the peak of each type.
  std::optional<double> secondsAtPeak(size_t turn) const {
    if (!group.operations())
      return std::nullopt;
    double seconds = 0;
    for (const auto &[dtype, count] : group.work->operations) {
      std::optional<double> peak = rate(dtype, turn);
      if (!peak)
        return std::nullopt;
      seconds += count / *peak;
    }
    return seconds;
  }

private:
  const BenchGroup &group;
  const TurnsTaken &taken;
};

} // namespace

static std::optional<SampleStatistics>
statisticsIfAny(std::vector<double> samples) {
  if (samples.empty())
    return std::nullopt;
  return statisticsOf(std::move(samples));
}

static void addRowFigures(BenchRow &row, const LapSeries &series,
                          const Surroundings &around, double targetError) {
  row.whyNot = series.failure;
  row.failed = !series.failure.empty();
  if (series.laps.empty() && row.whyNot.empty())
    row.whyNot = "the measurement was interrupted";
  if (!row.whyNot.empty())
    return;
  CallTimes times = callTimes(series);
  row.callsPerLap = series.laps.front().calls;
  row.dropped = times.dropped;
  row.leftRace = series.leftRace;
  row.byCpuTime = times.byCpuTime;
  row.seconds = times.statistics();
  row.isSteady = row.seconds.relativeError <= targetError;
  std::vector<double> ofPeak, ofBandwidth;
  for (size_t i = 0; i < series.laps.size(); ++i) {
    if (!times.perLap[i])
      continue;
    double seconds = *times.perLap[i];
    row.perLap.push_back(seconds);
    if (row.onDevice) // the probes are of this machine's cores
      continue;
    if (auto atPeak = around.secondsAtPeak(series.turns[i]))
      ofPeak.push_back(*atPeak / seconds);
    if (auto rate = around.rate("", series.turns[i]))
      ofBandwidth.push_back(static_cast<double>(row.bytes) / *rate / seconds);
  }
  row.shareOfPeak = statisticsIfAny(std::move(ofPeak));
  row.shareOfBandwidth = statisticsIfAny(std::move(ofBandwidth));
}

namespace {
struct Measured {
  BenchRow *row = nullptr;
  const LapSeries *series = nullptr;
};
} // namespace

static std::vector<Measured> measuredRows(BenchGroup &group,
                                          const TurnsTaken &taken) {
  std::vector<Measured> measured;
  for (BenchRow &row : group.rows)
    if (row.whyNot.empty() && measured.size() < taken.contestants.size())
      measured.push_back({&row, &taken.contestants[measured.size()]});
  return measured;
}

/// In laps of the same round: both by the same clock, both undisturbed.
static std::optional<SampleStatistics> ratioOf(const LapSeries &base,
                                               const LapSeries &own) {
  CallTimes baseTimes = callTimes(base), ownTimes = callTimes(own);
  bool byCpuTime = baseTimes.byCpuTime || ownTimes.byCpuTime;
  auto seconds = [&](const LapSeries &series, const CallTimes &times,
                     size_t i) -> std::optional<double> {
    const Lap &lap = series.laps[i];
    if (byCpuTime)
      return lap.cpuSeconds / static_cast<double>(lap.calls);
    return times.perLap[i];
  };
  std::vector<double> ratios;
  for (size_t i = 0, j = 0; i < base.laps.size() && j < own.laps.size();) {
    if (base.rounds[i] != own.rounds[j]) {
      base.rounds[i] < own.rounds[j] ? ++i : ++j;
      continue;
    }
    auto first = seconds(base, baseTimes, i++);
    auto second = seconds(own, ownTimes, j++);
    if (first && second)
      ratios.push_back(*first / *second);
  }
  return statisticsIfAny(std::move(ratios));
}

static const Measured *baseOf(ArrayRef<Measured> all, const BenchRow &row,
                              StringRef base) {
  return llvm::find_if(all, [&](const Measured &other) {
    const ResultKey &key = other.row->key;
    return other.row->whyNot.empty() && key.pipeline == base &&
           key.target == row.key.target && key.sweep == row.key.sweep;
  });
}

static const Measured *fastestOf(ArrayRef<Measured> all) {
  return std::min_element(
      all.begin(), all.end(), [](const Measured &a, const Measured &b) {
        auto cost = [](const Measured &each) {
          return std::pair(!each.row->whyNot.empty(), each.row->seconds.median);
        };
        return cost(a) < cost(b);
      });
}

static void addRatios(ArrayRef<Measured> all, const Measured *racer,
                      StringRef base) {
  for (const Measured &each : all) {
    const Measured *other = racer ? racer : baseOf(all, *each.row, base);
    if (each.row->whyNot.empty() && other != all.end() && other != &each)
      each.row->ratio = ratioOf(*other->series, *each.series);
  }
}

static bool standsOut(ArrayRef<Measured> all, const BenchRow &fastest) {
  return llvm::all_of(all, [&](const Measured &each) {
    const std::optional<SampleStatistics> &ratio = each.row->ratio;
    return each.row == &fastest || !ratio ||
           ratio->median * (1 + clearErrors * ratio->relativeError) < 1;
  });
}

void lh::addFigures(BenchGroup &group, const TurnsTaken &taken,
                    const BenchRecord &record) {
  for (size_t i = 0; i < group.probes.size(); ++i) {
    std::vector<double> rates;
    for (const Lap &lap : taken.probes[i])
      rates.push_back(rateOf(lap, group.probes[i].probe.workPerCall));
    group.probes[i].rate = statisticsOf(std::move(rates));
  }
  Surroundings around(group, taken);
  std::vector<Measured> all = measuredRows(group, taken);
  for (const Measured &each : all)
    addRowFigures(*each.row, *each.series, around, record.targetError);
  const Measured *fastest = record.isRace ? fastestOf(all) : nullptr;
  if (record.isRace &&
      (fastest == all.data() + all.size() || !fastest->row->whyNot.empty()))
    return; // nobody arrived
  addRatios(all, fastest, record.base);
  if (!fastest)
    return;
  group.fastest = fastest->row - group.rows.data();
  group.isClear = standsOut(all, *fastest->row);
}
