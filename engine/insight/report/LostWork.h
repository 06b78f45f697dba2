// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of a model's work got slow, by its nodes.
#ifndef LH_INSIGHT_REPORT_LOSTWORK_H
#define LH_INSIGHT_REPORT_LOSTWORK_H

#include "insight/report/Profile.h"

namespace lh {

/// The share of the operations of `nodes` in nodes that are computed at less
/// than half of their speed in `before`. A node that another one's loops
/// compute has the speed of these. Nothing where a tenth of the work can't be
/// found in both profiles.
std::optional<double> lostWork(ArrayRef<NodeWork> nodes,
                               const ProfiledResult &before,
                               const ProfiledResult &now);

} // namespace lh

#endif // LH_INSIGHT_REPORT_LOSTWORK_H
