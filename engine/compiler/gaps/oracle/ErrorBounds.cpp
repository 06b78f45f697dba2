// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Per-element bounds on what a correct implementation may be off by.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/oracle/ErrorFlow.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace lh {
#define GEN_PASS_DECL_ERRORBOUNDSPASS
#define GEN_PASS_DEF_ERRORBOUNDSPASS
#include "compiler/gaps/oracle/Passes.h.inc"
} // namespace lh

using namespace mlir;
using namespace lh;

namespace {

/// Adds the bounds to a copy of a module; see `lh-error-bounds`.
class BoundsBuilder {
public:
  BoundsBuilder(const ErrorModel &model, ModuleOp copy)
      : flow(model), model(model), copy(copy) {}

  LogicalResult run();
  std::string reason() const { return flow.state.refusal; }
  double longestSum() const { return flow.state.longestSum; }

private:
  LogicalResult makeGeneric();
  void flushInputs(Block &body);
  LogicalResult appendBounds(func::FuncOp function);
  Value flushed(OpBuilder &b, Value tensor);

  ErrorFlow flow;
  const ErrorModel &model;
  ModuleOp copy;
};

LogicalResult BoundsBuilder::makeGeneric() {
  RewritePatternSet patterns(copy.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  if (failed(applyPatternsGreedily(copy, std::move(patterns))))
    return flow.state.refuse(copy, "has whole-tensor ops that aren't linalg's");
  IRRewriter rewriter(copy.getContext());
  SmallVector<linalg::LinalgOp> named;
  copy.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op.getOperation()))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return flow.state.refuse(op, "has no general form");
  }
  return success();
}

/// Without denormal numbers they count as zero from the start.
Value BoundsBuilder::flushed(OpBuilder &b, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  double least =
      precisionOf(cast<FloatType>(type.getElementType())).smallestNormal;
  return TensorBuilder(b, tensor.getLoc())
      .map(tensor, b.getF64Type(),
           [&](OpBuilder &inner, Location at, ValueRange read) {
             ErrorAlgebra algebra(inner, at);
             Value wide = read[0];
             if (!wide.getType().isF64())
               wide =
                   arith::ExtFOp::create(inner, at, inner.getF64Type(), wide);
             Value size = algebra.magnitude(wide);
             Value normal = algebra.compare(ErrorAlgebra::Predicate::UGE, size,
                                            algebra.number(least));
             return algebra.choose(normal, Value(), size);
           });
}

void BoundsBuilder::flushInputs(Block &body) {
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (BlockArgument argument : body.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (type && isa<FloatType>(type.getElementType()))
      flow.state.set(argument, flushed(b, argument), 0);
  }
}

LogicalResult BoundsBuilder::appendBounds(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  OpBuilder b(end);
  unsigned results = function.getNumResults();
  SmallVector<Value> returned = llvm::to_vector(end->getOperands());
  for (unsigned i = 0; i < results; ++i) {
    Value value = returned[i];
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      continue;
    auto given = function.getResultAttrOfType<StringAttr>(i, nameMark);
    std::string name = given ? given.str() : "result" + std::to_string(i);
    NamedAttrList attributes;
    attributes.set(nameMark, b.getStringAttr(name + "#bound"));
    attributes.set(typeMark, b.getStringAttr("float64"));
    if (Attribute symbols = function.getResultAttr(i, symbolsMark))
      attributes.set(symbolsMark, symbols);
    Value bound = flow.errorTensor(b, value);
    returned.push_back(bound);
    if (failed(function.insertResult(
            function.getNumResults(), bound.getType(),
            attributes.getDictionary(function.getContext()))))
      return flow.state.refuse(function, "takes no more results");
  }
  end->setOperands(returned);
  return success();
}

LogicalResult BoundsBuilder::run() {
  auto main = copy.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return flow.state.refuse(copy, "has no function @main of one block");
  if (failed(makeGeneric()))
    return failure();
  Block &body = main.getBody().front();
  Operation *first = &body.front();
  if (model.flushToZero)
    flushInputs(body);
  if (failed(flow.throughFunction(body, first)))
    return failure();
  return appendBounds(main);
}

struct ErrorBoundsPass : lh::impl::ErrorBoundsPassBase<ErrorBoundsPass> {
  using Base::Base;

  void runOnOperation() override;
  LogicalResult readModel(ErrorModel &model);
};

LogicalResult ErrorBoundsPass::readModel(ErrorModel &model) {
  model.mathUlp = mathUlp;
  model.proof = proof;
  model.flushToZero = flushToZero;
  model.winogradTile = winogradTile;
  model.winogradWindow = winogradWindow;
  model.maxDepth = maxDepth;
  model.operandBits = llvm::StringSwitch<unsigned>(operands.getValue())
                          .Case("", 0)
                          .Case("bfloat16", 8)
                          .Cases({"float16", "tf32", "tf32-truncated"}, 11)
                          .Default(~0u);
  if (model.operandBits == ~0u)
    return getOperation().emitError()
           << "unknown type '" << operands.getValue()
           << "' in operands=; it is bfloat16, float16, tf32 or "
              "tf32-truncated";
  // What is cut off may be twice what is rounded off.
  double cut = operands == "tf32-truncated" ? 2 : 1;
  if (model.operandBits != 0)
    model.operandUnit = std::ldexp(cut, -static_cast<int>(model.operandBits));
  else
    model.operandBits = 64;
  return success();
}

void ErrorBoundsPass::runOnOperation() {
  ErrorModel model;
  if (failed(readModel(model)))
    return signalPassFailure();
  ModuleOp module = getOperation();
  OwningOpRef<ModuleOp> copy(module.clone());
  BoundsBuilder bounds(model, *copy);
  if (succeeded(bounds.run())) {
    module.getBodyRegion().takeBody(copy->getBodyRegion());
    InFlightDiagnostic remark = module.emitRemark("lh-error-bounds: ");
    if (bounds.longestSum() > 0)
      remark << "the longest sum has K = " << int64_t(bounds.longestSum());
    else
      remark << "no sum has a known number K of";
    remark << " terms, of which " << (model.proof ? "K u" : "4 sqrt(K) u")
           << " may be lost";
    return;
  }
  module->setAttr(unboundedMark,
                  StringAttr::get(&getContext(), bounds.reason()));
  module.emitRemark("lh-error-bounds: none, as ") << bounds.reason();
}
} // namespace
