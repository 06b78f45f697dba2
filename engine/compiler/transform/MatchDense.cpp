// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.lh.match.dense: what no sparsifier has to see.
#include "compiler/transform/LeaveOut.h"
#include "compiler/transform/TransformOps.h"

#include "compiler/gaps/sparse/SparseArguments.h"

using namespace lh;
using namespace mlir;

DiagnosedSilenceableFailure
MatchDenseOp::matchOperation(Operation *current, transform::TransformResults &,
                             transform::TransformState &) {
  if (hasSparseOperand(current))
    return emitSilenceableError() << "an operand is sparse";
  if (isLeftOut(*this))
    return emitSilenceableError() << "this matcher is left out";
  return DiagnosedSilenceableFailure::success();
}
