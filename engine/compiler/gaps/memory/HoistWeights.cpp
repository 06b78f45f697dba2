// Moves what depends on weights alone out of @main, to run once per load.

#include "compiler/gaps/Marks.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/SetVector.h"

namespace lh {
#define GEN_PASS_DECL_HOISTWEIGHTSPASS
#define GEN_PASS_DEF_HOISTWEIGHTSPASS
#include "compiler/gaps/memory/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

namespace {

/// One run over one @main.
class WeightHoister {
public:
  /// A hoisted tensor may be `growth` times as large as the weights that it
  /// comes from; beyond that, computing it in place beats reading it.
  WeightHoister(func::FuncOp main, int64_t growth)
      : main(main), body(main.getBody().front()), growth(growth) {}

  /// Returns how many tensors @prepare now computes.
  unsigned run();

private:
  enum class Source { Weights, Constants, Other };

  Source sourceOf(Operation &op) const;
  void markOps();
  SmallVector<Value> frontier() const;
  bool usedOutside(Value value) const;
  bool isWorthHoisting(Value value) const;
  llvm::SetVector<Operation *> sliceOf(Value value,
                                       llvm::SetVector<Value> &weights) const;
  void buildPrepare(ArrayRef<Value> values);
  void takePreparedArguments(ArrayRef<Value> values);
  void dropDeadOps();
  void dropUnusedWeights();

  func::FuncOp main;
  Block &body;
  int64_t growth;
  DenseSet<Value> weightArguments;
  DenseSet<Operation *> marked, constant;
};

/// Calls `visit` for every value that `op` or an op inside it reads from
/// outside of `op`.
void forEachInput(Operation &op, function_ref<void(Value)> visit) {
  llvm::for_each(op.getOperands(), visit);
  visitUsedValuesDefinedAbove(
      op.getRegions(), [&](OpOperand *operand) { visit(operand->get()); });
}

WeightHoister::Source WeightHoister::sourceOf(Operation &op) const {
  // A linalg op on tensors isn't called pure only because indices inside it
  // might be out of range; they were verified.
  bool pure =
      isPure(&op) || (isa<linalg::LinalgOp>(op) && isMemoryEffectFree(&op));
  if (!pure || op.hasTrait<OpTrait::IsTerminator>())
    return Source::Other;
  bool weights = false, other = false;
  forEachInput(op, [&](Value input) {
    Operation *definition = input.getDefiningOp();
    if (weightArguments.contains(input) || marked.contains(definition))
      weights = true;
    else if (!definition || !constant.contains(definition))
      other = true;
  });
  if (other)
    return Source::Other;
  return weights ? Source::Weights : Source::Constants;
}

void WeightHoister::markOps() {
  for (Operation &op : body) {
    Source source = sourceOf(op);
    if (source == Source::Weights)
      marked.insert(&op);
    else if (source == Source::Constants)
      constant.insert(&op);
  }
}

bool WeightHoister::usedOutside(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !marked.contains(body.findAncestorOpInBlock(*user));
  });
}

/// The results of marked ops that unmarked ops read.
SmallVector<Value> WeightHoister::frontier() const {
  SmallVector<Value> values;
  for (Operation &op : body)
    if (marked.contains(&op))
      for (Value result : op.getResults())
        if (usedOutside(result))
          values.push_back(result);
  return values;
}

/// The ops that compute `value`, and the weights that they read.
llvm::SetVector<Operation *>
WeightHoister::sliceOf(Value value, llvm::SetVector<Value> &weights) const {
  llvm::SetVector<Operation *> slice;
  SmallVector<Operation *> work{value.getDefiningOp()};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!slice.insert(op))
      continue;
    forEachInput(*op, [&](Value input) {
      if (Operation *definition = input.getDefiningOp())
        work.push_back(definition);
      else
        weights.insert(input);
    });
  }
  return slice;
}

/// Bits in a static tensor; none when the size isn't known.
std::optional<int64_t> sizeInBits(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat())
    return std::nullopt;
  return tensor.getNumElements() * tensor.getElementTypeBitWidth();
}

/// After bufferisation these only change how bytes are looked at.
bool isView(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::ExtractSliceOp, tensor::ReshapeOp>(op);
}

bool WeightHoister::isWorthHoisting(Value value) const {
  std::optional<int64_t> size = sizeInBits(value.getType());
  if (!size)
    return false;
  llvm::SetVector<Value> weights;
  llvm::SetVector<Operation *> slice = sliceOf(value, weights);
  if (llvm::all_of(slice, [&](Operation *op) {
        return isView(op) || constant.contains(op);
      }))
    return false;
  int64_t sourceSize = 0;
  for (Value weight : weights)
    sourceSize += sizeInBits(weight.getType()).value_or(0);
  return *size <= growth * sourceSize;
}

void WeightHoister::buildPrepare(ArrayRef<Value> values) {
  llvm::SetVector<Operation *> slice;
  llvm::SetVector<Value> weights;
  for (Value value : values)
    slice.insert_range(sliceOf(value, weights));
  SmallVector<Value> arguments = weights.takeVector();
  llvm::sort(arguments, [](Value a, Value b) {
    return cast<BlockArgument>(a).getArgNumber() <
           cast<BlockArgument>(b).getArgNumber();
  });

  OpBuilder builder(main);
  builder.setInsertionPointAfter(main);
  auto type = builder.getFunctionType(TypeRange(ValueRange(arguments)),
                                      TypeRange(ValueRange(values)));
  auto prepare = func::FuncOp::create(builder, main.getLoc(), "prepare", type);
  Block *entry = prepare.addEntryBlock();
  IRMapping mapping;
  for (auto [index, weight] : llvm::enumerate(arguments)) {
    auto position = static_cast<unsigned>(index);
    mapping.map(weight, entry->getArgument(position));
    prepare.setArgAttrs(
        position,
        main.getArgAttrDict(cast<BlockArgument>(weight).getArgNumber()));
  }
  builder.setInsertionPointToEnd(entry);
  for (Operation *op : topologicalSort(slice))
    builder.clone(*op, mapping);
  SmallVector<Value> results;
  for (auto [index, value] : llvm::enumerate(values)) {
    results.push_back(mapping.lookup(value));
    prepare.setResultAttr(
        static_cast<unsigned>(index), nameMark,
        builder.getStringAttr("prepared" + std::to_string(index)));
  }
  func::ReturnOp::create(builder, main.getLoc(), results);
}

void WeightHoister::takePreparedArguments(ArrayRef<Value> values) {
  Builder builder(main.getContext());
  for (auto [index, constValue] : llvm::enumerate(values)) {
    Value value = constValue;
    unsigned position = main.getNumArguments();
    std::string name = "prepared" + std::to_string(index);
    NamedAttribute attributes[] = {
        builder.getNamedAttr(nameMark, builder.getStringAttr(name)),
        builder.getNamedAttr(preparedMark, builder.getI64IntegerAttr(
                                               static_cast<int64_t>(index)))};
    (void)main.insertArgument(position, value.getType(),
                              builder.getDictionaryAttr(attributes),
                              value.getLoc());
    value.replaceUsesWithIf(main.getArgument(position), [&](OpOperand &use) {
      return !marked.contains(body.findAncestorOpInBlock(*use.getOwner()));
    });
  }
}

void WeightHoister::dropDeadOps() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if ((marked.contains(&op) || constant.contains(&op)) && op.use_empty())
      op.erase();
}

/// A weight that only @prepare reads needn't be passed to @main.
void WeightHoister::dropUnusedWeights() {
  for (unsigned index = main.getNumArguments(); index-- > 0;)
    if (main.getArgAttr(index, weightMark) &&
        main.getArgument(index).use_empty())
      (void)main.eraseArgument(index);
}

unsigned WeightHoister::run() {
  for (unsigned index = 0; index < main.getNumArguments(); ++index)
    if (main.getArgAttr(index, weightMark))
      weightArguments.insert(main.getArgument(index));
  markOps();
  // What isn't worth it stays in @main, so its operands become the frontier:
  // repeat until all that is left is worth it.
  SmallVector<Value> values = frontier();
  for (bool changed = true; changed;) {
    changed = false;
    for (Value value : values)
      if (!isWorthHoisting(value))
        changed |= marked.erase(value.getDefiningOp());
    if (changed)
      values = frontier();
  }
  if (values.empty())
    return 0;
  buildPrepare(values);
  takePreparedArguments(values);
  dropDeadOps();
  dropUnusedWeights();
  return static_cast<unsigned>(values.size());
}

struct HoistWeightsPass : lh::impl::HoistWeightsPassBase<HoistWeightsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal() || !main.getBody().hasOneBlock())
      return;
    if (Operation *prepare = module.lookupSymbol("prepare")) {
      prepare->emitError("@prepare is there already; lh-hoist-weights runs "
                         "once per module");
      return signalPassFailure();
    }
    WeightHoister(main, growth).run();
  }
};
} // namespace
