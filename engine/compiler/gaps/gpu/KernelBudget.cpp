// Notes on the module what its kernels may use; the device code shows later
// what they do use.

#include "compiler/gaps/Marks.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_KERNELBUDGETPASS
#define GEN_PASS_DEF_KERNELBUDGETPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

namespace {
struct KernelBudgetPass : lh::impl::KernelBudgetPassBase<KernelBudgetPass> {
  using Base::Base;

  void runOnOperation() override {
    Builder builder(&getContext());
    NamedAttrList budget;
    for (auto [name, limit] :
         {std::pair("registers", &registers), std::pair("spills", &spills),
          std::pair("shared_bytes", &sharedBytes)})
      if (*limit >= 0)
        budget.set(name, builder.getI64IntegerAttr(*limit));
    SmallVector<StringRef> words;
    for (const std::string &word : instructions)
      if (!word.empty())
        words.push_back(word);
    if (!words.empty())
      budget.set("instructions", builder.getStrArrayAttr(words));
    getOperation()->setAttr(kernelBudgetMark,
                            budget.getDictionary(&getContext()));
  }
};
} // namespace
