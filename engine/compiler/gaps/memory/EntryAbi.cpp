// Gives entry functions a C interface with caller-owned outputs, and records
// what each argument and result is.

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

/// The ONNX word for a type when the payload gives none.
std::string wordFor(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isBF16())
    return "bfloat16";
  if (auto number = dyn_cast<FloatType>(element))
    return "float" + std::to_string(number.getWidth());
  if (element.isInteger(1))
    return "bool";
  if (element.isIndex())
    return "int64";
  if (auto number = dyn_cast<IntegerType>(element))
    return (number.isUnsigned() ? "uint" : "int") +
           std::to_string(number.getWidth());
  return "unknown";
}

/// The view that undoes a reshape between static shapes without layout.
Value undone(Operation *reshape, Value result, OpBuilder &builder) {
  Location loc = reshape->getLoc();
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(reshape))
    return memref::CollapseShapeOp::create(builder, loc, result,
                                           expand.getReassociationIndices());
  auto collapse = cast<memref::CollapseShapeOp>(reshape);
  return memref::ExpandShapeOp::create(builder, loc, collapse.getSrcType(),
                                       result,
                                       collapse.getReassociationIndices());
}

/// Whether a view keeps memory's order and is undone by `undone`.
bool isPlainReshape(Operation *op) {
  return isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(op) &&
         llvm::all_of(ArrayRef<Type>{op->getOperand(0).getType(),
                                     op->getResult(0).getType()},
                      [](Type type) {
                        auto buffer = cast<MemRefType>(type);
                        return buffer.hasStaticShape() &&
                               buffer.getLayout().isIdentity();
                      });
}

/// Makes a returned view of an allocation the allocation, and what was
/// allocated a view of it: only allocations become the caller's buffers.
void allocateAsReturned(OpOperand &returned) {
  SmallVector<Operation *> views;
  Operation *maker = returned.get().getDefiningOp();
  for (; isPlainReshape(maker); maker = maker->getOperand(0).getDefiningOp())
    views.push_back(maker);
  auto alloc = dyn_cast_or_null<memref::AllocOp>(maker);
  if (!alloc || views.empty())
    return;
  OpBuilder builder(alloc);
  Value own = memref::AllocOp::create(
      builder, alloc.getLoc(), cast<MemRefType>(returned.get().getType()),
      alloc.getAlignmentAttr());
  Value seen = own;
  for (Operation *view : views)
    seen = undone(view, seen, builder);
  alloc.replaceAllUsesWith(seen);
  alloc.erase();
  returned.set(own);
}

/// Builds the `lh.abi` entry of one function, before its results move.
class EntryDescriber {
public:
  explicit EntryDescriber(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  /// True when every argument and result is a buffer without a layout, which
  /// is what a caller in C can make.
  bool isCallable() {
    return llvm::all_of(function.getArgumentTypes(), isPlainBuffer) &&
           llvm::all_of(function.getResultTypes(), isPlainBuffer);
  }

  bool hasStaticResults() {
    return llvm::all_of(function.getResultTypes(), [](Type type) {
      return cast<MemRefType>(type).hasStaticShape();
    });
  }

  DictionaryAttr describe() {
    SmallVector<Attribute> arguments, results;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      arguments.push_back(describeArgument(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      results.push_back(describeResult(i));
    NamedAttrList entry;
    entry.set(
        "convention",
        builder.getStringAttr(hasStaticResults() ? "out-params" : "returned"));
    entry.set("args", builder.getArrayAttr(arguments));
    entry.set("results", builder.getArrayAttr(results));
    for (StringRef reason : {inexactMark, unorderedMark, undefinedMark})
      if (Attribute why = function->getParentOp()->getAttr(reason))
        entry.set(reason.split('.').second, why);
    return entry.getDictionary(function.getContext());
  }

private:
  static bool isPlainBuffer(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && memref.getLayout().isIdentity();
  }

  /// What the payload says in `attributes`; name and type are made up where it
  /// says nothing.
  void describeTensor(NamedAttrList &entry, Type type,
                      DictionaryAttr attributes,
                      const std::string &defaultName) {
    auto given = [&](StringRef name) {
      return attributes ? attributes.get(name) : Attribute();
    };
    Attribute name = given(nameMark), word = given(typeMark);
    entry.set("name", name ? name : builder.getStringAttr(defaultName));
    entry.set("type", word ? word : builder.getStringAttr(wordFor(type)));
    entry.set("memref", TypeAttr::get(type));
    if (Attribute symbols = given(symbolsMark))
      entry.set("symbols", symbols);
    if (Attribute exact = given(exactMark))
      entry.set("exact", exact);
    if (Attribute ordered = given(orderedMark))
      entry.set("ordered", ordered);
  }

  Attribute describeArgument(unsigned index) {
    NamedAttrList entry;
    describeTensor(entry, function.getArgumentTypes()[index],
                   function.getArgAttrDict(index),
                   "arg" + std::to_string(index));
    StringRef role = "input";
    if (function.getArgAttr(index, weightMark))
      role = "weight";
    if (Attribute prepared = function.getArgAttr(index, preparedMark)) {
      role = "prepared";
      entry.set("index", prepared);
    }
    entry.set("role", builder.getStringAttr(role));
    if (Attribute data = function.getArgAttr(index, dataMark))
      entry.set("data", data);
    return entry.getDictionary(function.getContext());
  }

  Attribute describeResult(unsigned index) {
    NamedAttrList entry;
    describeTensor(entry, function.getResultTypes()[index],
                   function.getResultAttrDict(index),
                   "result" + std::to_string(index));
    return entry.getDictionary(function.getContext());
  }

  func::FuncOp function;
  Builder builder;
};

/// What a caller hands in is the caller's: bufferization must not write to it.
void keepArguments(func::FuncOp function) {
  StringRef name = bufferization::BufferizationDialect::kWritableAttrName;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (isa<TensorType>(function.getArgument(i).getType()) &&
        !function.getArgAttr(i, name))
      function.setArgAttr(i, name, BoolAttr::get(function.getContext(), false));
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
      for (auto function : module.getOps<func::FuncOp>())
        if (function.isPublic() && !function.isExternal())
          keepArguments(function);
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
      EntryDescriber describer(function);
      if (!describer.isCallable()) {
        if (!isReserved(function))
          continue;
        function.emitError()
            << "'@" << function.getSymName() << "' has the type "
            << function.getFunctionType()
            << "; an entry takes and returns memrefs with identity layout "
               "only, as one-shot-bufferize{bufferize-function-boundaries "
               "function-boundary-type-conversion=identity-layout-map} makes "
               "them from tensors";
        return signalPassFailure();
      }
      abi.set(function.getSymName(), describer.describe());
      if (describer.hasStaticResults())
        outParams.insert(function);
      function->setAttr("llvm.emit_c_interface", UnitAttr::get(&getContext()));
    }
    module->setAttr(abiMark, abi.getDictionary(&getContext()));
    if (failed(promote(module, outParams)))
      signalPassFailure();
  }

  static bool isReserved(func::FuncOp function) {
    return function.getSymName() == "main" ||
           function.getSymName() == "prepare";
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
