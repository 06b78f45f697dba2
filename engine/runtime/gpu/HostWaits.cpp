// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at each access of the host's code.
#include "runtime/gpu/HostWaits.h"

#include "runtime/cpu/PackedEntry.h"
#include "runtime/cpu/RuntimeSymbols.h"
#include "runtime/gpu/HostRuntime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Whether only the host has it: descriptors and arguments of launches, and
/// what the runtime reads. Tensors among the variables are read through copies
/// by now (HostCode.h).
static bool isHostMemory(const Value *pointer) {
  return isa<AllocaInst, GlobalVariable>(getUnderlyingObject(pointer));
}

/// Functions that MLIR and the engine put around the code: they read
/// descriptors, which are the caller's.
static bool onlyUnpacks(const Function &function) {
  return function.getName().starts_with("_mlir_ciface_") ||
         function.getName().starts_with(lh::packedName(""));
}

/// Whether a function outside of the module leaves the device's memory alone,
/// or uses it in order with the launches.
static bool needsNoWait(const Function &callee) {
  StringRef name = callee.getName();
  return callee.doesNotAccessMemory() || name.starts_with("mgpu") ||
         name == lh::deviceConstantName || name == lh::deviceAddressName ||
         name == lh::deviceWaitName || name == lh::arenaAllocateName ||
         name == lh::arenaReleaseName;
}

static bool callTouches(const CallBase &call) {
  if (const auto *memory = dyn_cast<AnyMemIntrinsic>(&call)) {
    const auto *copy = dyn_cast<AnyMemTransferInst>(memory);
    return !isHostMemory(memory->getRawDest()) ||
           (copy && !isHostMemory(copy->getRawSource()));
  }
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return true;
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return intrinsic->mayReadOrWriteMemory() &&
           !intrinsic->isAssumeLikeIntrinsic();
  // What is defined here has waits of its own.
  return callee->isDeclaration() && !needsNoWait(*callee);
}

static bool touchesDevice(const Instruction &instruction) {
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return callTouches(*call);
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  if (pointer)
    return !isHostMemory(pointer);
  return instruction.mayReadOrWriteMemory(); // atomics, fences
}

/// A copy that the device can do: of one block onto another.
static bool isDeviceCopy(const Instruction &instruction) {
  const auto *copy = dyn_cast<MemCpyInst>(&instruction);
  return copy && !copy->isVolatile() && !isHostMemory(copy->getRawDest()) &&
         !isHostMemory(copy->getRawSource());
}

static void copyOnDevice(MemCpyInst &copy) {
  IRBuilder<> builder(&copy);
  Type *pointer = builder.getPtrTy();
  FunctionCallee function = copy.getModule()->getOrInsertFunction(
      "mgpuMemcpy", builder.getVoidTy(), pointer, pointer, builder.getInt64Ty(),
      pointer);
  Value *bytes =
      builder.CreateZExtOrTrunc(copy.getLength(), builder.getInt64Ty());
  builder.CreateCall(function, {copy.getRawDest(), copy.getRawSource(), bytes,
                                Constant::getNullValue(pointer)});
  copy.eraseFromParent();
}

static void placeWaits(Function &function) {
  FunctionCallee wait = function.getParent()->getOrInsertFunction(
      lh::deviceWaitName, Type::getVoidTy(function.getContext()));
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (isDeviceCopy(instruction))
      copyOnDevice(cast<MemCpyInst>(instruction));
    else if (touchesDevice(instruction))
      IRBuilder<>(&instruction).CreateCall(wait);
}

void lh::placeWaits(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() && !onlyUnpacks(function))
      ::placeWaits(function);
}
