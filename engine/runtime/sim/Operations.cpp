// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All families of operations, asked in turn.
#include "runtime/sim/AmdOperations.h"
#include "runtime/sim/AsyncCopies.h"
#include "runtime/sim/Barriers.h"
#include "runtime/sim/MathOperations.h"
#include "runtime/sim/MatrixOperations.h"
#include "runtime/sim/PhaseBarriers.h"
#include "runtime/sim/Registers.h"
#include "runtime/sim/TensorCopies.h"
#include "runtime/sim/WarpOperations.h"
#include "runtime/sim/Wgmma.h"

using namespace lh;

std::optional<SimOperation> lh::findOperation(const SimOperationName &name,
                                              const SimChip &chip) {
  for (auto *family :
       {findRegister, findBarrier, findMathOperation, findWarpOperation,
        findMatrixOperation, findAsyncCopy, findPhaseBarrier, findTensorCopy,
        findWgmma, findAmdOperation})
    if (auto operation = family(name, chip))
      return operation;
  return std::nullopt;
}
