// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured: per case, per pipeline and target.
#ifndef LH_CORE_BENCH_BENCHRECORD_H
#define LH_CORE_BENCH_BENCHRECORD_H

#include "core/bench/CycleModel.h"
#include "core/bench/Turns.h"
#include "core/plan/RunRecord.h"

namespace lh {

/// A loop that shows what the machine can do, run between the contestants.
struct ProbeInfo {
  std::string name;
  std::string dtype;      ///< whose peak it is; "": of the memory
  double workPerCall = 0; ///< operations or bytes
};

/// A probe's rate in operations or bytes per second, over all its laps.
struct ProbeFigure {
  ProbeInfo probe;
  SampleStatistics rate;
};

/// One result that was to be measured.
struct BenchRow {
  ResultKey key;
  std::string tool; ///< labelOf() another compiler that ran it; empty: none
  /// Why it was not measured to the end; then the rest says nothing.
  std::string whyNot;
  bool failed = false; ///< it went wrong while it was measured
  uint64_t bytes = 0;  ///< that one call has to read and write at least

  uint64_t callsPerLap = 0;
  size_t dropped = 0;         ///< laps that something else disturbed
  bool byCpuTime = false;     ///< most were disturbed: CPU time of all
  bool onDevice = false;      ///< by the clock of the device that did it
  bool leftRace = false;      ///< out of reach of the fastest: few laps
  bool isSteady = false;      ///< the wanted standard error was reached
  SampleStatistics seconds;   ///< per call; its count is that of laps
  std::vector<double> perLap; ///< seconds per call, those that count
  /// What the machine would need at its peak, as a share of what it took.
  std::optional<SampleStatistics> shareOfPeak, shareOfBandwidth;
  /// The base's time divided by its own, in neighbouring laps.
  std::optional<SampleStatistics> ratio;
  /// What it executed, where that was asked for.
  std::optional<ModelledCode> modelled;
};

/// Rows that took turns with each other: a case's.
struct BenchGroup {
  std::string caseName, dataSet;
  std::vector<BenchRow> rows;
  std::vector<ProbeFigure> probes;
  /// Of the model's contractions. None when a size isn't known in it.
  std::optional<ContractionWork> work;
  std::optional<size_t> fastest; ///< row; of a race
  /// Whether the fastest stands out from the noise.
  bool isClear = false;

  /// Operations per call of all types; nothing when there are none.
  std::optional<double> operations() const;
};

struct BenchRecord {
  std::string cpu;      ///< LLVM's name
  int core = -1;        ///< where all took turns; -1: wherever
  unsigned threads = 1; ///< of the code; on as many cores, `core` the last
  std::string base;     ///< the pipeline that ratios are to; "": none
  bool isRace = false;
  double targetError = 0, limitSeconds = 0;
  bool interrupted = false;
  std::vector<BenchGroup> groups;
  /// Bytes per second of copies of so many bytes each, where they were asked
  /// for; not kept in reports.
  std::map<uint64_t, double> copies;

  /// Whether one that had passed went wrong while it was measured.
  bool hasFailure() const;
};

/// Fills in the figures of `group`, whose rows without `whyNot` are `taken`'s
/// contestants, in order, and whose probes are `taken`'s. Ratios are to the
/// fastest row in a race, else to `record.base`'s of the same target and sweep.
void addFigures(BenchGroup &group, const TurnsTaken &taken,
                const BenchRecord &record);

} // namespace lh

#endif // LH_CORE_BENCH_BENCHRECORD_H
