// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows integers backwards from where they end up.
#include "runtime/cpu/IntegerData.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {
/// What becomes of an integer.
enum End : unsigned { Nothing = 0, Data = 1, Index = 2 };

class IntegerEnds {
public:
  explicit IntegerEnds(const Function &function);

  DenseSet<const Instruction *> ofData() const;

private:
  void add(const Value *value, unsigned ends);

  DenseMap<const Value *, unsigned> endsOf;
  SmallVector<const Instruction *> changed;
};
} // namespace

static bool isInteger(const Value *value) {
  return value->getType()->isIntOrIntVectorTy();
}

/// Parameters and descriptors are passed on the stack.
static bool isSizeOnStack(const StoreInst &store) {
  return store.getValueOperand()->getType()->isIntegerTy(64) &&
         isa<AllocaInst>(getUnderlyingObject(store.getPointerOperand()));
}

static unsigned endInIntrinsic(const IntrinsicInst &call, const Use &use) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
    return Nothing;
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
  case Intrinsic::masked_compressstore:
    return use.getOperandNo() == 0 ? Data : Index;
  case Intrinsic::get_active_lane_mask:
    return Index;
  default:
    break;
  }
  bool isMask = use->getType()->isVectorTy() &&
                use->getType()->getScalarType()->isIntegerTy(1);
  if (isMask || call.mayReadOrWriteMemory())
    return Index;
  // A float, or what a target's own instruction makes of integers.
  return Intrinsic::isTargetIntrinsic(call.getIntrinsicID()) ||
                 call.getType()->isFPOrFPVectorTy()
             ? Data
             : Nothing;
}

/// What becomes of an operand in its user itself.
static unsigned endIn(const Instruction &user, const Use &use) {
  if (const auto *store = dyn_cast<StoreInst>(&user))
    return isSizeOnStack(*store) ? Nothing : Data;
  if (const auto *call = dyn_cast<IntrinsicInst>(&user))
    return endInIntrinsic(*call, use);
  switch (user.getOpcode()) {
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return Data;
  case Instruction::BitCast:
    return user.getType()->isFPOrFPVectorTy() ? Data : Nothing;
  case Instruction::GetElementPtr:
  case Instruction::IntToPtr:
  case Instruction::Alloca:
  case Instruction::Br:
  case Instruction::Switch:
    return Index;
  case Instruction::ExtractElement:
    return use.getOperandNo() == 1 ? Index : Nothing;
  case Instruction::InsertElement:
    return use.getOperandNo() == 2 ? Index : Nothing;
  default:
    return Nothing;
  }
}

/// Whether what becomes of `user` becomes of the operand.
static bool passesOn(const Instruction &user, const Use &use) {
  if (isa<SelectInst>(user))
    return use.getOperandNo() != 0;
  if (isa<InsertElementInst>(user))
    return use.getOperandNo() != 2;
  if (isa<ExtractElementInst>(user))
    return use.getOperandNo() == 0;
  if (const auto *call = dyn_cast<IntrinsicInst>(&user))
    return !call->mayReadOrWriteMemory();
  return isa<BinaryOperator>(user) || isa<ICmpInst>(user) ||
         isa<CastInst>(user) || isa<PHINode>(user) || isa<FreezeInst>(user) ||
         isa<ShuffleVectorInst>(user) || isa<ExtractValueInst>(user);
}

void IntegerEnds::add(const Value *value, unsigned ends) {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || ends == Nothing)
    return;
  unsigned &known = endsOf[instruction];
  if ((known | ends) == known)
    return;
  known |= ends;
  changed.push_back(instruction);
}

IntegerEnds::IntegerEnds(const Function &function) {
  for (const Instruction &user : instructions(function))
    for (const Use &use : user.operands())
      if (isInteger(use))
        add(use, endIn(user, use));
  while (!changed.empty()) {
    const Instruction *user = changed.pop_back_val();
    for (const Use &use : user->operands())
      if (isInteger(use) && passesOn(*user, use))
        add(use, endsOf[user]);
  }
}

DenseSet<const Instruction *> IntegerEnds::ofData() const {
  DenseSet<const Instruction *> data;
  for (auto [value, ends] : endsOf)
    if (ends == Data)
      data.insert(cast<Instruction>(value));
  return data;
}

DenseSet<const Instruction *> lh::integersOfData(const Function &function) {
  return IntegerEnds(function).ofData();
}
