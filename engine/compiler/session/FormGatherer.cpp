// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What form a module is in: one walk over it.
#include "compiler/session/FormGatherer.h"

#include "compiler/gaps/Marks.h"
#include "compiler/session/MlirDiagnostics.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace lh;

namespace {

/// What a type means for the form; looked up once per type.
struct TypeKind {
  const char *word = nullptr; ///< as in contracts; null: none of them
  int64_t vectorElements = 0; ///< of a vector of fixed length
  bool isDynamic = false;
};

/// How often something is there, and the operation where it is first.
struct Tally {
  int64_t count = 0;
  mlir::Operation *first = nullptr;

  void add(mlir::Operation *op) {
    if (count++ == 0)
      first = op;
  }
  FormItem item() const {
    return {count, spanOf(first->getLoc()), namesIn(first->getLoc())};
  }
};

/// One part of the form while it is counted, by pointers rather than names.
class PartGatherer {
public:
  void add(mlir::Operation *op) {
    ops[op->getName()].add(op);
    dialects[op->getName().getDialectNamespace()].add(op);
    for (mlir::Type type : op->getResultTypes())
      addType(type, op);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::Type type : block.getArgumentTypes())
          addType(type, op);
    if (auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op))
      addBoundary(function);
    if (llvm::isa<mlir::memref::AllocaOp, mlir::LLVM::AllocaOp>(op) &&
        isInLoop(op))
      allocasInLoops.add(op);
  }

  FormPart finish() const {
    FormPart part;
    for (const auto &[name, tally] : dialects)
      part.dialects[name.str()] = tally.item();
    for (const auto &[name, tally] : ops)
      part.ops[name.getStringRef().str()] = tally.item();
    for (const auto &[word, tally] : types)
      part.types[word] = tally.item();
    for (const auto &[word, tally] : boundary)
      part.boundary[word] = tally.item();
    if (dynamic.count > 0)
      part.dynamicShape = dynamic.item();
    if (allocasInLoops.count > 0)
      part.allocaInLoop = allocasInLoops.item();
    part.largestVector = largestVector;
    if (largestVectorAt.count > 0)
      part.largestVectorAt = largestVectorAt.item();
    return part;
  }

private:
  static TypeKind kindOf(mlir::Type type) {
    TypeKind kind;
    if (llvm::isa<mlir::TensorType>(type))
      kind.word = "tensor";
    else if (llvm::isa<mlir::BaseMemRefType>(type))
      kind.word = "memref";
    else if (auto vector = llvm::dyn_cast<mlir::VectorType>(type)) {
      kind.word = vector.isScalable() ? "scalable-vector" : "vector";
      kind.vectorElements = vector.isScalable() ? 0 : vector.getNumElements();
    }
    auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
    kind.isDynamic = shaped && !shaped.hasStaticShape();
    return kind;
  }

  void addType(mlir::Type type, mlir::Operation *op) {
    auto [entry, isNew] = kinds.try_emplace(type);
    if (isNew)
      entry->second = kindOf(type);
    const TypeKind &kind = entry->second;
    if (kind.word)
      types[kind.word].add(op);
    if (kind.isDynamic)
      dynamic.add(op);
    if (kind.vectorElements > largestVector) {
      largestVector = kind.vectorElements;
      largestVectorAt = {};
      largestVectorAt.add(op);
    }
  }

  void addBoundary(mlir::FunctionOpInterface function) {
    if (function.isExternal() || !function.isPublic())
      return;
    auto addAll = [&](mlir::TypeRange signature) {
      for (mlir::Type type : signature) {
        if (llvm::isa<mlir::TensorType>(type))
          boundary["tensors"].add(function);
        else if (llvm::isa<mlir::BaseMemRefType>(type))
          boundary["memrefs"].add(function);
        else if (llvm::isa<mlir::LLVM::LLVMPointerType,
                           mlir::LLVM::LLVMStructType>(type))
          boundary["pointers"].add(function);
      }
    };
    addAll(function.getArgumentTypes());
    addAll(function.getResultTypes());
  }

  /// In a loop of structured control flow, or in a cycle of blocks.
  static bool isInLoop(mlir::Operation *op) {
    for (mlir::Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp()) {
      if (llvm::isa<mlir::memref::AllocaScopeOp>(parent))
        return false;
      if (llvm::isa<mlir::LoopLikeOpInterface>(parent))
        return true;
      if (llvm::isa<mlir::FunctionOpInterface>(parent))
        break;
    }
    return isInCycle(op->getBlock());
  }

  static bool isInCycle(mlir::Block *block) {
    if (block->isEntryBlock() || savesStack(block->getParent()))
      return false;
    llvm::SmallPtrSet<mlir::Block *, 16> seen;
    llvm::SmallVector<mlir::Block *> open(block->succ_begin(),
                                          block->succ_end());
    while (!open.empty()) {
      mlir::Block *next = open.pop_back_val();
      if (next == block)
        return true;
      if (seen.insert(next).second)
        open.append(next->succ_begin(), next->succ_end());
    }
    return false;
  }

  static bool savesStack(mlir::Region *region) {
    return region
        ->walk([](mlir::LLVM::StackSaveOp) {
          return mlir::WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  llvm::DenseMap<mlir::OperationName, Tally> ops;
  llvm::DenseMap<StringRef, Tally> dialects;
  llvm::DenseMap<mlir::Type, TypeKind> kinds;
  std::map<std::string, Tally> types, boundary;
  Tally dynamic, allocasInLoops, largestVectorAt;
  int64_t largestVector = 0;
};

} // namespace

ModuleForm lh::gatherForm(mlir::ModuleOp module) {
  PartGatherer payload, kernels;
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (op->hasAttr(kernelCallMark)) // what it calls has other types
      return mlir::WalkResult::skip();
    if (op->getName().getStringRef() != "gpu.module") {
      if (op != module)
        payload.add(op);
      return mlir::WalkResult::advance();
    }
    op->walk<mlir::WalkOrder::PreOrder>(
        [&](mlir::Operation *inner) { kernels.add(inner); });
    return mlir::WalkResult::skip();
  });
  return {payload.finish(), kernels.finish()};
}
