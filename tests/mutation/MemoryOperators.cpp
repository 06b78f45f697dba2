// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes in what memory holds: never set, set wrongly, lost, forgotten.
#include "Sites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lh::mutation;

void lh::mutation::dropInitialisation(Operation *op, Sites &sites) {
  auto fill = dyn_cast<linalg::FillOp>(op);
  if (fill)
    sites.push_back({op, [=](OpBuilder &) mutable {
                       if (fill->getNumResults())
                         fill->getResult(0).replaceAllUsesWith(
                             fill.getOutputs()[0]);
                       fill->erase();
                       return "the fill is missing";
                     }});
}

/// One more than a scalar.
static Value onMore(OpBuilder &builder, Value value) {
  auto type = dyn_cast<FloatType>(value.getType());
  if (!type)
    return shifted(builder, value, 1);
  Value one = arith::ConstantOp::create(builder, value.getLoc(),
                                        builder.getFloatAttr(type, 1.0));
  return arith::AddFOp::create(builder, value.getLoc(), value, one);
}

/// Zero where something else was meant, and one where zero was.
static void replaceInit(OpBuilder &builder, Operation *op, unsigned operand) {
  Value value = op->getOperand(operand);
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  bool zero =
      constant && constant.getValue() == builder.getZeroAttr(value.getType());
  op->setOperand(operand, zero
                              ? onMore(builder, value)
                              : zeroOf(builder, op->getLoc(), value.getType()));
}

void lh::mutation::changeFill(Operation *op, Sites &sites) {
  if (isa<linalg::FillOp>(op) && !isa<ComplexType>(op->getOperand(0).getType()))
    sites.push_back({op, [=](OpBuilder &builder) {
                       replaceInit(builder, op, 0);
                       return "another value fills";
                     }});
}

void lh::mutation::dropStore(Operation *op, Sites &sites) {
  Change erase = [=](OpBuilder &) {
    op->erase();
    return "the store is missing";
  };
  Change keepOld = [=](OpBuilder &) {
    Value before = hasName(op, {"vector.transfer_write", "tensor.insert_slice",
                                "tensor.insert"})
                       ? op->getOperand(1)
                       : op->getOperand(op->getNumOperands() - 1);
    op->getResult(0).replaceAllUsesWith(before);
    op->erase();
    return "what is written is lost";
  };
  if (!hasName(op, {"memref.store", "vector.transfer_write", "vector.store",
                    "linalg.copy", "memref.copy", "tensor.insert_slice",
                    "tensor.insert", "llvm.store"}))
    return;
  sites.push_back({op, op->getNumResults() ? keepOld : erase});
}

void lh::mutation::shortenMask(Operation *op, Sites &sites) {
  if (auto mask = dyn_cast<vector::ConstantMaskOp>(op))
    for (auto [i, size] : llvm::enumerate(mask.getMaskDimSizes()))
      if (size > 0)
        sites.push_back({op, [=](OpBuilder &) mutable {
                           SmallVector<int64_t> sizes(mask.getMaskDimSizes());
                           --sizes[i];
                           if (!sizes[i])
                             sizes.assign(sizes.size(), 0);
                           mask.setMaskDimSizes(sizes);
                           return "one lane less";
                         }});
  if (!isa<vector::CreateMaskOp>(op))
    return;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    for (int64_t delta : {-1, 1})
      sites.push_back({op, [=](OpBuilder &builder) {
                         op->setOperand(
                             i, shifted(builder, op->getOperand(i), delta));
                         return delta < 0 ? "one lane less" : "one lane more";
                       }});
}

void lh::mutation::changePaddingValue(Operation *op, Sites &sites) {
  Operation *holder = nullptr;
  unsigned operand = 0;
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    holder = pad.getBody()->getTerminator();
  if (auto pack = dyn_cast<linalg::PackOp>(op); pack && pack.getPaddingValue())
    holder = op,
    operand = pack.getPaddingValueMutable().begin()->getOperandNumber();
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    holder = op, operand = read.getPaddingMutable().getOperandNumber();
  if (!holder)
    return;
  sites.push_back({op, [=](OpBuilder &builder) {
                     replaceInit(builder, holder, operand);
                     return "padded with another value";
                   }});
}

/// The body of a reduction yields its new term alone.
static void forgetInBody(linalg::LinalgOp op, Sites &sites) {
  if (op.getNumReductionLoops() == 0 || op->getNumRegions() != 1)
    return;
  Operation *terminator = op.getBlock()->getTerminator();
  for (auto [i, output] : llvm::enumerate(op.getRegionOutputArgs())) {
    Operation *combine = terminator->getOperand(unsigned(i)).getDefiningOp();
    if (!combine || combine->getNumOperands() != 2)
      continue;
    for (unsigned side = 0; side < 2; ++side)
      if (combine->getOperand(side) == output &&
          combine->getOperand(1 - side).getType() == output.getType())
        sites.push_back({op, [=](OpBuilder &) {
                           terminator->setOperand(
                               unsigned(i), combine->getOperand(1 - side));
                           return "each term overwrites the last";
                         }});
  }
}

void lh::mutation::forgetAccumulator(Operation *op, Sites &sites) {
  // Named operations have a body that can't be changed.
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    forgetInBody(generic, sites);
  if (auto reduce = dyn_cast<linalg::ReduceOp>(op))
    forgetInBody(reduce, sites);
  int64_t accumulator = -1;
  if (hasName(op, {"vector.contract", "vector.fma", "math.fma"}))
    accumulator = 2;
  if (hasName(op, {"vector.multi_reduction"}))
    accumulator = 1;
  if (accumulator < 0)
    return;
  sites.push_back({op, [=](OpBuilder &builder) {
                     Value old = op->getOperand(unsigned(accumulator));
                     op->setOperand(
                         unsigned(accumulator),
                         zeroOf(builder, op->getLoc(), old.getType()));
                     return "what was accumulated is forgotten";
                   }});
}
