// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.lh.match.identity_consumer: what follows an op point by point.
#include "compiler/transform/LeaveOut.h"
#include "compiler/transform/TransformOps.h"

#include "compiler/gaps/products/Products.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

/// The vectorizer takes no gather at the edge of a tile.
static bool gathers(linalg::GenericOp op) {
  return !op.getBody()->getOps<tensor::ExtractOp>().empty();
}

static bool readsAnotherProduct(OpOperand &use) {
  return llvm::any_of(use.getOwner()->getOpOperands(), [&](OpOperand &other) {
    return &other != &use && isProduct(other.get().getDefiningOp());
  });
}

/// Whether `user` reads `use`, and writes its result, at the points of its
/// loops.
static bool isPointwise(linalg::GenericOp user, OpOperand &use) {
  return user->getNumResults() == 1 && user.isAllParallelLoops() &&
         user.isDpsInput(&use) &&
         user.getMatchingIndexingMap(&use).isIdentity() &&
         user.getIndexingMapMatchingResult(user->getResult(0)).isIdentity();
}

DiagnosedSilenceableFailure
MatchIdentityConsumerOp::matchOperation(Operation *current,
                                        transform::TransformResults &results,
                                        transform::TransformState &) {
  if (current->getNumResults() != 1 || !current->hasOneUse())
    return emitSilenceableError() << "not one result with one user";
  OpOperand &use = *current->use_begin();
  auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!user || !isPointwise(user, use))
    return emitSilenceableError() << "the user works on other points";
  if (gathers(user) || readsAnotherProduct(use))
    return emitSilenceableError() << "the user reads more than its points";
  if (isLeftOut(*this))
    return emitSilenceableError() << "this matcher is left out";
  results.set(cast<OpResult>(getConsumer()), {user.getOperation()});
  return DiagnosedSilenceableFailure::success();
}
