// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows vectors backwards from where they are needed.
#include "runtime/cpu/UsefulLanes.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// Lanes of a vector, or of each of an aggregate of vectors; 0 for all else.
static unsigned lanesOf(const Type *type) {
  while (const auto *array = dyn_cast<ArrayType>(type))
    type = array->getElementType();
  const auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 0;
}

/// The lanes that a mask lets through, as far as it is known.
static APInt selectedBy(const Value *mask, unsigned lanes) {
  APInt selected = APInt::getAllOnes(lanes);
  const auto *constant = dyn_cast<Constant>(mask);
  for (unsigned lane = 0; constant && lane < lanes; ++lane)
    if (const Constant *bit = constant->getAggregateElement(lane);
        bit && bit->isNullValue())
      selected.clearBit(lane);
  return selected;
}

/// Whether each lane of the result is made of the same lane of the operands.
static bool isLaneWise(const Instruction &user) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&user))
    return isTriviallyVectorizable(call->getIntrinsicID());
  return isa<BinaryOperator>(user) || isa<UnaryOperator>(user) ||
         isa<CmpInst>(user) || isa<PHINode>(user) || isa<SelectInst>(user) ||
         isa<CastInst>(user) || isa<FreezeInst>(user) ||
         isa<ExtractValueInst>(user) || isa<InsertValueInst>(user);
}

/// Of a shuffle's operand, the lanes that are in the needed ones.
static APInt throughShuffle(const ShuffleVectorInst &shuffle, unsigned operand,
                            const APInt &needed) {
  auto lanes = static_cast<int>(lanesOf(shuffle.getOperand(0)->getType()));
  int first = operand == 0 ? 0 : lanes;
  APInt inOperand = APInt::getZero(static_cast<unsigned>(lanes));
  for (auto [lane, from] : enumerate(shuffle.getShuffleMask()))
    if (lane < needed.getBitWidth() && needed[static_cast<unsigned>(lane)] &&
        from >= first && from < first + lanes)
      inOperand.setBit(static_cast<unsigned>(from - first));
  return inOperand;
}

void lh::UsefulLanes::need(const Value *value, const APInt &lanes) {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return;
  auto known =
      needed.try_emplace(instruction, APInt::getZero(lanes.getBitWidth()))
          .first;
  if (lanes.isSubsetOf(known->second))
    return;
  known->second |= lanes;
  changed.push_back(instruction);
}

void lh::UsefulLanes::needOperand(const Instruction &user, const Use &use) {
  unsigned lanes = lanesOf(use->getType());
  if (lanes == 0)
    return;
  // A copy: needing more may move what is in the map.
  APInt ofResult = needed.lookup_or(&user, APInt::getZero(lanes));
  if (const auto *shuffle = dyn_cast<ShuffleVectorInst>(&user))
    return need(use, throughShuffle(*shuffle, use.getOperandNo(), ofResult));
  if (isLaneWise(user) && lanes == lanesOf(user.getType()))
    return need(use, ofResult);
  const auto *call = dyn_cast<IntrinsicInst>(&user);
  bool isMasked = call && call->getIntrinsicID() == Intrinsic::masked_store &&
                  use.getOperandNo() == 0;
  need(use, isMasked ? selectedBy(call->getArgOperand(2), lanes)
                     : APInt::getAllOnes(lanes));
}

lh::UsefulLanes::UsefulLanes(const Function &function) {
  for (const Instruction &user : instructions(function))
    for (const Use &use : user.operands())
      needOperand(user, use);
  while (!changed.empty()) {
    const Instruction *user = changed.pop_back_val();
    for (const Use &use : user->operands())
      needOperand(*user, use);
  }
}

unsigned lh::UsefulLanes::of(const Instruction &instruction) const {
  unsigned lanes = lanesOf(instruction.getType());
  if (lanes == 0)
    return 1;
  auto known = needed.find(&instruction);
  return known == needed.end() ? lanes : known->second.popcount();
}
