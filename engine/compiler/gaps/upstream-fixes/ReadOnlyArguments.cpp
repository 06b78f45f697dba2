// Tells bufferization that a caller's tensors are not the entry's to write.

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_READONLYARGUMENTSPASS
#include "compiler/gaps/upstream-fixes/Passes.h.inc"
} // namespace lh

using namespace mlir;

namespace {
struct ReadOnlyArgumentsPass
    : lh::impl::ReadOnlyArgumentsPassBase<ReadOnlyArgumentsPass> {
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
