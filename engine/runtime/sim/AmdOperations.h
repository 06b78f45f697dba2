// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cross-lane and matrix operations of AMD's waves.
#ifndef LH_RUNTIME_SIM_AMDOPERATIONS_H
#define LH_RUNTIME_SIM_AMDOPERATIONS_H

#include "runtime/sim/Operation.h"

namespace lh {

std::optional<SimOperation> findAmdOperation(const SimOperationName &name,
                                             const SimChip &chip);

} // namespace lh

#endif // LH_RUNTIME_SIM_AMDOPERATIONS_H
