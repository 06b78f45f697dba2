// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factors of a product, as the narrow numbers that they are made of.
#include "compiler/gaps/products/Factors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace lh;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Numbers in the body that widens them
//===----------------------------------------------------------------------===//

/// Whether `op` is elementwise, one result for each element of its first input,
/// at the same place.
static bool mapsFirstInput(linalg::GenericOp op) {
  return op && op.getNumDpsInputs() >= 1 && op->getNumResults() == 1 &&
         op.isAllParallelLoops() &&
         op.getIndexingMapsArray().front().isIdentity() &&
         op.getIndexingMapsArray().back().isIdentity();
}

/// The number that each element of an operand of `op` is, if it is known.
static std::optional<int64_t> numberOf(Value value, linalg::GenericOp op) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == op.getBody() &&
      argument.getArgNumber() < op.getNumDpsInputs())
    value = op.getInputs()[argument.getArgNumber()];
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

/// A zero point in the body of `op`, as a value before it: it is known, comes
/// from outside the body, or is an extension there of what does. False
/// otherwise; null when it is 0.
static bool readZero(OpBuilder &builder, Value zero, linalg::GenericOp op,
                     Value &before) {
  Operation *extension = zero.getDefiningOp();
  bool extends = isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension);
  Value source = extends ? extension->getOperand(0) : zero;
  if (std::optional<int64_t> known = numberOf(source, op)) {
    if (isa_and_nonnull<arith::ExtUIOp>(extension))
      *known &= 255;
    if (*known != 0)
      before = arith::ConstantOp::create(
          builder, op.getLoc(),
          builder.getI32IntegerAttr(static_cast<int32_t>(*known)));
    return true;
  }
  Region &body = op.getRegion();
  bool isOutside = zero.getParentRegion() != &body;
  if (!isOutside && (!extends || source.getParentRegion() == &body))
    return false;
  before = isOutside ? zero : builder.clone(*extension)->getResult(0);
  return true;
}

/// One number for all, or one for each index of a single dimension.
static bool readScale(Value scale, linalg::GenericOp op, Factor &factor) {
  factor.scale = scale;
  auto argument = dyn_cast<BlockArgument>(scale);
  if (!argument || argument.getOwner() != op.getBody())
    return true;
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  factor.scale = operand.get();
  auto shape = cast<RankedTensorType>(operand.get().getType()).getShape();
  for (auto [expr, size] : llvm::zip_equal(
           op.getMatchingIndexingMap(&operand).getResults(), shape)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (size == 1)
      continue;
    if (!dim || factor.channel)
      return false;
    factor.channel = dim.getPosition();
  }
  return factor.channel.has_value();
}

/// What `op` makes of its first input.
static bool readNumbers(OpBuilder &builder, linalg::GenericOp op,
                        Factor &factor) {
  if (!mapsFirstInput(op))
    return false;
  Value number = op.getBody()->getTerminator()->getOperand(0);
  if (auto product = number.getDefiningOp<arith::MulFOp>()) {
    auto integer = product.getLhs().getDefiningOp<arith::SIToFPOp>();
    if (!integer || !integer.getType().isF32() ||
        !readScale(product.getRhs(), op, factor))
      return false;
    number = integer.getIn();
  }
  if (auto centred = number.getDefiningOp<arith::SubIOp>()) {
    if (!readZero(builder, centred.getRhs(), op, factor.zero))
      return false;
    number = centred.getLhs();
  }
  Operation *widening = number.getDefiningOp();
  Value element = op.getBody()->getArgument(0);
  factor.narrow = op.getInputs()[0];
  factor.isSigned = isa_and_nonnull<arith::ExtSIOp>(widening);
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
             widening) &&
         widening->getOperand(0) == element &&
         (element.getType().isInteger(8) || element.getType().isBF16());
}

//===----------------------------------------------------------------------===//
// Pads and reshapes behind it
//===----------------------------------------------------------------------===//

static bool padsWithZeros(tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  return value && matchPattern(value, m_AnyZeroFloat()) &&
         pad.getResultType().hasStaticShape() &&
         pad.getSourceType().hasStaticShape();
}

/// Where the dimension `channel` of what the view reads is in its result.
static std::optional<int64_t> channelAfter(Operation *view, int64_t channel) {
  if (isa<tensor::PadOp>(view))
    return channel;
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(view);
  auto groups =
      collapse ? collapse.getReassociationIndices()
               : cast<tensor::ExpandShapeOp>(view).getReassociationIndices();
  auto type = cast<RankedTensorType>(
      (collapse ? view->getOperand(0) : view->getResult(0)).getType());
  for (auto [number, group] : llvm::enumerate(groups)) {
    auto place = static_cast<int64_t>(number);
    if (collapse ? !llvm::is_contained(group, channel) : place != channel)
      continue;
    llvm::erase_if(group, [&](int64_t dim) {
      return type.getDimSize(static_cast<unsigned>(dim)) == 1;
    });
    if (group.size() == 1)
      return collapse ? place : group[0];
  }
  return std::nullopt;
}

/// The same view of bytes; zeros are the zero point there.
static Value viewBytes(OpBuilder &builder, Operation *view, Value bytes,
                       int64_t zero) {
  Type i8 = builder.getI8Type();
  Value filling = arith::ConstantOp::create(
      builder, view->getLoc(),
      IntegerAttr::get(i8, APInt(8, static_cast<uint64_t>(zero) & 255)));
  Operation *same = builder.clone(*view);
  same->setOperand(0, bytes);
  same->getResult(0).setType(
      cast<RankedTensorType>(same->getResult(0).getType()).clone(i8));
  if (auto pad = dyn_cast<tensor::PadOp>(same))
    pad.getBody()->getTerminator()->setOperand(0, filling);
  return same->getResult(0);
}

std::optional<Factor> lh::readFactor(OpBuilder &builder, Value operand) {
  SmallVector<Operation *> views; // the last first
  while (Operation *producer = operand.getDefiningOp()) {
    auto pad = dyn_cast<tensor::PadOp>(producer);
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(producer) &&
        !(pad && padsWithZeros(pad)))
      break;
    views.push_back(producer);
    operand = producer->getOperand(0);
  }
  Factor factor;
  if (!readNumbers(builder, operand.getDefiningOp<linalg::GenericOp>(), factor))
    return std::nullopt;
  APInt zero(32, 0);
  bool isKnown =
      !factor.zero || matchPattern(factor.zero, m_ConstantInt(&zero));
  if (factor.scale ? !isKnown : !views.empty())
    return std::nullopt;
  for (Operation *view : llvm::reverse(views)) {
    factor.narrow =
        viewBytes(builder, view, factor.narrow, zero.getSExtValue());
    if (factor.channel &&
        !(factor.channel = channelAfter(view, *factor.channel)))
      return std::nullopt;
  }
  return factor;
}
