// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of tensors, op by op; what moves data moves its errors.
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/oracle/ErrorFlow.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lh;

Type lh::errorType(Type type) {
  Type wide = Float64Type::get(type.getContext());
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(wide)) : wide;
}

static Value zeroLike(OpBuilder &b, Value value) {
  TensorBuilder tensors(b, value.getLoc());
  return isa<RankedTensorType>(value.getType())
             ? tensors.zerosLike(value, b.getF64Type())
             : tensors.zero(b.getF64Type());
}

Value ErrorFlow::errorTensor(OpBuilder &b, Value value) {
  Value error = state.errorOf(value);
  return error ? error : zeroLike(b, value);
}

LogicalResult ErrorFlow::throughFill(linalg::FillOp op) {
  Value result = op.getResult(0), value = op.getInputs()[0];
  state.facts[result] = state.facts.lookup(value);
  Value error = state.errorOf(value);
  if (!error)
    return success();
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  TensorBuilder tensors(b, op.getLoc());
  Value into = tensors.emptyLike(result, b.getF64Type());
  state.set(result, tensors.filled(into, error), state.depths.lookup(value));
  return success();
}

/// An op that moves elements: the same op on the errors of its first `data`
/// operands.
LogicalResult ErrorFlow::throughMirror(Operation *op, unsigned data) {
  unsigned depth = 0;
  unsigned char facts = Integral | NonNegative;
  bool exact = true;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (index >= data) {
      if (state.errorOf(operand))
        return state.refuse(op, "reads an index that is a rounded number");
      continue;
    }
    exact &= !state.errorOf(operand);
    depth = std::max(depth, state.depths.lookup(operand));
    facts &= state.facts.lookup(operand);
  }
  state.facts[op->getResult(0)] = facts;
  if (exact)
    return success();
  OpBuilder b(op->getContext());
  b.setInsertionPoint(op);
  IRMapping mapping;
  for (Value operand : op->getOperands().take_front(data))
    mapping.map(operand, errorTensor(b, operand));
  b.setInsertionPointAfter(op);
  Operation *mirror = b.clone(*op, mapping);
  mirror->getResult(0).setType(errorType(op->getResult(0).getType()));
  state.set(op->getResult(0), mirror->getResult(0), depth);
  return success();
}

LogicalResult ErrorFlow::throughPad(tensor::PadOp op) {
  Block &body = op.getRegion().front();
  if (failed(throughBlock(body, /*checksRange=*/true, {})))
    return failure();
  Value padding = body.getTerminator()->getOperand(0);
  Value source = op.getSource(), error = state.errorOf(padding);
  state.facts[op.getResult()] =
      state.facts.lookup(padding) & state.facts.lookup(source);
  if (!error && !state.errorOf(source))
    return success();
  if (error && error.getParentRegion() == &op.getRegion())
    return state.refuse(op, "pads with values that it computes");
  OpBuilder b(op);
  Value mirrored = errorTensor(b, source);
  if (!error)
    error = arith::ConstantOp::create(b, op.getLoc(), b.getF64FloatAttr(0));
  b.setInsertionPointAfter(op);
  auto pad = tensor::PadOp::create(
      b, op.getLoc(), cast<RankedTensorType>(errorType(op.getType())), mirrored,
      op.getMixedLowPad(), op.getMixedHighPad(), error, op.getNofold());
  state.set(
      op.getResult(), pad.getResult(),
      std::max(state.depths.lookup(source), state.depths.lookup(padding)));
  return success();
}

/// Ops that read no element, or no rounded one, have exact results.
LogicalResult ErrorFlow::throughOther(Operation *op) {
  for (Value operand : op->getOperands())
    if (state.errorOf(operand))
      return state.refuse(op, "has no error rule, and reads rounded numbers");
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  if (isa<func::CallOp>(op) && (llvm::any_of(op->getOperandTypes(), isFloat) ||
                                llvm::any_of(op->getResultTypes(), isFloat)))
    return state.refuse(op, "calls a function on floating-point numbers");
  if (isa_and_nonnull<complex::ComplexDialect>(op->getDialect()))
    return state.refuse(op, "computes with complex numbers");
  return op->getNumRegions() == 0 ? success() : throughFixed(op);
}

LogicalResult ErrorFlow::throughOp(Operation *op, bool checksRange) {
  auto isScalar = [](Type type) { return !isa<ShapedType>(type); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ConstantOp>([&](auto) {
        state.facts[op->getResult(0)] = factsOf(op, state);
        return success();
      })
      .Case<linalg::GenericOp>(
          [&](auto generic) { return throughGeneric(generic); })
      .Case<linalg::FillOp>([&](auto fill) { return throughFill(fill); })
      .Case<tensor::PadOp>([&](auto pad) { return throughPad(pad); })
      .Case<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp, tensor::CastOp, tensor::ReshapeOp,
            tensor::ExtractOp, tensor::SplatOp>(
          [&](auto) { return throughMirror(op, 1); })
      .Case<tensor::InsertSliceOp, tensor::InsertOp>(
          [&](auto) { return throughMirror(op, 2); })
      .Case<tensor::ConcatOp, tensor::FromElementsOp>(
          [&](auto) { return throughMirror(op, op->getNumOperands()); })
      .Case<scf::ForOp>([&](auto loop) { return throughFor(loop); })
      .Case<scf::IfOp>([&](auto branch) { return throughIf(branch); })
      .Case<linalg::YieldOp, scf::YieldOp, tensor::YieldOp, func::ReturnOp,
            tensor::DimOp>([&](auto) { return success(); })
      .Default([&](Operation *) {
        bool isRule = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op->getDialect());
        return isRule && llvm::all_of(op->getResultTypes(), isScalar)
                   ? rules.apply(op, checksRange)
                   : throughOther(op);
      });
}

LogicalResult ErrorFlow::throughBlock(Block &block, bool checksRange,
                                      const llvm::DenseSet<Operation *> &done) {
  // What is added beside an op comes before the next one, so isn't visited.
  for (Operation &op : llvm::make_early_inc_range(block))
    if (!done.contains(&op) && failed(throughOp(&op, checksRange)))
      return failure();
  return success();
}

LogicalResult ErrorFlow::throughFunction(Block &body, Operation *first) {
  llvm::DenseSet<Operation *> before;
  for (Operation &op : body) {
    if (&op == first)
      break;
    before.insert(&op);
  }
  return throughBlock(body, /*checksRange=*/true, before);
}
