// Which strategy is to compute an op.
#include "compiler/gaps/Choice.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace lh;
using namespace mlir;

MapAttr lh::choiceOf(Operation *op) {
  return op->getAttrOfType<MapAttr>(choiceMark);
}

Attribute lh::entryOf(MapAttr choice, StringRef key) {
  for (DataLayoutEntryInterface entry : choice.getEntries())
    if (auto name = dyn_cast<StringAttr>(entry.getKey()); name && name == key)
      return entry.getValue();
  return {};
}

StringRef lh::strategyOf(Operation *op) {
  MapAttr choice = choiceOf(op);
  auto strategy =
      choice ? dyn_cast_or_null<StringAttr>(entryOf(choice, "strategy"))
             : StringAttr();
  return strategy ? strategy.getValue() : "";
}

bool lh::mayTake(Operation *op, StringRef strategy) {
  return !choiceOf(op) || strategyOf(op) == strategy;
}

void lh::refuse(Operation *op, StringRef strategy) {
  if (strategyOf(op) == strategy)
    op->removeAttr(choiceMark);
}
