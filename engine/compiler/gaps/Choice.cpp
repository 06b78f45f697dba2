// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which strategy is to compute an op.
#include "compiler/gaps/Choice.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace lh;
using namespace mlir;

MapAttr lh::choiceOf(Operation *op) {
  return op->getAttrOfType<MapAttr>(choiceMark);
}

Attribute lh::chosen(Operation *op, StringRef key) {
  MapAttr choice = choiceOf(op);
  if (!choice)
    return {};
  FailureOr<Attribute> value =
      choice.query(StringAttr::get(op->getContext(), key));
  return succeeded(value) ? *value : Attribute();
}

StringRef lh::strategyOf(Operation *op) {
  auto strategy = dyn_cast_or_null<StringAttr>(chosen(op, "strategy"));
  return strategy ? strategy.getValue() : "";
}

bool lh::mayTake(Operation *op, StringRef strategy) {
  return !choiceOf(op) || strategyOf(op) == strategy;
}

void lh::refuse(Operation *op, StringRef strategy) {
  if (strategyOf(op) == strategy)
    op->removeAttr(choiceMark);
}
