// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ldmatrix, stmatrix and mma.sync.
#ifndef LH_RUNTIME_SIM_MATRIXOPERATIONS_H
#define LH_RUNTIME_SIM_MATRIXOPERATIONS_H

#include "runtime/sim/Operation.h"

namespace lh {

std::optional<SimOperation> findMatrixOperation(const SimOperationName &name,
                                                const SimChip &chip);

} // namespace lh

#endif // LH_RUNTIME_SIM_MATRIXOPERATIONS_H
