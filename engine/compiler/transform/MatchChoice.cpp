// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.lh.match.choice: which strategy is chosen for an op.
#include "compiler/transform/LeaveOut.h"
#include "compiler/transform/TransformOps.h"

#include "compiler/gaps/Choice.h"

using namespace lh;
using namespace mlir;

/// Whether `choice`, null for none, names one of `strategies`.
static bool isOneOf(MapAttr choice, Operation *op, ArrayAttr strategies) {
  if (strategies.empty())
    return static_cast<bool>(choice);
  StringRef chosen = strategyOf(op);
  return (!choice || !chosen.empty()) &&
         llvm::is_contained(strategies.getAsValueRange<StringAttr>(), chosen);
}

DiagnosedSilenceableFailure
MatchChoiceOp::matchOperation(Operation *current,
                              transform::TransformResults &results,
                              transform::TransformState &state) {
  MapAttr choice = choiceOf(current);
  if (!isOneOf(choice, current, getStrategies()))
    return emitSilenceableError() << "another choice";
  if (isLeftOut(*this))
    return emitSilenceableError() << "this matcher is left out";
  Attribute value = choice;
  if (choice && getKey())
    value = chosen(current, *getKey());
  SmallVector<Attribute> values;
  if (value)
    values.push_back(value);
  else if (getOtherwise())
    llvm::append_range(values, state.getParams(getOtherwise()));
  results.setParams(cast<OpResult>(getValue()), values);
  return DiagnosedSilenceableFailure::success();
}
