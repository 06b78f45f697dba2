// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of other compilers: which they are, and for which targets.
#include "core/plan/ToolTargets.h"

#include "core/graph/Evaluate.h"
#include "core/plan/Select.h"

using namespace lh;

const ToolUse *lh::toolOf(const Plan &plan, StepId leaf) {
  std::optional<StepId> parent = plan.steps[leaf].parent;
  const auto *compile =
      parent ? std::get_if<CompileAction>(&plan.steps[*parent].action)
             : nullptr;
  return compile && compile->tool ? &*compile->tool : nullptr;
}

std::string ToolTargets::whyNotOf(const TargetSpec &target,
                                  const std::string &pipeline,
                                  const std::string &testCase) {
  if (target.backend != "cpu" || !runsNatively(target, host))
    return "another compiler runs on this machine's own cores, and the code of "
           "target '" +
           target.name + "' doesn't";
  if (!host.whyNot(target).empty())
    return "";
  int64_t threads = threadsOf(target);
  const std::string &known =
      first.try_emplace({pipeline, testCase, threads}, target.name)
          .first->second;
  if (known == target.name)
    return "";
  return "another compiler knows nothing of a target but its threads; its "
         "results are those for '" +
         known + "'";
}
