// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All families of operations, asked in turn.
#include "runtime/sim/OperationFamilies.h"

using namespace lh;

std::optional<SimOperation> lh::findOperation(const SimOperationName &name,
                                              const SimChip &chip) {
  for (auto *family :
       {findRegister, findBarrier, findMathOperation, findWarpOperation,
        findMatrixOperation, findAsyncCopy, findPhaseBarrier, findTensorCopy,
        findWgmma, findAmdOperation, findIntelOperation})
    if (auto operation = family(name, chip))
      return operation;
  return std::nullopt;
}
