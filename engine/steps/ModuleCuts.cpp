// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edits that make a module smaller and leave it a module, whatever it means.
#include "steps/ModuleCuts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace lh;
using mlir::FunctionOpInterface;
using mlir::Operation;
using mlir::Value;

std::vector<Operation *> lh::operationsOf(mlir::ModuleOp module) {
  std::vector<Operation *> operations;
  module->walk<mlir::WalkOrder::PreOrder>([&](Operation *operation) {
    if (operation != module.getOperation())
      operations.push_back(operation);
  });
  return operations;
}

static std::vector<FunctionOpInterface> functionsOf(mlir::ModuleOp module) {
  std::vector<FunctionOpInterface> functions;
  module->walk<mlir::WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (!function.isExternal())
      functions.push_back(function);
  });
  return functions;
}

size_t lh::functionCount(mlir::ModuleOp module) {
  return functionsOf(module).size();
}

static bool isCalled(FunctionOpInterface function, mlir::ModuleOp module) {
  return !mlir::SymbolTable::symbolKnownUseEmpty(function, module);
}

/// The function whose arguments `operation` may use, if it may get more.
static FunctionOpInterface functionAround(Operation *operation,
                                          mlir::ModuleOp module) {
  Operation *parent = operation->getParentOp();
  while (parent && !parent->hasTrait<mlir::OpTrait::IsIsolatedFromAbove>())
    parent = parent->getParentOp();
  auto function = llvm::dyn_cast_or_null<FunctionOpInterface>(parent);
  if (!function || function.isExternal() || isCalled(function, module))
    return nullptr;
  return function;
}

static Value argumentFor(Value value, Operation *operation,
                         mlir::ModuleOp module) {
  FunctionOpInterface function = functionAround(operation, module);
  if (!function)
    return nullptr;
  unsigned position = function.getNumArguments();
  if (failed(function.insertArgument(
          position, value.getType(),
          mlir::DictionaryAttr::get(module.getContext()), value.getLoc())))
    return nullptr;
  return function.getArgument(position);
}

static Value constantFor(Value value, Operation *operation) {
  mlir::OpBuilder builder(operation);
  mlir::Type type = value.getType();
  if (mlir::TypedAttr zero = builder.getZeroAttr(type))
    return mlir::arith::ConstantOp::create(builder, value.getLoc(), zero);
  return mlir::ub::PoisonOp::create(builder, value.getLoc(), type);
}

static Value substituteFor(Value value, Operation *operation,
                           Substitutes values, mlir::ModuleOp module) {
  if (values == Substitutes::Nothing)
    return nullptr;
  for (Value operand : operation->getOperands())
    if (operand.getType() == value.getType() && operand != value)
      return operand;
  if (values == Substitutes::Operands)
    return nullptr;
  if (values == Substitutes::Arguments)
    if (Value argument = argumentFor(value, operation, module))
      return argument;
  return constantFor(value, operation);
}

static bool replaceResults(Operation *operation, Substitutes values,
                           mlir::ModuleOp module) {
  for (Value result : operation->getResults()) {
    if (result.use_empty())
      continue;
    Value substitute = substituteFor(result, operation, values, module);
    if (!substitute)
      return false;
    result.replaceAllUsesWith(substitute);
  }
  return true;
}

bool lh::cutOperations(mlir::ModuleOp module, size_t first, size_t last,
                       Substitutes values) {
  std::vector<Operation *> operations = operationsOf(module);
  last = std::min(last, operations.size());
  bool removed = false;
  // Users go before what they use, and contents before containers.
  for (size_t i = last; i-- > first;) {
    Operation *operation = operations[i];
    if (operation->hasTrait<mlir::OpTrait::IsTerminator>())
      continue;
    if (!replaceResults(operation, values, module))
      continue;
    operation->erase();
    removed = true;
  }
  return removed;
}

bool lh::unwrapOperation(mlir::ModuleOp module, size_t index,
                         Substitutes values) {
  std::vector<Operation *> operations = operationsOf(module);
  if (index >= operations.size())
    return false;
  Operation *outer = operations[index];
  if (outer->getNumRegions() == 0 ||
      outer->hasTrait<mlir::OpTrait::IsIsolatedFromAbove>() ||
      llvm::isa<mlir::SymbolOpInterface>(outer) ||
      !outer->getRegion(0).hasOneBlock())
    return false;
  mlir::Block &body = outer->getRegion(0).front();
  for (mlir::BlockArgument argument : body.getArguments()) {
    if (argument.use_empty())
      continue;
    Value substitute = substituteFor(argument, outer, values, module);
    if (!substitute)
      return false;
    argument.replaceAllUsesWith(substitute);
  }
  Operation *end = body.empty() ? nullptr : &body.back();
  bool isTerminated = end && end->hasTrait<mlir::OpTrait::IsTerminator>();
  if (isTerminated)
    for (auto [result, yielded] :
         llvm::zip(outer->getResults(), end->getOperands()))
      if (result.getType() == yielded.getType())
        result.replaceAllUsesWith(yielded);
  if (isTerminated)
    end->erase();
  outer->getBlock()->getOperations().splice(outer->getIterator(),
                                            body.getOperations());
  if (!replaceResults(outer, values, module))
    return false;
  outer->erase();
  return true;
}

bool lh::cutResults(mlir::ModuleOp module, size_t index,
                    std::optional<unsigned> only) {
  std::vector<FunctionOpInterface> functions = functionsOf(module);
  if (index >= functions.size())
    return false;
  FunctionOpInterface function = functions[index];
  unsigned count = function.getNumResults();
  if (count == 0 || (only && *only >= count))
    return false;
  llvm::BitVector gone(count, !only);
  if (only)
    gone.set(*only);
  for (mlir::Block &block : function.getFunctionBody())
    if (!block.empty() && block.back().getNumOperands() == count &&
        block.back().getNumSuccessors() == 0)
      block.back().eraseOperands(gone);
  return succeeded(function.eraseResults(gone));
}

bool lh::cutUnusedArguments(mlir::ModuleOp module) {
  bool removed = false;
  for (FunctionOpInterface function : functionsOf(module)) {
    if (isCalled(function, module))
      continue;
    llvm::BitVector unused(function.getNumArguments());
    for (mlir::BlockArgument argument : function.getArguments())
      if (argument.use_empty())
        unused.set(argument.getArgNumber());
    if (unused.any())
      removed |= succeeded(function.eraseArguments(unused));
  }
  return removed;
}

/// One element in place of many; null where that isn't simple.
static mlir::Attribute oneElement(mlir::Attribute attribute) {
  constexpr int64_t mostKept = 16;
  auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(attribute);
  if (elements && !elements.isSplat() && elements.getNumElements() > mostKept)
    return elements.resizeSplat(elements.getType());
  return nullptr;
}

bool lh::cutAttributes(mlir::ModuleOp module, size_t first, size_t last) {
  std::vector<Operation *> operations = operationsOf(module);
  last = std::min(last, operations.size());
  bool removed = false;
  for (size_t i = first; i < last; ++i) {
    Operation *operation = operations[i];
    mlir::DictionaryAttr marks = operation->getDiscardableAttrDictionary();
    for (mlir::NamedAttribute mark : marks)
      removed |=
          static_cast<bool>(operation->removeDiscardableAttr(mark.getName()));
    mlir::DictionaryAttr kept = operation->getAttrDictionary();
    for (mlir::NamedAttribute attribute : kept)
      if (mlir::Attribute small = oneElement(attribute.getValue())) {
        operation->setAttr(attribute.getName(), small);
        removed = true;
      }
  }
  return removed;
}
