// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target's sweep as a list of points.
#ifndef LH_CORE_PLAN_SWEEP_H
#define LH_CORE_PLAN_SWEEP_H

#include "core/graph/ResolvedGraph.h"

namespace lh {

using SweepPoint = std::map<std::string, Value>;

/// Every combination of the sweep's values, the last name changing fastest; at
/// least the empty point. Where the target runs natively, names that only its
/// emulator's command refers to are left out: the machine is what it is.
std::vector<SweepPoint> sweepPoints(const TargetRunDecl &run, bool isNative);

/// "vl_bytes=16, threads=2"; empty for the empty point.
std::string sweepText(const SweepPoint &point);

} // namespace lh

#endif // LH_CORE_PLAN_SWEEP_H
