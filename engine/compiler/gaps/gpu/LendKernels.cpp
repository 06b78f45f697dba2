// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the functions of a schedule into the module that it works on, where
// transform.func.cast_and_call looks for them.
#include "compiler/gaps/gpu/LendKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_LENDKERNELSPASS
#define GEN_PASS_DEF_LENDKERNELSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace mlir;

SmallVector<std::string> lh::lendKernels(ModuleOp schedule, ModuleOp payload) {
  SmallVector<std::string> lent;
  for (auto kernel : schedule.getOps<func::FuncOp>()) {
    if (payload.lookupSymbol(kernel.getSymName()))
      continue;
    func::FuncOp copy = kernel.clone();
    copy.setPrivate();
    payload.push_back(copy);
    lent.push_back(copy.getSymName().str());
  }
  return lent;
}

void lh::takeBackKernels(ArrayRef<std::string> names, ModuleOp payload) {
  for (const std::string &name : names)
    if (auto kernel = payload.lookupSymbol<func::FuncOp>(name))
      if (kernel.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(kernel, payload))
        kernel.erase();
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
