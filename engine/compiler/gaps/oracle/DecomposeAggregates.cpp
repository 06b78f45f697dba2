// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that stand for several others, as those.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_DECOMPOSEAGGREGATESPASS
#include "compiler/gaps/oracle/Passes.h.inc"
} // namespace lh

using namespace mlir;

static LogicalResult decompose(linalg::AggregatedOpInterface op,
                               IRRewriter &rewriter) {
  FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
  if (failed(values))
    return failure();
  rewriter.replaceOp(op, *values);
  return success();
}

static LogicalResult decompose(Operation *op, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    return success(succeeded(linalg::lowerPack(rewriter, pack)));
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return success(succeeded(linalg::lowerUnPack(rewriter, unpack)));
  if (auto aggregate = dyn_cast<linalg::AggregatedOpInterface>(op))
    return decompose(aggregate, rewriter);
  return success();
}

namespace {
struct DecomposeAggregates
    : lh::impl::DecomposeAggregatesPassBase<DecomposeAggregates> {
  using DecomposeAggregatesPassBase::DecomposeAggregatesPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops)
      if (failed(decompose(op, rewriter))) {
        op->emitError("can't be taken apart into ops on tensors");
        return signalPassFailure();
      }
  }
};
} // namespace
