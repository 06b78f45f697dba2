// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.lh.if: one of two regions.
#include "compiler/transform/TransformOps.h"

using namespace lh;
using namespace mlir;

/// What the condition says; none where it is more than one integer.
static std::optional<bool> holds(Value condition,
                                 transform::TransformState &state) {
  if (isa<transform::TransformHandleTypeInterface>(condition.getType()))
    return !state.getPayloadOps(condition).empty();
  if (isa<transform::TransformValueHandleTypeInterface>(condition.getType()))
    return !state.getPayloadValues(condition).empty();
  ArrayRef<Attribute> values = state.getParams(condition);
  if (values.empty())
    return false;
  auto number =
      values.size() == 1 ? dyn_cast<IntegerAttr>(values[0]) : IntegerAttr();
  if (!number)
    return std::nullopt;
  return !number.getValue().isZero();
}

DiagnosedSilenceableFailure IfOp::apply(transform::TransformRewriter &,
                                        transform::TransformResults &results,
                                        transform::TransformState &state) {
  std::optional<bool> taken = holds(getCondition(), state);
  if (!taken)
    return emitDefiniteFailure()
           << "expects a parameter of one integer, got "
           << state.getParams(getCondition()).size() << " values";
  Region &region = *taken ? getThenRegion() : getElseRegion();
  if (region.empty())
    return DiagnosedSilenceableFailure::success();
  auto scope = state.make_region_scope(region);
  Block &body = region.front();
  for (Operation &op : body.without_terminator()) {
    DiagnosedSilenceableFailure applied =
        state.applyTransform(cast<transform::TransformOpInterface>(op));
    if (!applied.succeeded())
      return applied;
  }
  transform::detail::forwardTerminatorOperands(&body, state, results);
  return DiagnosedSilenceableFailure::success();
}

/// Whether `value` is from outside of `op`. The condition's handle may be
/// consumed where it holds, but not before the regions are applied.
static bool isCaptured(Value value, IfOp op) {
  return value != op.getCondition() &&
         !op->isAncestor(value.getParentBlock()->getParentOp());
}

void IfOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getConditionMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  bool modifies = false;
  for (Region &region : getOperation()->getRegions())
    for (auto nested : region.getOps<transform::TransformOpInterface>()) {
      modifies |= transform::doesModifyPayload(nested);
      SmallVector<MemoryEffects::EffectInstance> all;
      cast<MemoryEffectOpInterface>(*nested).getEffects(all);
      for (const MemoryEffects::EffectInstance &effect : all)
        if (Value value = effect.getValue(); value && isCaptured(value, *this))
          effects.push_back(effect);
    }
  modifies ? transform::modifiesPayload(effects)
           : transform::onlyReadsPayload(effects);
}

void IfOp::getSuccessorRegions(RegionBranchPoint point,
                               SmallVectorImpl<RegionSuccessor> &successors) {
  bool mayLeave = !point.isParent() || getElseRegion().empty();
  if (point.isParent()) {
    successors.emplace_back(&getThenRegion());
    if (!getElseRegion().empty())
      successors.emplace_back(&getElseRegion());
  }
  if (mayLeave)
    successors.emplace_back(getOperation(), getOperation()->getResults());
}

LogicalResult IfOp::verify() {
  if (getElseRegion().empty() && getNumResults() > 0)
    return emitOpError("needs an else region that yields its results");
  for (Region &region : getOperation()->getRegions()) {
    if (region.empty())
      continue;
    Block &body = region.front();
    if (body.getTerminator()->getOperandTypes() != getResultTypes())
      return emitOpError("expects each region to yield what it results in");
    for (Operation &nested : body.without_terminator())
      if (!isa<transform::TransformOpInterface>(nested))
        return emitOpError("expects transform operations in its regions")
                   .attachNote(nested.getLoc())
               << "this is none";
  }
  return success();
}
