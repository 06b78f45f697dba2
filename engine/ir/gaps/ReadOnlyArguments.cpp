// Tells bufferization that a caller's tensors are not the entry's to write.
#include "ir/gaps/Gaps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
class ReadOnlyArgumentsPass
    : public PassWrapper<ReadOnlyArgumentsPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReadOnlyArgumentsPass)

  StringRef getArgument() const override { return "lh-read-only-arguments"; }
  StringRef getDescription() const override {
    return "Marks the tensor arguments of public functions as not writable";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<bufferization::BufferizationDialect>();
  }

private:
  void runOnOperation() override {
    StringRef name = bufferization::BufferizationDialect::kWritableAttrName;
    Attribute no = BoolAttr::get(&getContext(), false);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function.isPublic())
        continue;
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (isa<TensorType>(function.getArgument(i).getType()) &&
            !function.getArgAttr(i, name))
          function.setArgAttr(i, name, no);
    }
  }
};
} // namespace

void lh::registerReadOnlyArgumentsPass() {
  PassRegistration<ReadOnlyArgumentsPass>();
}
