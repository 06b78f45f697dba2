// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles, votes, reductions and barriers of a warp.
#ifndef LH_BACKEND_GPU_SIM_WARPOPERATIONS_H
#define LH_BACKEND_GPU_SIM_WARPOPERATIONS_H

#include "backend/gpu/sim/Operation.h"

namespace lh {

std::optional<SimOperation> findWarpOperation(const SimOperationName &name,
                                              const SimChip &chip);

} // namespace lh

#endif // LH_BACKEND_GPU_SIM_WARPOPERATIONS_H
