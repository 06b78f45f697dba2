// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the memory of a tensor comes from.
#include "compiler/gaps/windows/Destinations.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

/// Memory that nobody has written to.
static bool isEmpty(Value value) {
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value.getDefiningOp<tensor::EmptyOp>() != nullptr;
}

static OpOperand *askedFor(Value value) {
  for (;;) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return nullptr;
    unsigned number = result.getResultNumber();
    OpOperand *next = nullptr;
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
      next = &loop.getInitArgsMutable()[number];
    else if (auto loop = dyn_cast<scf::ForallOp>(result.getOwner()))
      next = &loop.getOutputsMutable()[number];
    else if (auto cast = dyn_cast<tensor::CastOp>(result.getOwner()))
      next = &cast.getSourceMutable();
    else if (auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner()))
      next = op.getTiedOpOperand(result);
    if (!next || isEmpty(next->get()))
      return next;
    value = next->get();
  }
}

OpOperand *lh::destinationOf(Value value, Block *block) {
  OpOperand *destination = askedFor(value);
  bool isThere = destination && destination->getOwner()->getBlock() == block;
  return isThere ? destination : nullptr;
}

void lh::computeInto(OpOperand &destination, Value place) {
  Type asked = destination.get().getType();
  if (place.getType() != asked) {
    OpBuilder builder(destination.getOwner());
    place = tensor::CastOp::create(builder, place.getLoc(), asked, place);
  }
  destination.set(place);
}
