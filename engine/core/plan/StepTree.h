// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grows a plan's tree so that equal prefixes are one.
#ifndef LH_CORE_PLAN_STEPTREE_H
#define LH_CORE_PLAN_STEPTREE_H

#include "core/plan/Plan.h"

namespace lh {

/// Adds steps to a plan, which is borrowed, as are those that it has.
class StepTree {
public:
  explicit StepTree(Plan &plan);

  /// The step below `parent` (none: a root) with the action of `step`: an
  /// existing one when there is one, else `step` itself, appended.
  StepId add(std::optional<StepId> parent, Step step);

private:
  Plan &plan;
  std::map<std::pair<std::optional<StepId>, std::string>, StepId> known;
};

} // namespace lh

#endif // LH_CORE_PLAN_STEPTREE_H
