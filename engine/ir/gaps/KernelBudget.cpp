// Notes on the module what its kernels may use; the device code shows later
// what they do use.
#include "ir/gaps/KernelBudget.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
class KernelBudgetPass
    : public PassWrapper<KernelBudgetPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelBudgetPass)

  StringRef getArgument() const override { return "lh-kernel-budget"; }
  StringRef getDescription() const override {
    return "Says what kernels may use and which instructions they must have";
  }

  KernelBudgetPass() = default;
  KernelBudgetPass(const KernelBudgetPass &other) : PassWrapper(other) {}

private:
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
    getOperation()->setAttr("lh.kernel_budget",
                            budget.getDictionary(&getContext()));
  }

  Option<int64_t> registers{
      *this, "registers", llvm::cl::init(-1),
      llvm::cl::desc("registers of a thread; -1: as many as there are")};
  Option<int64_t> spills{
      *this, "spills", llvm::cl::init(-1),
      llvm::cl::desc("bytes (NVIDIA) or registers (AMD) that a thread keeps in "
                     "memory for want of registers; -1: any")};
  Option<int64_t> sharedBytes{
      *this, "shared-bytes", llvm::cl::init(-1),
      llvm::cl::desc("bytes of shared memory of a block; -1: any")};
  ListOption<std::string> instructions{
      *this, "instructions",
      llvm::cl::desc("what the device code must have, as in 'mma.sync'")};
};
} // namespace

void lh::registerKernelBudgetPass() { PassRegistration<KernelBudgetPass>(); }
