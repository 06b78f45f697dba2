// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is measured takes turns with all others: A B A B.
#ifndef LH_CORE_BENCH_TURNS_H
#define LH_CORE_BENCH_TURNS_H

#include "core/bench/Statistics.h"

#include <functional>
#include <optional>
#include <string>

namespace lh {

/// One turn: calls in a row between two looks at the clocks.
struct Lap {
  uint64_t calls = 0;
  double wallSeconds = 0; ///< of all calls together
  double cpuSeconds = 0;  ///< of the calling thread; the wall's where it waits
  /// Both are a device's that did the work, by its own clock.
  bool byDevice = false;
};

/// Something that can be called again and again.
class Contestant {
public:
  virtual ~Contestant() = default;

  /// Calls it `warmUps` times without looking, then `calls` times. Nothing
  /// when it can't be called any more; failure() then says why.
  virtual std::optional<Lap> lap(uint64_t warmUps, uint64_t calls) = 0;
  virtual std::string failure() const = 0;
};

struct TurnOptions {
  double targetError = 0.01; ///< go on until each is as steady as this
  double limitSeconds = 10;  ///< but not much longer than this
  /// A lap takes at least this: long for the clock, and short against the
  /// slices of a busy machine's scheduler.
  double lapSeconds = 0.002;
  size_t minLaps = 15;
  /// Whose median is this many times the fastest's after a third of those laps
  /// has no more turns; 0: all go on.
  double outOfReach = 0;
  /// After 3, 6 and 12 rounds those have no more turns who are surely slower
  /// than another: by the median of their cost as a share of the first's in the
  /// same rounds, whose lower bound is above the best's upper bound. With a
  /// chance of 5 % at most is it the truly best that goes, over all these
  /// decisions together. The first, which is the measure, never goes, and has
  /// turns as long as anyone has.
  bool dropsLosers = false;
  /// Seconds since some moment.
  std::function<double()> now;
  /// Asked before each lap.
  std::function<bool()> interrupted;
};

/// One contestant's laps.
struct LapSeries {
  std::vector<Lap> laps;
  /// By lap: the probes' laps numbered so and one more ran next to it.
  std::vector<size_t> turns;
  std::vector<size_t> rounds; ///< by lap
  std::string failure;        ///< it ended before its time, and why
  bool leftRace = false;      ///< it was out of reach of the fastest
};

struct TurnsTaken {
  std::vector<LapSeries> contestants;
  std::vector<std::vector<Lap>> probes; ///< by probe, then by turn
  bool interrupted = false;
};

/// Lets all take turns, in this order in each round, every probe before each
/// contestant. Calls per lap are found out first, which warms up. Who is steady
/// leaves the time to the others. What fails drops out, a probe too: its laps
/// are then too few.
TurnsTaken takeTurns(ArrayRef<Contestant *> contestants,
                     ArrayRef<Contestant *> probes, const TurnOptions &options);

/// The seconds per call of a series, and by which clock.
struct CallTimes {
  /// By lap; nothing: something else had the core for a part of it.
  std::vector<std::optional<double>> perLap;
  size_t dropped = 0;
  /// Most laps were disturbed, so that all have their thread's CPU time.
  bool byCpuTime = false;

  SampleStatistics statistics() const;
};

CallTimes callTimes(const LapSeries &series);

} // namespace lh

#endif // LH_CORE_BENCH_TURNS_H
