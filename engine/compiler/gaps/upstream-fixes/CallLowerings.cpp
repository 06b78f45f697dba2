// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations become calls of the functions that have their names.
// transform.func.cast_and_call does so for one operation that a schedule finds
// by name, knows no attributes, and leaves the operation behind.
#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_CALLLOWERINGSPASS
#define GEN_PASS_DEF_CALLLOWERINGSPASS
#include "compiler/gaps/upstream-fixes/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// `value` as a `type`; null where no cast leads there.
static Value castTo(Type type, Value value, OpBuilder &builder) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (tensor::CastOp::areCastCompatible(from, type))
    return tensor::CastOp::create(builder, value.getLoc(), type, value);
  if (memref::CastOp::areCastCompatible(from, type))
    return memref::CastOp::create(builder, value.getLoc(), type, value);
  return Value();
}

namespace {
/// One operation and the function that takes its place.
class Replacement {
public:
  Replacement(Operation *op, func::FuncOp function)
      : op(op), function(function), builder(op) {}

  LogicalResult run();

private:
  InFlightDiagnostic refuse(const Twine &what) {
    InFlightDiagnostic error = op->emitOpError() << what;
    error.attachNote(function.getLoc()) << "the function in its place";
    return error;
  }
  FailureOr<Value> constantFor(unsigned argument, StringRef attribute);
  LogicalResult addAttributes(SmallVectorImpl<Value> &operands);

  Operation *op;
  func::FuncOp function;
  OpBuilder builder;
};
} // namespace

FailureOr<Value> Replacement::constantFor(unsigned argument,
                                          StringRef attribute) {
  Type type = function.getArgumentTypes()[argument];
  auto value = dyn_cast_or_null<TypedAttr>(op->getAttr(attribute));
  if (!value)
    return refuse("lacks the attribute '" + attribute +
                  "' that its function takes, or has one without a type");
  if (value.getType() != type)
    return refuse("has an attribute '" + attribute + "' of type ")
           << value.getType() << ", and its function takes a " << type;
  if (!arith::ConstantOp::isBuildableWith(value, type))
    return refuse("has an attribute '" + attribute +
                  "' that can't be a constant");
  return arith::ConstantOp::create(builder, op->getLoc(), value).getResult();
}

/// The arguments behind the operation's operands.
LogicalResult Replacement::addAttributes(SmallVectorImpl<Value> &operands) {
  for (unsigned i = op->getNumOperands(); i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, lh::attributeMark);
    if (!name)
      return refuse("has ") << op->getNumOperands() << " operands, and its "
                            << "function takes more";
    FailureOr<Value> constant = constantFor(i, name);
    if (failed(constant))
      return failure();
    operands.push_back(*constant);
  }
  return success();
}

LogicalResult Replacement::run() {
  if (op->getNumRegions() > 0 || op->getNumSuccessors() > 0)
    return refuse("has regions, which a call doesn't have");
  if (function.getNumArguments() < op->getNumOperands() ||
      function.getNumResults() != op->getNumResults())
    return refuse("has ") << op->getNumOperands() << " operands and "
                          << op->getNumResults() << " results, and its "
                          << "function has " << function.getNumArguments()
                          << " and " << function.getNumResults();
  SmallVector<Value> operands;
  for (auto [operand, type] :
       llvm::zip(op->getOperands(), function.getArgumentTypes())) {
    Value cast = castTo(type, operand, builder);
    if (!cast)
      return refuse("has an operand of type ")
             << operand.getType() << ", and its function takes a " << type;
    operands.push_back(cast);
  }
  if (failed(addAttributes(operands)))
    return failure();
  auto call = func::CallOp::create(builder, op->getLoc(), function, operands);
  SmallVector<Value> results;
  for (auto [result, old] : llvm::zip(call.getResults(), op->getResults())) {
    Value cast = castTo(old.getType(), result, builder);
    if (!cast)
      return refuse("has a result of type ")
             << old.getType() << ", and its function gives a "
             << result.getType();
    results.push_back(cast);
  }
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

namespace {
struct CallLowerings : lh::impl::CallLoweringsPassBase<CallLowerings> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<std::pair<Operation *, func::FuncOp>> found;
    getOperation().walk([&](Operation *op) {
      auto function =
          symbols.lookup<func::FuncOp>(op->getName().getStringRef());
      if (function && !function->isProperAncestor(op))
        found.push_back({op, function});
    });
    bool failedAny = false;
    for (auto [op, function] : found)
      failedAny |= failed(Replacement(op, function).run());
    if (failedAny)
      signalPassFailure();
  }
};
} // namespace
