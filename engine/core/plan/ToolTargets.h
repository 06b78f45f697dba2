// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of other compilers: which they are, and for which targets.
#ifndef LH_CORE_PLAN_TOOLTARGETS_H
#define LH_CORE_PLAN_TOOLTARGETS_H

#include "core/plan/MakePlan.h"

namespace lh {

/// The other compiler that gives the results of `leaf`; null: none does.
const ToolUse *toolOf(const Plan &plan, StepId leaf);

/// A tool runs on this machine's own cores and knows nothing of a target but
/// its threads: one target for each number of threads has its results.
class ToolTargets {
public:
  explicit ToolTargets(const PlanHost &host) : host(host) {}

  /// Why the results of `pipeline`, which ends in a tool, aren't `target`'s; ""
  /// if they are. The first target that is asked for has them.
  std::string whyNotOf(const TargetSpec &target, const std::string &pipeline,
                       const std::string &testCase);

private:
  const PlanHost &host;
  std::map<std::tuple<std::string, std::string, int64_t>, std::string> first;
};

} // namespace lh

#endif // LH_CORE_PLAN_TOOLTARGETS_H
