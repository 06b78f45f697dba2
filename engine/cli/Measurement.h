// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets the seats of each case take turns, with probes between them.
#ifndef LH_CLI_MEASUREMENT_H
#define LH_CLI_MEASUREMENT_H

#include "cli/BenchSeats.h"
#include "cli/CommandLine.h"
#include "core/bench/BenchRecord.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// Where contestants run: the last of so many cores, as many as have threads.
struct MeasuredCores {
  int last = -1; ///< -1: wherever
  unsigned count = 1;
};

/// Of the model of `result`; nothing when no step has told it.
std::optional<ContractionWork> workOf(const RunRecord &run, size_t result);

/// Measures each result of `run` that passed, with all others of its pipeline
/// and case that only check numbers, and says of the others why not. Ctrl-C
/// ends it early.
BenchRecord measure(const RunRecord &run, BenchSeats &seats,
                    const BenchOptions &options, const HostFacts &host,
                    const MeasuredCores &cores);

} // namespace lh

#endif // LH_CLI_MEASUREMENT_H
