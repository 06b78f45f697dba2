// What ArgMax and TopK chose from, as results beside the positions.
#include "ir/gaps/Gaps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

/// The operation that picked the positions in `value`: what the importer has
/// marked, seen through reshapes.
static Operation *pickerOf(Value value) {
  for (Operation *op = value.getDefiningOp(); op;
       op = op->getOperand(0).getDefiningOp()) {
    if (op->hasAttr("lh.picks"))
      return op;
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::ReshapeOp>(op))
      return nullptr;
  }
  return nullptr;
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

/// Appends the scores of each result that holds positions.
static void exposeScores(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Value> values(terminator->getOperands());
  SmallVector<std::pair<Value, std::string>> added;
  for (auto [i, value] : llvm::enumerate(values)) {
    auto name =
        function.getResultAttrOfType<StringAttr>(unsigned(i), "lh.name");
    Operation *picker = name ? pickerOf(value) : nullptr;
    Value scores = picker ? scoresOf(picker) : Value();
    if (!scores)
      continue;
    int64_t axis = picker->getAttrOfType<IntegerAttr>("lh.picks").getInt();
    added.emplace_back(scores,
                       (name.getValue() + "#scores" + Twine(axis)).str());
  }
  for (auto &[scores, name] : added) {
    unsigned position = function.getNumResults();
    terminator->insertOperands(position, scores);
    (void)function.insertResult(position, scores.getType(), nullptr);
    function.setResultAttr(position, "lh.name",
                           StringAttr::get(function.getContext(), name));
  }
}

namespace {
class ExposeScoresPass
    : public PassWrapper<ExposeScoresPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExposeScoresPass)

  StringRef getArgument() const override { return "lh-expose-scores"; }
  StringRef getDescription() const override {
    return "Returns what positions were picked by, beside the positions";
  }

private:
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic() &&
          function.getBody().hasOneBlock())
        exposeScores(function);
  }
};
} // namespace

void lh::registerExposeScoresPass() { PassRegistration<ExposeScoresPass>(); }
