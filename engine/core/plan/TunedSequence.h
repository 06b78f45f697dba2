// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measured choices as a transform sequence.
#ifndef LH_CORE_PLAN_TUNEDSEQUENCE_H
#define LH_CORE_PLAN_TUNEDSEQUENCE_H

#include "core/graph/Strategies.h"

namespace lh {

/// A module with the sequence `@tuned`, which gives each product that an entry
/// for `target` is about, and that has no choice yet, the entry's `lh.choice`.
/// It fails, at the entry's place, where the entry's strategy can't compute its
/// product. Entries whose strategy `space` doesn't have on the target are left
/// to other schedules. Empty where none is left.
std::string tunedSequence(const StrategySpace &space, const TargetSpec &target,
                          ArrayRef<TunedSpec> tuned);

} // namespace lh

#endif // LH_CORE_PLAN_TUNEDSEQUENCE_H
