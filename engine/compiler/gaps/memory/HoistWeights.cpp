// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves what depends on weights alone out of @main, to run once per load.

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

namespace lh {
#define GEN_PASS_DECL_HOISTWEIGHTSPASS
#define GEN_PASS_DEF_HOISTWEIGHTSPASS
#include "compiler/gaps/memory/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

namespace {

/// What an op is computed from, if that is known when a model is loaded.
struct Origin {
  llvm::SetVector<Value> weights; ///< none for constants
  bool isComputed = false;        ///< not a constant or another form of weights
};

/// After bufferisation these only change how bytes are looked at.
bool isView(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::ExtractSliceOp, tensor::ReshapeOp>(op);
}

/// Bits in a static tensor; none when the size isn't known.
std::optional<int64_t> sizeInBits(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat())
    return std::nullopt;
  return tensor.getNumElements() * tensor.getElementTypeBitWidth();
}

/// Erases arguments of `function` that nothing reads.
void dropUnused(func::FuncOp function,
                llvm::function_ref<bool(unsigned)> mayDrop) {
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty() && mayDrop(argument.getArgNumber()))
      unused.set(argument.getArgNumber());
  (void)function.eraseArguments(unused);
}

/// One run over one @main.
class WeightHoister {
public:
  /// A hoisted tensor may be `growth` times as large as the weights that it
  /// comes from; beyond that, computing it in place beats reading it.
  WeightHoister(func::FuncOp main, int64_t growth)
      : main(main), body(main.getBody().front()), growth(growth) {}

  /// Makes @prepare, unless nothing is worth moving there.
  void run() {
    for (Operation &op : body)
      if (std::optional<Origin> origin = originOf(op)) {
        if (!origin->weights.empty())
          moved.insert(&op);
        known.try_emplace(&op, std::move(*origin));
      }
    // What isn't worth it stays in @main, so its operands become the frontier:
    // repeat until all that is left is worth it.
    SmallVector<Value> values;
    for (bool changed = true; changed;) {
      changed = false;
      values = frontier();
      for (Value value : values)
        if (!isWorthHoisting(value))
          changed |= moved.erase(value.getDefiningOp());
    }
    if (values.empty())
      return;
    buildPrepare(values);
    takePrepared(values);
  }

private:
  /// A weight, or one that is small enough to stand in the module itself.
  bool isWeight(Value value) {
    DenseElementsAttr inPlace;
    if (matchPattern(value, m_Constant(&inPlace)))
      return !inPlace.isSplat();
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &body &&
           main.getArgAttr(argument.getArgNumber(), weightMark);
  }

  /// Looks at what the op or an op inside it reads from outside of the op.
  std::optional<Origin> originOf(Operation &op) {
    // A linalg op on tensors isn't called pure only because indices inside it
    // might be out of range; they were verified.
    bool pure =
        isPure(&op) || (isa<linalg::LinalgOp>(op) && isMemoryEffectFree(&op));
    if (!pure || op.hasTrait<OpTrait::IsTerminator>())
      return std::nullopt;
    llvm::SetVector<Value> inputs;
    inputs.insert_range(op.getOperands());
    getUsedValuesDefinedAbove(op.getRegions(), inputs);
    Origin origin;
    for (Value input : inputs) {
      auto definition = known.find(input.getDefiningOp());
      if (isWeight(input)) {
        origin.weights.insert(input);
      } else if (definition != known.end()) {
        origin.weights.insert_range(definition->second.weights);
        origin.isComputed |= definition->second.isComputed;
      } else {
        return std::nullopt;
      }
    }
    origin.isComputed |= !origin.weights.empty() && !isView(&op);
    return origin;
  }

  /// The results of moved ops that other ops read.
  SmallVector<Value> frontier() const {
    SmallVector<Value> values;
    auto isOutside = [&](Operation *user) {
      return !moved.contains(body.findAncestorOpInBlock(*user));
    };
    for (Operation &op : body)
      if (moved.contains(&op))
        for (Value result : op.getResults())
          if (llvm::any_of(result.getUsers(), isOutside))
            values.push_back(result);
    return values;
  }

  bool isWorthHoisting(Value value) const {
    std::optional<int64_t> size = sizeInBits(value.getType());
    const Origin &origin = known.find(value.getDefiningOp())->second;
    int64_t sourceSize = 0;
    for (Value weight : origin.weights)
      sourceSize += sizeInBits(weight.getType()).value_or(0);
    return size && origin.isComputed && *size <= growth * sourceSize;
  }

  void buildPrepare(ArrayRef<Value> values);
  void takePrepared(ArrayRef<Value> values);

  func::FuncOp main;
  Block &body;
  int64_t growth;
  llvm::DenseMap<Operation *, Origin> known;
  DenseSet<Operation *> moved; ///< those of them that @prepare is to have
};

/// A copy of @main with all erased that `values` don't come from.
void WeightHoister::buildPrepare(ArrayRef<Value> values) {
  OpBuilder builder(main);
  builder.setInsertionPointAfter(main);
  auto type = builder.getFunctionType(main.getArgumentTypes(),
                                      TypeRange(ValueRange(values)));
  auto prepare = func::FuncOp::create(builder, main.getLoc(), "prepare", type);
  prepare.setArgAttrsAttr(main.getArgAttrsAttr());
  IRMapping copies;
  main.getBody().cloneInto(&prepare.getBody(), copies);
  Block &copy = prepare.getBody().front();
  copy.getTerminator()->setOperands(llvm::map_to_vector(
      values, [&](Value value) { return copies.lookup(value); }));
  for (Operation &op :
       llvm::make_early_inc_range(llvm::drop_begin(llvm::reverse(copy))))
    if (op.use_empty())
      op.erase();
  dropUnused(prepare, [](unsigned) { return true; });
  for (unsigned i = 0; i < values.size(); ++i)
    prepare.setResultAttr(i, nameMark,
                          builder.getStringAttr("prepared" + Twine(i)));
}

/// What @main has of it then is an argument, and a weight that only @prepare
/// reads none any more.
void WeightHoister::takePrepared(ArrayRef<Value> values) {
  Builder builder(main.getContext());
  for (auto [i, value] : llvm::enumerate(values)) {
    unsigned position = main.getNumArguments();
    NamedAttribute attributes[] = {
        {nameMark, builder.getStringAttr("prepared" + Twine(i))},
        {preparedMark, builder.getI64IntegerAttr(static_cast<int64_t>(i))}};
    (void)main.insertArgument(position, value.getType(),
                              builder.getDictionaryAttr(attributes),
                              value.getLoc());
    Value(value).replaceAllUsesWith(main.getArgument(position));
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (known.contains(&op) && op.use_empty())
      op.erase();
  dropUnused(main, [&](unsigned argument) {
    return static_cast<bool>(main.getArgAttr(argument, weightMark));
  });
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
