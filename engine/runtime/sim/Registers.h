// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special registers, fences, and what does nothing here.
#ifndef LH_RUNTIME_SIM_REGISTERS_H
#define LH_RUNTIME_SIM_REGISTERS_H

#include "runtime/sim/Operation.h"

namespace lh {

std::optional<SimOperation> findRegister(const SimOperationName &name,
                                         const SimChip &chip);

} // namespace lh

#endif // LH_RUNTIME_SIM_REGISTERS_H
