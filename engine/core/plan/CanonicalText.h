// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When two bound actions are the same action.
#ifndef LH_CORE_PLAN_CANONICALTEXT_H
#define LH_CORE_PLAN_CANONICALTEXT_H

#include "core/plan/Plan.h"
#include "core/support/PortablePaths.h"

namespace lh {

/// Equal texts mean equal work: the action with all its values and the
/// contract around it. Names and places of bubbles don't take part.
/// With `paths` they are equal for equal files of other checkouts, too.
std::string canonicalText(const Step &step, const PortablePaths &paths = {});

} // namespace lh

#endif // LH_CORE_PLAN_CANONICALTEXT_H
