// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All floating-point compute in f64: what the oracle runs.

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lh {
#define GEN_PASS_DEF_WIDENPASS
#include "compiler/gaps/oracle/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

namespace {

bool isNarrowFloat(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() < 64;
}

/// `type` with narrower floats as f64; scalars, tensors and vectors.
Type widened(Type type) {
  if (isNarrowFloat(type))
    return Float64Type::get(type.getContext());
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || isa<BaseMemRefType>(type) ||
      !isNarrowFloat(shaped.getElementType()))
    return type;
  return shaped.clone(Float64Type::get(type.getContext()));
}

bool isNarrow(Type type) { return widened(type) != type; }

/// The same number with f64's precision; exact, as f64 holds them all.
APFloat widened(APFloat value) {
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

class ModuleWidener {
public:
  explicit ModuleWidener(ModuleOp module)
      : module(module), builder(module.getContext()) {}

  LogicalResult run();

private:
  LogicalResult check();
  LogicalResult checkOp(Operation *op);
  void findCalled();
  void widenTypes();
  LogicalResult widenConstant(arith::ConstantOp constant);
  void replaceCast(Operation *cast);
  void roundExplicitly(arith::TruncFOp cast, Type narrow);
  void keepBits(arith::BitcastOp cast, Type from, Type to);
  void extendArguments(func::FuncOp function, ArrayRef<Type> before);
  void widenFunctionType(func::FuncOp function);

  ModuleOp module;
  OpBuilder builder;
  /// Functions that others here call: their callers are widened too.
  DenseSet<StringAttr> called;
};

LogicalResult ModuleWidener::checkOp(Operation *op) {
  auto anyOf = [](auto types, auto predicate) {
    return llvm::any_of(types, predicate);
  };
  if (isa<tensor::BitcastOp>(op) && (anyOf(op->getOperandTypes(), isNarrow) ||
                                     anyOf(op->getResultTypes(), isNarrow)))
    return op->emitError("reads the bits of a tensor of narrow floats; the "
                         "oracle can't judge this model");
  auto isNarrowBuffer = [](Type type) {
    auto memref = dyn_cast<BaseMemRefType>(type);
    return memref && isNarrowFloat(memref.getElementType());
  };
  if (anyOf(op->getOperandTypes(), isNarrowBuffer) ||
      anyOf(op->getResultTypes(), isNarrowBuffer))
    return op->emitError("works on a buffer; lh-widen runs on tensors, before "
                         "bufferisation");
  auto function = dyn_cast<func::FuncOp>(op);
  if (function && function.isExternal() &&
      (anyOf(function.getArgumentTypes(), isNarrow) ||
       anyOf(function.getResultTypes(), isNarrow)))
    return op->emitError("has no body to widen");
  return success();
}

LogicalResult ModuleWidener::check() {
  bool failedAny = false;
  module.walk([&](Operation *op) { failedAny |= failed(checkOp(op)); });
  return failure(failedAny);
}

void ModuleWidener::findCalled() {
  module.walk([&](func::CallOp call) {
    called.insert(call.getCalleeAttr().getAttr());
  });
}

LogicalResult ModuleWidener::widenConstant(arith::ConstantOp constant) {
  Type type = constant.getType();
  TypedAttr value = constant.getValue();
  Type wide = widened(type);
  if (auto number = dyn_cast<FloatAttr>(value)) {
    constant.setValueAttr(FloatAttr::get(wide, widened(number.getValue())));
  } else if (auto splat = dyn_cast<SplatElementsAttr>(value)) {
    constant.setValueAttr(DenseElementsAttr::get(
        cast<ShapedType>(wide), widened(splat.getSplatValue<APFloat>())));
  } else if (auto elements = dyn_cast<ElementsAttr>(value)) {
    auto numbers = elements.tryGetValues<APFloat>();
    if (!numbers)
      return constant.emitError("holds its values in a form that lh-widen "
                                "can't read; write it as dense<...>");
    SmallVector<APFloat> all;
    for (APFloat number : *numbers)
      all.push_back(widened(number));
    constant.setValueAttr(DenseElementsAttr::get(cast<ShapedType>(wide), all));
  }
  constant.getResult().setType(wide);
  return success();
}

/// Every value becomes wide; entry arguments are mended afterwards.
void ModuleWidener::widenTypes() {
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(widened(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(widened(argument.getType()));
  });
}

/// The model's own narrowing cast: round to the narrow type, go on in f64.
void ModuleWidener::roundExplicitly(arith::TruncFOp cast, Type narrow) {
  builder.setInsertionPointAfter(cast);
  Value narrowed =
      arith::TruncFOp::create(builder, cast.getLoc(), narrow, cast.getIn());
  Value rounded =
      arith::ExtFOp::create(builder, cast.getLoc(), widened(narrow), narrowed);
  cast.getResult().replaceAllUsesWith(rounded);
  cast.erase();
}

/// Bits are those of the narrow type: an input's, or the rounded value's.
void ModuleWidener::keepBits(arith::BitcastOp cast, Type from, Type to) {
  builder.setInsertionPoint(cast);
  Value value = cast.getIn();
  if (isNarrow(from))
    value = arith::TruncFOp::create(builder, cast.getLoc(), from, value);
  value = arith::BitcastOp::create(builder, cast.getLoc(), to, value);
  if (isNarrow(to))
    value = arith::ExtFOp::create(builder, cast.getLoc(), widened(to), value);
  cast.getResult().replaceAllUsesWith(value);
  cast.erase();
}

void ModuleWidener::replaceCast(Operation *cast) {
  cast->getResult(0).replaceAllUsesWith(cast->getOperand(0));
  cast->erase();
}

void ModuleWidener::widenFunctionType(func::FuncOp function) {
  SmallVector<Type> inputs, results;
  for (Type type : function.getArgumentTypes())
    inputs.push_back(widened(type));
  for (Type type : function.getResultTypes())
    results.push_back(widened(type));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (isNarrow(function.getResultTypes()[i]) &&
        function.getResultAttr(i, typeMark))
      function.setResultAttr(i, typeMark, builder.getStringAttr("float64"));
  function.setType(builder.getFunctionType(inputs, results));
}

/// An entry keeps the types that callers pass; its body starts by widening.
void ModuleWidener::extendArguments(func::FuncOp function,
                                    ArrayRef<Type> before) {
  builder.setInsertionPointToStart(&function.getBody().front());
  for (BlockArgument argument : function.getArguments()) {
    Type narrow = before[argument.getArgNumber()];
    Type wide = argument.getType();
    if (narrow == wide)
      continue;
    argument.setType(narrow);
    auto extended = arith::ExtFOp::create(builder, function.getLoc(), wide,
                                          Value(argument));
    argument.replaceAllUsesExcept(extended, extended);
  }
  function.setType(builder.getFunctionType(before, function.getResultTypes()));
}

LogicalResult ModuleWidener::run() {
  if (failed(check()))
    return failure();
  findCalled();
  // Collected first: after retyping a cast no longer shows what it narrowed.
  SmallVector<std::pair<arith::TruncFOp, Type>> roundings;
  SmallVector<Operation *> casts;
  SmallVector<std::tuple<arith::BitcastOp, Type, Type>> bitcasts;
  SmallVector<std::pair<func::FuncOp, SmallVector<Type>>> functions;
  bool failedAny = false;
  module.walk([&](Operation *op) {
    if (auto cast = dyn_cast<arith::TruncFOp>(op)) {
      if (cast->hasAttr(castMark))
        roundings.push_back({cast, cast.getType()});
      else if (isNarrow(cast.getType()))
        casts.push_back(op);
    } else if (auto cast = dyn_cast<arith::ExtFOp>(op)) {
      if (isNarrow(cast.getIn().getType()) &&
          widened(cast.getType()) == widened(cast.getIn().getType()))
        casts.push_back(op);
    } else if (auto cast = dyn_cast<arith::BitcastOp>(op)) {
      bitcasts.emplace_back(cast, cast.getIn().getType(), cast.getType());
    } else if (auto function = dyn_cast<func::FuncOp>(op)) {
      functions.push_back(
          {function, llvm::to_vector(function.getArgumentTypes())});
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (isNarrow(constant.getType()))
        failedAny |= failed(widenConstant(constant));
    }
  });
  if (failedAny)
    return failure();
  widenTypes();
  for (auto [cast, narrow] : roundings)
    roundExplicitly(cast, narrow);
  for (auto [cast, from, to] : bitcasts)
    keepBits(cast, from, to);
  for (Operation *cast : casts)
    replaceCast(cast);
  for (auto &[function, before] : functions) {
    if (function.isExternal())
      continue;
    widenFunctionType(function);
    if (function.isPublic() && !called.contains(function.getSymNameAttr()))
      extendArguments(function, before);
  }
  return success();
}

struct WidenPass : lh::impl::WidenPassBase<WidenPass> {
  void runOnOperation() override {
    if (failed(ModuleWidener(getOperation()).run()))
      return signalPassFailure();
    // Casts of whole tensors have no bufferisation; as linalg they have.
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
