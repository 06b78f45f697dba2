// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the functions of a schedule into the module that it works on, where
// transform.func.cast_and_call looks for them.
#include "compiler/gaps/gpu/LendKernels.h"

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_LENDKERNELSPASS
#define GEN_PASS_DEF_LENDKERNELSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// The bodies of kernels that either module has.
static void lendCode(ModuleOp schedule, ModuleOp payload) {
  auto lent = schedule->getAttrOfType<DictionaryAttr>(lh::kernelCodeMark);
  if (!lent)
    return;
  NamedAttrList all(payload->getAttrOfType<DictionaryAttr>(lh::kernelCodeMark));
  for (NamedAttribute code : lent)
    all.set(code.getName(), code.getValue());
  payload->setAttr(lh::kernelCodeMark, all.getDictionary(payload.getContext()));
}

SmallVector<std::string> lh::lendKernels(ModuleOp schedule, ModuleOp payload) {
  SmallVector<std::string> lent;
  for (auto kernel : schedule.getOps<FunctionOpInterface>()) {
    if (!isa<func::FuncOp, LLVM::LLVMFuncOp>(kernel) ||
        payload.lookupSymbol(kernel.getName()))
      continue;
    Operation *copy = kernel->clone();
    if (isa<func::FuncOp>(copy))
      SymbolTable::setSymbolVisibility(copy, SymbolTable::Visibility::Private);
    payload.push_back(copy);
    lent.push_back(kernel.getName().str());
  }
  lendCode(schedule, payload);
  return lent;
}

void lh::takeBackKernels(ArrayRef<std::string> names, ModuleOp payload) {
  // Those that call others stand behind them.
  for (const std::string &name : llvm::reverse(names))
    if (Operation *kernel = payload.lookupSymbol(name))
      if ((!isa<func::FuncOp>(kernel) ||
           cast<func::FuncOp>(kernel).isPrivate()) &&
          SymbolTable::symbolKnownUseEmpty(kernel, payload))
        kernel->erase();
}

namespace {
struct LendKernelsPass : lh::impl::LendKernelsPassBase<LendKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (const std::string &file : from) {
      auto schedule = parseSourceFile<ModuleOp>(file, &getContext());
      if (!schedule)
        return signalPassFailure();
      lh::lendKernels(*schedule, getOperation());
    }
  }
};
} // namespace
