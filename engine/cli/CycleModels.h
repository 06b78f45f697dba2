// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run bench --model-cycles`: what emulated code executed, and models of it.
#ifndef LH_CLI_CYCLEMODELS_H
#define LH_CLI_CYCLEMODELS_H

#include "core/bench/BenchRecord.h"
#include "core/graph/ResolvedGraph.h"
#include "runtime/abi/HostFacts.h"

#include <set>

namespace lh {

/// The names of the graph's targets whose code is emulated here.
std::set<std::string> emulatedTargets(const ResolvedGraph &graph,
                                      const HostFacts &host);

/// Warns, in their files, of the plan's targets in `emulated` whose
/// instructions can't be counted here; fails when one names cores that LLVM has
/// no model of.
LogicalResult checkModels(const Plan &plan, const ResolvedGraph &graph,
                          const std::set<std::string> &emulated,
                          const HostFacts &host, DiagnosticSink &sink);

/// Fills in `modelled` of every row of `record` whose result passed, from what
/// the run has left in `scratch`. What was emulated has its rows added.
void addModels(BenchRecord &record, const RunRecord &run,
               const ResolvedGraph &graph, const HostFacts &host,
               StringRef scratch);

} // namespace lh

#endif // LH_CLI_CYCLEMODELS_H
