// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles, votes, reductions and barriers of a warp.
#ifndef LH_RUNTIME_SIM_WARPOPERATIONS_H
#define LH_RUNTIME_SIM_WARPOPERATIONS_H

#include "runtime/sim/Operation.h"

namespace lh {

std::optional<SimOperation> findWarpOperation(const SimOperationName &name,
                                              const SimChip &chip);

} // namespace lh

#endif // LH_RUNTIME_SIM_WARPOPERATIONS_H
