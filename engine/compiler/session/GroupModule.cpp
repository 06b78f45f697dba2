// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A node of a model, with what is computed along with it, as a module.
#include "compiler/session/GroupModule.h"

#include "compiler/gaps/Marks.h"
#include "compiler/gaps/products/ProductForm.h"
#include "compiler/session/Inspect.h"
#include "compiler/session/ModuleFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/SetVector.h"

using namespace lh;

namespace {

class Grouping {
public:
  Grouping(mlir::func::FuncOp model, StringRef node, bool channelsLast)
      : model(model), node(node), channelsLast(channelsLast) {}

  /// Why there is no group; "" where there is one.
  std::string gather();
  mlir::OwningOpRef<mlir::ModuleOp> build();

private:
  void addNeeded();
  void addFollowing();
  std::string findBorders();
  bool isWeight(mlir::Value value);
  bool isTurned(mlir::Value value);
  mlir::Type typeAtBorder(mlir::Value value);
  llvm::SetVector<mlir::Value> usedBy(mlir::Operation *op) const;

  mlir::func::FuncOp model;
  StringRef node;
  bool channelsLast;
  llvm::SetVector<mlir::Operation *> group;
  std::vector<mlir::Operation *> inOrder;
  llvm::SetVector<mlir::Value> inputs, outputs;
};

} // namespace

llvm::SetVector<mlir::Value> Grouping::usedBy(mlir::Operation *op) const {
  llvm::SetVector<mlir::Value> used;
  used.insert(op->operand_begin(), op->operand_end());
  mlir::getUsedValuesDefinedAbove(op->getRegions(), used);
  return used;
}

/// Constants, empty tensors, sizes, and what weights alone make.
static bool isNeeded(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  return op && (op->getNumOperands() == 0 ||
                !llvm::isa<mlir::ShapedType>(value.getType()) ||
                comesFromWeights(value));
}

void Grouping::addNeeded() {
  for (size_t i = 0; i < group.size(); ++i)
    for (mlir::Value value : usedBy(group[i]))
      if (isNeeded(value))
        group.insert(value.getDefiningOp());
}

/// Bias, norms and activations: each the only user of what came before.
void Grouping::addFollowing() {
  constexpr int most = 4;
  for (int i = 0; i < most; ++i) {
    llvm::SetVector<mlir::Operation *> users;
    for (mlir::Operation *op : group)
      for (mlir::Operation *user : op->getUsers())
        if (!group.contains(user) && user->getBlock() == &model.front())
          users.insert(user);
    auto next = users.size() == 1
                    ? llvm::dyn_cast<mlir::linalg::GenericOp>(users.front())
                    : mlir::linalg::GenericOp();
    if (!next || next.getNumLoops() != next.getNumParallelLoops())
      return;
    group.insert(next);
  }
}

static bool isStatic(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

bool Grouping::isWeight(mlir::Value value) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
  return argument && model.getArgAttr(argument.getArgNumber(), weightMark);
}

std::string Grouping::findBorders() {
  for (mlir::Operation &op : model.front())
    if (group.contains(&op))
      inOrder.push_back(&op);
  for (mlir::Operation *op : inOrder) {
    for (mlir::Value value : usedBy(op))
      if (!group.contains(value.getDefiningOp()))
        inputs.insert(value);
    for (mlir::Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](mlir::Operation *user) {
            return !group.contains(model.front().findAncestorOpInBlock(*user));
          }))
        outputs.insert(result);
  }
  // Weights come last, as in what is imported.
  llvm::SmallVector<mlir::Value> ordered = inputs.takeVector();
  llvm::stable_sort(ordered, [&](mlir::Value a, mlir::Value b) {
    return !isWeight(a) && isWeight(b);
  });
  inputs.insert(ordered.begin(), ordered.end());
  for (mlir::Value value : inputs)
    if (!isStatic(value))
      return "it reads what has an open size";
  for (mlir::Value value : outputs)
    if (!isStatic(value))
      return "it makes what has an open size";
  return outputs.empty() ? "nothing reads it" : "";
}

std::string Grouping::gather() {
  for (mlir::Operation &op : model.front())
    if (!op.hasTrait<mlir::OpTrait::IsTerminator>() &&
        originsOf(op.getLoc()).count(node.str()))
      group.insert(&op);
  if (group.empty())
    return "it is in no straight code of the entry";
  addFollowing();
  addNeeded();
  return findBorders();
}

/// Whether a value crosses the border with its channels innermost.
bool Grouping::isTurned(mlir::Value value) {
  constexpr int64_t imageRank = 4;
  return channelsLast && !isWeight(value) &&
         llvm::cast<mlir::RankedTensorType>(value.getType()).getRank() ==
             imageRank;
}

static mlir::RankedTensorType turned(mlir::Type type,
                                     mlir::ArrayRef<int64_t> order) {
  auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  llvm::SmallVector<int64_t> shape;
  for (int64_t dimension : order)
    shape.push_back(tensor.getDimSize(unsigned(dimension)));
  return tensor.clone(shape);
}

static constexpr int64_t toLast[] = {0, 2, 3, 1}, toFirst[] = {0, 3, 1, 2};

static mlir::Value turn(mlir::OpBuilder &builder, mlir::Location where,
                        mlir::Value value, mlir::ArrayRef<int64_t> order) {
  auto type = turned(value.getType(), order);
  mlir::Value empty = mlir::tensor::EmptyOp::create(
      builder, where, type.getShape(), type.getElementType());
  return mlir::linalg::TransposeOp::create(builder, where, value, empty, order)
      .getResult()[0];
}

mlir::Type Grouping::typeAtBorder(mlir::Value value) {
  return isTurned(value) ? turned(value.getType(), toLast) : value.getType();
}

mlir::OwningOpRef<mlir::ModuleOp> Grouping::build() {
  mlir::OpBuilder builder(model.getContext());
  mlir::Location where = model.getLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(where));
  builder.setInsertionPointToEnd(module->getBody());
  llvm::SmallVector<mlir::Type> taken, given;
  for (mlir::Value input : inputs)
    taken.push_back(typeAtBorder(input));
  for (mlir::Value output : outputs)
    given.push_back(typeAtBorder(output));
  auto main = mlir::func::FuncOp::create(builder, where, model.getName(),
                                         builder.getFunctionType(taken, given));
  mlir::Block *body = main.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  mlir::IRMapping mapping;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    mlir::Value own = body->getArgument(unsigned(index));
    mapping.map(input,
                isTurned(input) ? turn(builder, where, own, toFirst) : own);
    if (isWeight(input))
      main.setArgAttrs(
          unsigned(index),
          mlir::function_interface_impl::getArgAttrs(
              model, llvm::cast<mlir::BlockArgument>(input).getArgNumber()));
  }
  for (mlir::Operation *op : inOrder)
    builder.clone(*op, mapping);
  llvm::SmallVector<mlir::Value> results;
  for (mlir::Value output : outputs) {
    mlir::Value own = mapping.lookup(output);
    results.push_back(isTurned(output) ? turn(builder, where, own, toLast)
                                       : own);
  }
  mlir::func::ReturnOp::create(builder, where, results);
  return module;
}

std::string lh::groupModule(mlir::ModuleOp model, StringRef entry,
                            StringRef node, bool channelsLast,
                            std::string &whyNot) {
  auto main = model.lookupSymbol<mlir::func::FuncOp>(entry);
  if (!main || main.isExternal() || !main.getBody().hasOneBlock()) {
    whyNot = "the model has no straight entry";
    return "";
  }
  Grouping grouping(main, node, channelsLast);
  whyNot = grouping.gather();
  if (!whyNot.empty())
    return "";
  mlir::OwningOpRef<mlir::ModuleOp> module = grouping.build();
  if (failed(mlir::verify(*module))) {
    whyNot = "it is no valid module by itself";
    return "";
  }
  return moduleBytecode(*module);
}
