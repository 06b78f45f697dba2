// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vendors' arithmetic intrinsics, by the host's libm.
#ifndef LH_RUNTIME_SIM_MATHOPERATIONS_H
#define LH_RUNTIME_SIM_MATHOPERATIONS_H

#include "runtime/sim/Operation.h"

namespace lh {

std::optional<SimOperation> findMathOperation(const SimOperationName &name,
                                              const SimChip &chip);

} // namespace lh

#endif // LH_RUNTIME_SIM_MATHOPERATIONS_H
