// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ArgMax, TopK and NonMaxSuppression chose from, as results beside the
// positions.

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/SetVector.h"

namespace lh {
#define GEN_PASS_DEF_EXPOSESCORESPASS
#include "compiler/gaps/oracle/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// The operation that picked the positions in `value`: what the importer has
/// marked, seen through reshapes.
static Operation *pickerOf(Value value) {
  for (Operation *op = value.getDefiningOp(); op;
       op = op->getOperand(0).getDefiningOp()) {
    if (op->hasAttr(picksMark))
      return op;
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::ReshapeOp>(op))
      return nullptr;
  }
  return nullptr;
}

/// The loops that selected the boxes in `value`: the first rows of what they
/// made, all columns.
static scf::ForOp selectorOf(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return {};
  auto loop = slice.getSource().getDefiningOp<scf::ForOp>();
  return loop && loop->hasAttr(selectsMark) ? loop : scf::ForOp();
}

/// The float tensors from outside that `loop` reads elements of, in the order
/// in which it does.
static SmallVector<Value> floatsReadBy(scf::ForOp loop) {
  llvm::SetVector<Value> found;
  loop->walk([&](tensor::ExtractOp extract) {
    Value tensor = extract.getTensor();
    if (isa<FloatType>(extract.getType()) &&
        !loop->isAncestor(tensor.getParentBlock()->getParentOp()))
      found.insert(tensor);
  });
  return found.takeVector();
}

/// The tensor that `loop` reads elements of, if it is only one.
static Value tensorReadBy(scf::ForOp loop) {
  Value found;
  bool several = false;
  loop->walk([&](tensor::ExtractOp extract) {
    Value tensor = extract.getTensor();
    if (loop->isAncestor(tensor.getParentBlock()->getParentOp()))
      return;
    several |= found && found != tensor;
    found = tensor;
  });
  return several ? Value() : found;
}

static Value scoresOf(Operation *picker) {
  Value scores;
  if (auto structured = dyn_cast<linalg::LinalgOp>(picker))
    scores = structured.getDpsInputs().front();
  else if (auto loop = dyn_cast<scf::ForOp>(picker))
    scores = tensorReadBy(loop);
  if (!scores || !isa<FloatType>(getElementTypeOrSelf(scores)))
    return {};
  return scores;
}

using NamedValues = SmallVector<std::pair<Value, std::string>>;

static void addScores(Value positions, StringRef name, NamedValues &added) {
  Operation *picker = pickerOf(positions);
  Value scores = picker ? scoresOf(picker) : Value();
  if (!scores)
    return;
  int64_t axis = picker->getAttrOfType<IntegerAttr>(picksMark).getInt();
  added.emplace_back(scores, (name + "#scores" + Twine(axis)).str());
}

static void addSelection(Value rows, StringRef name, OpBuilder &builder,
                         NamedValues &added) {
  scf::ForOp loop = selectorOf(rows);
  if (!loop)
    return;
  // Scores decide first which box is looked at.
  SmallVector<Value> read = floatsReadBy(loop);
  if (read.size() != 2)
    return;
  auto rules = loop->getAttrOfType<DenseF64ArrayAttr>(selectsMark);
  auto type = RankedTensorType::get({rules.size()}, builder.getF64Type());
  Value numbers = arith::ConstantOp::create(
      builder, loop.getLoc(), DenseElementsAttr::get(type, rules.asArrayRef()));
  added.emplace_back(read[0], (name + "#selects-scores").str());
  added.emplace_back(read[1], (name + "#selects-boxes").str());
  added.emplace_back(numbers, (name + "#selects-rules").str());
}

/// Appends what each result that holds positions was picked by.
static void exposeScores(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Value> values(terminator->getOperands());
  OpBuilder builder(terminator);
  NamedValues added;
  for (auto [i, value] : llvm::enumerate(values)) {
    auto name = function.getResultAttrOfType<StringAttr>(unsigned(i), nameMark);
    if (!name)
      continue;
    addScores(value, name.getValue(), added);
    addSelection(value, name.getValue(), builder, added);
  }
  for (auto &[scores, name] : added) {
    unsigned position = function.getNumResults();
    terminator->insertOperands(position, scores);
    (void)function.insertResult(position, scores.getType(), nullptr);
    function.setResultAttr(position, nameMark,
                           StringAttr::get(function.getContext(), name));
  }
}

namespace {
struct ExposeScoresPass : lh::impl::ExposeScoresPassBase<ExposeScoresPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic() &&
          function.getBody().hasOneBlock())
        exposeScores(function);
  }
};
} // namespace
