// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a GPU's module to the host's.
#include "runtime/sim/Instrumentation.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace lh;

/// A stack has one address space on the host.
static void moveStack(llvm::Function &function) {
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || variable->getAddressSpace() == 0)
      continue;
    llvm::IRBuilder<> builder(variable);
    auto *moved = new llvm::AllocaInst(variable->getAllocatedType(), 0,
                                       variable->getArraySize(),
                                       variable->getAlign(), "");
    builder.Insert(moved);
    variable->replaceAllUsesWith(
        builder.CreateAddrSpaceCast(moved, variable->getType()));
    variable->eraseFromParent();
  }
}

static void plainFunction(llvm::Function &function) {
  if (function.isIntrinsic())
    return;
  function.setAttributes({});
  function.setCallingConv(llvm::CallingConv::C);
  function.setComdat(nullptr);
  function.setSection("");
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      call->setCallingConv(llvm::CallingConv::C);
      // Of intrinsics some attributes are part of the meaning.
      if (!call->getCalledFunction() ||
          !call->getCalledFunction()->isIntrinsic())
        call->setAttributes({});
      if (auto *plain = llvm::dyn_cast<llvm::CallInst>(call))
        plain->setTailCallKind(llvm::CallInst::TCK_None);
    }
  moveStack(function);
}

void lh::retarget(llvm::Module &module, const llvm::Triple &triple,
                  const llvm::DataLayout &layout) {
  llvm::StripDebugInfo(module);
  for (const char *name : {"llvm.used", "llvm.compiler.used",
                           "llvm.global_ctors", "llvm.global_dtors"})
    if (llvm::GlobalVariable *list = module.getNamedGlobal(name))
      list->eraseFromParent();
  module.setTargetTriple(triple);
  module.setDataLayout(layout);
  for (llvm::Function &function : module)
    plainFunction(function);
}
