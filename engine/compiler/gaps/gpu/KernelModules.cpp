// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves kernels from module to module and renames what they collide with.
#include "compiler/gaps/gpu/KernelModules.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace {
/// The module that the others' symbols go to.
class Joiner {
public:
  explicit Joiner(gpu::GPUModuleOp target) : target(target) {
    for (Operation &op : *target.getBody())
      if (auto name = SymbolTable::getSymbolName(&op))
        names.insert(name);
  }

  /// Leaves `source` without a symbol of its own; `renamed` tells what its
  /// kernels are called now.
  void join(gpu::GPUModuleOp source, llvm::StringMap<std::string> &renamed);

private:
  void renameWhatCollides(gpu::GPUModuleOp source,
                          llvm::StringMap<std::string> &renamed);

  /// A name like `name` that neither module has.
  std::string unused(StringRef name, gpu::GPUModuleOp source) {
    for (unsigned i = 0;; ++i)
      if (std::string other = (name + "_" + Twine(i)).str();
          !names.contains(other) && !source.lookupSymbol(other))
        return other;
  }

  gpu::GPUModuleOp target;
  llvm::StringSet<> names;
};
} // namespace

/// A device library's function, say: one declaration is as good as another.
static bool isDeclaration(Operation &op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function && function.isExternal();
}

/// Names are settled while uses and definitions still lie in one module: a use
/// that has moved away would be taken for one of the target's symbols.
void Joiner::renameWhatCollides(gpu::GPUModuleOp source,
                                llvm::StringMap<std::string> &renamed) {
  for (Operation &op : llvm::make_early_inc_range(*source.getBody())) {
    StringAttr name = SymbolTable::getSymbolName(&op);
    if (!name)
      continue;
    if (names.contains(name) && isDeclaration(op)) {
      op.erase();
      continue;
    }
    std::string now = name.str();
    if (names.contains(now)) {
      now = unused(name, source);
      auto attribute = StringAttr::get(op.getContext(), now);
      (void)SymbolTable::replaceAllSymbolUses(&op, attribute, source);
      SymbolTable::setSymbolName(&op, attribute);
    }
    renamed[name] = now;
    names.insert(now);
  }
}

void Joiner::join(gpu::GPUModuleOp source,
                  llvm::StringMap<std::string> &renamed) {
  renameWhatCollides(source, renamed);
  Block &to = *target.getBody(), &from = *source.getBody();
  to.getOperations().splice(to.end(), from.getOperations());
}

gpu::GPUModuleOp lh::joinKernelModules(ModuleOp module) {
  auto all = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (all.empty())
    return nullptr;
  gpu::GPUModuleOp target = all.front();
  Joiner joiner(target);
  llvm::StringMap<llvm::StringMap<std::string>> renamed;
  for (gpu::GPUModuleOp source : llvm::drop_begin(all)) {
    joiner.join(source, renamed[source.getName()]);
    source.erase();
  }
  module.walk([&](gpu::LaunchFuncOp launch) {
    auto moved = renamed.find(launch.getKernelModuleName().getValue());
    if (moved == renamed.end())
      return;
    const std::string &name = moved->second[launch.getKernelName().getValue()];
    MLIRContext *context = module.getContext();
    launch.setKernelAttr(SymbolRefAttr::get(
        target.getNameAttr(),
        {FlatSymbolRefAttr::get(StringAttr::get(context, name))}));
  });
  return target;
}
