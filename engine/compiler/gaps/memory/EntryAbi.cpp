// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives entry functions a C interface with caller-owned outputs, and records
// what each argument and result is.

#include "compiler/gaps/Entries.h"
#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferUtils.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_ENTRYABIPASS
#define GEN_PASS_DEF_ENTRYABIPASS
#include "compiler/gaps/memory/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

namespace {

bool isPlainBuffer(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getLayout().isIdentity();
}

/// Makes a returned view of an allocation the allocation, and what was
/// allocated a view of it: only allocations become the caller's buffers.
void allocateAsReturned(OpOperand &returned) {
  // The strides of nothing aren't known.
  auto isKnown = [](Value buffer) {
    if (!isPlainBuffer(buffer.getType()))
      return false;
    auto type = cast<MemRefType>(buffer.getType());
    return type.hasStaticShape() && type.getNumElements() > 0;
  };
  Value made = returned.get();
  while (isKnown(made) &&
         isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(
             made.getDefiningOp()))
    made = made.getDefiningOp()->getOperand(0);
  auto alloc = made.getDefiningOp<memref::AllocOp>();
  if (!alloc || made == returned.get() || !isKnown(made))
    return;
  OpBuilder builder(alloc);
  Value own = memref::AllocOp::create(
      builder, alloc.getLoc(), cast<MemRefType>(returned.get().getType()),
      alloc.getAlignmentAttr());
  auto [strides, offset] = alloc.getType().getStridesAndOffset();
  Value seen = memref::ReinterpretCastOp::create(
      builder, alloc.getLoc(), alloc.getType(), own, offset,
      alloc.getType().getShape(), strides);
  alloc.replaceAllUsesWith(seen);
  alloc.erase();
  returned.set(own);
}

/// True when every argument and result is a buffer without a layout, which is
/// what a caller in C can make.
bool isCallable(func::FuncOp function) {
  return llvm::all_of(function.getArgumentTypes(), isPlainBuffer) &&
         llvm::all_of(function.getResultTypes(), isPlainBuffer);
}

bool hasStaticResults(func::FuncOp function) {
  return llvm::all_of(function.getResultTypes(), [](Type type) {
    return cast<MemRefType>(type).hasStaticShape();
  });
}

/// The `lh.abi` entry of one function, before its results move.
DictionaryAttr describe(func::FuncOp function) {
  NamedAttrList entry(describeEntry(function));
  entry.set("convention",
            StringAttr::get(function.getContext(), hasStaticResults(function)
                                                       ? "out-params"
                                                       : "returned"));
  for (StringRef mark : marksOfAbi)
    if (Attribute why = function->getParentOp()->getAttr(mark))
      entry.set(mark.split('.').second, why);
  return entry.getDictionary(function.getContext());
}

/// Makes constants globals in the order of the program. Bufferization goes
/// through functions in an order that addresses decide, and would name and
/// place those of @main and @prepare so: each run would give another object.
LogicalResult nameConstants(ModuleOp module) {
  SymbolTableCollection symbols;
  uint64_t alignment = bufferization::BufferizationOptions().bufferAlignment;
  WalkResult walk = module.walk([&](arith::ConstantOp constant) {
    bool isNamed =
        !isa<RankedTensorType>(constant.getType()) ||
        succeeded(bufferization::getGlobalFor(constant, symbols, alignment));
    return isNamed ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

struct EntryAbiPass : lh::impl::EntryAbiPassBase<EntryAbiPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (tensors) {
      keepArguments(module);
      if (failed(nameConstants(module)))
        signalPassFailure();
      return;
    }
    if (module->hasAttr(abiMark)) {
      module.emitError("the entries can be called already ('lh.abi' says "
                       "how); lh-entry-abi runs once");
      return signalPassFailure();
    }
    NamedAttrList abi;
    DenseSet<Operation *> outParams;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      StringRef name = function.getSymName();
      if (!isCallable(function)) {
        if (name != "main" && name != "prepare")
          continue;
        function.emitError()
            << "'@" << name << "' has the type " << function.getFunctionType()
            << "; an entry takes and returns memrefs with identity layout "
               "only, as one-shot-bufferize{bufferize-function-boundaries "
               "function-boundary-type-conversion=identity-layout-map} makes "
               "them from tensors";
        return signalPassFailure();
      }
      abi.set(name, describe(function));
      function->removeAttr(signatureMark);
      if (hasStaticResults(function))
        outParams.insert(function);
      function->setAttr("llvm.emit_c_interface", UnitAttr::get(&getContext()));
    }
    module->setAttr(abiMark, abi.getDictionary(&getContext()));
    if (failed(promote(module, outParams)))
      signalPassFailure();
  }

  /// Gives every result a buffer of its own: upstream's promotion replaces an
  /// allocation by the caller's buffer, and crashes when it is returned twice.
  static void separateResults(Operation *function) {
    function->walk([](func::ReturnOp op) {
      OpBuilder builder(op);
      llvm::SmallDenseSet<Value> seen;
      for (OpOperand &result : op->getOpOperands()) {
        allocateAsReturned(result);
        if (seen.insert(result.get()).second)
          continue;
        auto type = cast<MemRefType>(result.get().getType());
        Value own = memref::AllocOp::create(builder, op.getLoc(), type);
        memref::CopyOp::create(builder, op.getLoc(), result.get(), own);
        result.set(own);
      }
    });
  }

  static LogicalResult promote(ModuleOp module,
                               const DenseSet<Operation *> &outParams) {
    for (Operation *function : outParams)
      separateResults(function);
    bufferization::BufferResultsToOutParamsOpts options;
    options.filterFn = [&](func::FuncOp *function) {
      return outParams.contains(function->getOperation());
    };
    options.hoistStaticAllocs = true;
    options.modifyPublicFunctions = true;
    return bufferization::promoteBufferResultsToOutParams(module, options);
  }
};
} // namespace
