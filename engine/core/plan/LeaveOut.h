// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grows a plan by paths that leave gaps out.
#ifndef LH_CORE_PLAN_LEAVEOUT_H
#define LH_CORE_PLAN_LEAVEOUT_H

#include "core/plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lh {

/// Adds to `plan` the results `originals` once more, judged as they are, for a
/// pipeline `name` that leaves `gaps` out; their indices. Its paths begin with
/// the steps that they have in common with the originals' up to the first one
/// that `uses` any of them. The steps from there on are copies without
/// contracts and expectations, which may well say what a gap is there for; what
/// they emitted stays as the originals have written it.
std::vector<size_t> addWithout(Plan &plan, ArrayRef<size_t> originals,
                               StringRef name, ArrayRef<std::string> gaps,
                               llvm::function_ref<bool(StepId)> uses);

} // namespace lh

#endif // LH_CORE_PLAN_LEAVEOUT_H
