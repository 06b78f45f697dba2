// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the seats of each case take turns, with probes between them.
#ifndef LH_CLI_MEASUREMENT_H
#define LH_CLI_MEASUREMENT_H

#include "cli/BenchSeats.h"
#include "core/bench/BenchRecord.h"
#include "core/graph/ResolvedGraph.h"
#include "core/support/DriverEnv.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// What to measure, and how long.
struct MeasureOptions {
  std::string vs;           ///< the pipeline that ratios are to; empty: none
  bool race = false;        ///< every pipeline on every target that runs here
  double timeLimit = 10;    ///< seconds per case
  double errorPercent = 1;  ///< the standard error at which it is enough
  double stepTimeout = 0;   ///< of a call, in seconds; 0: none
  bool dropsLosers = false; ///< who is surely slower gets few turns
  size_t minLaps = 0;       ///< 0: as many as turns have by themselves
  /// Also how fast copies are of as many bytes as nodes of the model move.
  bool copiesForNodes = false;
};

/// Where contestants run: the last of so many cores, as many as have threads.
struct MeasuredCores {
  int last = -1; ///< -1: wherever
  unsigned count = 1;
};

/// The most threads that a target's code has.
unsigned mostThreads(const ResolvedGraph &graph);

/// Whether `name` is a pipeline, or empty; else says, for `flag`, that there is
/// none of that name.
bool knowsPipeline(StringRef flag, StringRef name, const ResolvedGraph &graph,
                   DriverEnv &env);

/// Of the model of `result`; nothing when no step has told it.
std::optional<ContractionWork> workOf(const RunRecord &run, size_t result);

/// Measures each result of `run` that passed, with all others of its pipeline
/// and case that only check numbers, and says of the others why not. Ctrl-C
/// ends it early.
BenchRecord measure(const RunRecord &run, BenchSeats &seats,
                    const MeasureOptions &options, const HostFacts &host,
                    const MeasuredCores &cores);

} // namespace lh

#endif // LH_CLI_MEASUREMENT_H
