// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All families of operations, asked in turn.
#include "backend/gpu/sim/AmdOperations.h"
#include "backend/gpu/sim/AsyncCopies.h"
#include "backend/gpu/sim/Barriers.h"
#include "backend/gpu/sim/MathOperations.h"
#include "backend/gpu/sim/MatrixOperations.h"
#include "backend/gpu/sim/PhaseBarriers.h"
#include "backend/gpu/sim/Registers.h"
#include "backend/gpu/sim/TensorCopies.h"
#include "backend/gpu/sim/WarpOperations.h"
#include "backend/gpu/sim/Wgmma.h"

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
