// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which targets and paths of a graph run.
#ifndef LH_CORE_PLAN_SELECT_H
#define LH_CORE_PLAN_SELECT_H

#include "core/plan/MakePlan.h"

namespace lh {

/// A path to run, possibly cut short by `--until`.
struct SelectedPath {
  const ResolvedPipeline *pipeline = nullptr;
  std::vector<size_t> bubbles; ///< indices into ResolvedGraph::bubbles
  bool cut = false;            ///< ends with an emit of the module
};

/// Whether code for `target` runs on this machine without an emulator or a
/// simulation.
bool runsNatively(const TargetSpec &target, const PlanHost &host);

/// Whether code for `target` runs on a simulated device, or one in software.
bool runsSimulated(const TargetSpec &target, const PlanHost &host);

/// Borrowed from `graph` or `host`. Fails when a pattern matches nothing.
FailureOr<std::vector<const TargetSpec *>>
selectTargets(const ResolvedGraph &graph, const Selection &selection,
              const PlanHost &host, DiagnosticSink &sink);

/// Fails when a pattern matches nothing or no path has the `until` bubble.
FailureOr<std::vector<SelectedPath>> selectPaths(const ResolvedGraph &graph,
                                                 const Selection &selection,
                                                 DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_PLAN_SELECT_H
