// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructors as an entry, constants as copies on the device.
#include "runtime/gpu/HostCode.h"

#include "runtime/cpu/PackedEntry.h"
#include "runtime/gpu/HostRuntime.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

std::string lh::setUpName() {
  return packedName(".set-up"); // not a name that a function of MLIR's has
}

namespace {
/// Builds the set-up function.
class HostCodePreparer {
public:
  explicit HostCodePreparer(Module &module)
      : module(module), builder(module.getContext()) {}

  void prepare();

private:
  void callConstructors();
  void copyConstant(GlobalVariable &constant);

  Module &module;
  IRBuilder<> builder;
};
} // namespace

/// Whether kernels may read it: not if only the runtime does (images, names of
/// kernels, messages), and not if it holds handles of the runtime's.
static bool isTensor(const GlobalVariable &global) {
  Type *type = global.getValueType();
  // Of rank 0 they are numbers. Handles aren't constant.
  bool isNumbers = type->isArrayTy() ||
                   (global.isConstant() &&
                    (type->isIntegerTy() || type->isFloatingPointTy()));
  if (!global.hasInitializer() || !isNumbers ||
      global.getName().starts_with("llvm."))
    return false;
  for (const User *user : global.users())
    if (const auto *call = dyn_cast<CallBase>(user);
        call && call->getCalledFunction() &&
        (call->getCalledFunction()->getName().starts_with("mgpu") ||
         call->getCalledFunction()->getName() == "puts"))
      return false;
  return !global.use_empty();
}

void HostCodePreparer::callConstructors() {
  GlobalVariable *list = module.getGlobalVariable("llvm.global_ctors");
  if (!list)
    return;
  auto *entries = dyn_cast<ConstantArray>(list->getInitializer());
  for (Value *entry :
       entries ? entries->operands() : User::op_range(nullptr, nullptr)) {
    // {priority, function, data}; the priorities of kernel modules are alike.
    auto *function =
        dyn_cast<Function>(cast<ConstantStruct>(entry)->getOperand(1));
    if (function)
      builder.CreateCall(function);
  }
  list->eraseFromParent();
}

/// Where an operand of `user` must be computed.
static Instruction *placeBefore(const Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  if (auto *phi = dyn_cast<PHINode>(user))
    return phi->getIncomingBlock(use)->getTerminator();
  return user;
}

void HostCodePreparer::copyConstant(GlobalVariable &constant) {
  convertUsersOfConstantsToInstructions({&constant});
  std::vector<Use *> uses;
  for (Use &use : constant.uses())
    if (isa<Instruction>(use.getUser()))
      uses.push_back(&use);
  Type *pointer = builder.getPtrTy();
  auto *place = new GlobalVariable(module, pointer, /*isConstant=*/false,
                                   GlobalValue::InternalLinkage,
                                   ConstantPointerNull::get(builder.getPtrTy()),
                                   constant.getName() + ".device");
  for (Use *use : uses)
    use->set(
        new LoadInst(pointer, place, "", placeBefore(*use)->getIterator()));
  FunctionCallee copy = module.getOrInsertFunction(
      lh::deviceConstantName, pointer, pointer, builder.getInt64Ty());
  uint64_t bytes =
      module.getDataLayout().getTypeAllocSize(constant.getValueType());
  builder.CreateStore(
      builder.CreateCall(copy, {&constant, builder.getInt64(bytes)}), place);
}

void HostCodePreparer::prepare() {
  auto *type =
      FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage,
                                    lh::setUpName(), module);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  callConstructors();
  if (GlobalVariable *list = module.getGlobalVariable("llvm.global_dtors"))
    list->eraseFromParent();
  std::vector<GlobalVariable *> tensors;
  for (GlobalVariable &global : module.globals())
    if (isTensor(global))
      tensors.push_back(&global);
  for (GlobalVariable *tensor : tensors)
    copyConstant(*tensor);
  builder.CreateRetVoid();
}

void lh::prepareHostCode(Module &module) { HostCodePreparer(module).prepare(); }
