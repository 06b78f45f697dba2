// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Math functions of scalable vectors, a lane at a time: what becomes a call can
// only take numbers, and upstream takes vectors of known length apart alone.
// And expm1 by libm, before convert-math-to-llvm makes it exp(x) - 1.
#include "compiler/gaps/TensorBuilder.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

namespace lh {
#define GEN_PASS_DEF_CALLLIBMPASS
#include "compiler/gaps/rows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// Functions that are instructions on any vector.
static bool isInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::ClampFOp,
             math::CopySignOp, math::CountLeadingZerosOp, math::CtPopOp,
             math::CountTrailingZerosOp, math::FloorOp, math::FmaOp,
             math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp,
             math::RoundOp, math::RoundEvenOp, math::RsqrtOp, math::SqrtOp,
             math::TruncOp>(op);
}

static bool isCalledOnScalable(Operation *op) {
  if (op->getNumResults() != 1 || isInstruction(op) ||
      !(isa<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op)))
    return false;
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  return type && type.getRank() == 1 && type.isScalable();
}

/// The op on the operands' lanes `at`; numbers are the same for all lanes.
static Value computeLane(Operation *op, Value at, OpBuilder &b) {
  SmallVector<Value> numbers;
  for (Value operand : op->getOperands())
    numbers.push_back(isa<VectorType>(operand.getType())
                          ? vector::ExtractOp::create(b, op->getLoc(), operand,
                                                      OpFoldResult(at))
                          : operand);
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return clone(b, op, type, numbers)->getResult(0);
}

static void callLanes(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  TensorBuilder loops(builder, loc);
  auto type = cast<VectorType>(op->getResult(0).getType());
  Value lanes = arith::MulIOp::create(
      builder, loc, vector::VectorScaleOp::create(builder, loc),
      loops.index(type.getShape().front()));
  op->replaceAllUsesWith(ValueRange(
      loops.loop(lanes, loops.zero(type), [&](Value at, Value done) -> Value {
        return vector::InsertOp::create(
            builder, loc, computeLane(op, at, builder), done, OpFoldResult(at));
      })));
  op->erase();
}

/// Calls libm for what convert-math-to-llvm computes imprecisely.
static LogicalResult callPrecise(ModuleOp module) {
  ConversionTarget target(*module.getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<math::ExpM1Op>();
  RewritePatternSet patterns(module.getContext());
  populateMathToLibmConversionPatterns(patterns);
  return applyPartialConversion(module, target, std::move(patterns));
}

namespace {
struct CallLibmPass : lh::impl::CallLibmPassBase<CallLibmPass> {
  void runOnOperation() override {
    SmallVector<Operation *> calls;
    getOperation()->walk([&](Operation *op) {
      if (isCalledOnScalable(op))
        calls.push_back(op);
    });
    llvm::for_each(calls, callLanes);
    if (failed(callPrecise(getOperation())))
      signalPassFailure();
  }
};
} // namespace
