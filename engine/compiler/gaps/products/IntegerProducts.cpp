// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of numbers that are dequantised bytes become products of the bytes:
// sum (a - p) s (b - q) t = s t sum (a - p) (b - q), and that sum is exact.
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/products/Products.h"
#include "compiler/gaps/products/Words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;
using namespace mlir;

namespace {
/// A tensor of (byte - zero) * scale.
struct Dequantised {
  Value bytes;
  bool isSigned = false;
  int64_t zero = 0;
  Value scale; ///< f32: a number, or a tensor of one for each of `channel`
  std::optional<int64_t> channel; ///< a dimension of the operand
  /// Pads with zeros and reshapes between it and the operand, the last first.
  SmallVector<Operation *> views;
};

struct FloatProduct {
  linalg::LinalgOp op;
  Dequantised left, right;
};
} // namespace

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// One number for all, or one for each index of a single dimension.
static bool readScale(Value scale, linalg::GenericOp op, Dequantised &result) {
  auto argument = dyn_cast<BlockArgument>(scale);
  if (!argument || argument.getOwner() != op.getBody()) {
    result.scale = scale;
    return true;
  }
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  result.scale = operand.get();
  auto shape = cast<RankedTensorType>(operand.get().getType()).getShape();
  for (auto [expr, size] : llvm::zip_equal(
           op.getMatchingIndexingMap(&operand).getResults(), shape)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (size == 1)
      continue;
    if (!dim || result.channel)
      return false;
    result.channel = dim.getPosition();
  }
  return result.channel.has_value();
}

/// `op` as what makes numbers of bytes.
static bool readDequantisation(linalg::GenericOp op, Dequantised &result) {
  if (!mapsFirstInput(op))
    return false;
  auto product = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<arith::MulFOp>();
  auto number =
      product ? product.getLhs().getDefiningOp<arith::SIToFPOp>() : nullptr;
  if (!number || !number.getType().isF32())
    return false;
  std::optional<CentredNumber> byte = readCentred(number.getIn(), op);
  std::optional<int64_t> zero =
      byte && byte->zero ? knownZeroPoint(byte->zero, op) : 0;
  if (!byte || !zero)
    return false;
  result.zero = *zero;
  result.isSigned = byte->isSigned;
  result.bytes = op.getInputs()[0];
  return readScale(product.getRhs(), op, result);
}

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
  bool collapses = isa<tensor::CollapseShapeOp>(view);
  auto groups =
      collapses ? cast<tensor::CollapseShapeOp>(view).getReassociationIndices()
                : cast<tensor::ExpandShapeOp>(view).getReassociationIndices();
  auto type = cast<RankedTensorType>(
      (collapses ? view->getOperand(0) : view->getResult(0)).getType());
  for (auto [number, group] : llvm::enumerate(groups)) {
    bool isIn = collapses ? llvm::is_contained(group, channel)
                          : static_cast<int64_t>(number) == channel;
    if (!isIn)
      continue;
    auto longer = llvm::make_filter_range(group, [&](int64_t dim) {
      return type.getDimSize(static_cast<unsigned>(dim)) != 1;
    });
    if (std::distance(longer.begin(), longer.end()) != 1)
      return std::nullopt;
    return collapses ? static_cast<int64_t>(number) : *longer.begin();
  }
  return std::nullopt;
}

static std::optional<Dequantised> readOperand(Value operand) {
  Dequantised result;
  while (Operation *producer = operand.getDefiningOp()) {
    auto pad = dyn_cast<tensor::PadOp>(producer);
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(producer) &&
        !(pad && padsWithZeros(pad)))
      break;
    result.views.push_back(producer);
    operand = producer->getOperand(0);
  }
  if (!readDequantisation(operand.getDefiningOp<linalg::GenericOp>(), result))
    return std::nullopt;
  for (Operation *view : llvm::reverse(result.views))
    if (result.channel &&
        !(result.channel = channelAfter(view, *result.channel)))
      return std::nullopt;
  return result;
}

/// Whether the sums of such products stay within 32 bits.
static bool fitsSums(linalg::LinalgOp op) {
  std::optional<int64_t> terms = lengthOfSum(op);
  return terms && *terms < (int64_t(1) << 31) / (255 * 255);
}

/// Where the operand's channels are among the result's dimensions.
static std::optional<unsigned>
resultChannel(linalg::LinalgOp op, unsigned operand, int64_t channel) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps.back().getResultPosition(
      maps[operand].getResult(static_cast<unsigned>(channel)));
}

static std::optional<FloatProduct> readProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op->getNumResults() != 1 ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isF32() ||
      !addsProducts(op) || !isZeros(op.getDpsInits()[0]) || !fitsSums(op) ||
      !(hasMatrixForm(op) || hasImageWindows(op)))
    return std::nullopt;
  std::optional<Dequantised> left = readOperand(op.getDpsInputs()[0]);
  std::optional<Dequantised> right = readOperand(op.getDpsInputs()[1]);
  if (!left || !right ||
      (left->channel && !resultChannel(op, 0, *left->channel)) ||
      (right->channel && !resultChannel(op, 1, *right->channel)))
    return std::nullopt;
  return FloatProduct{op, *left, *right};
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

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

/// byte - zero, in i32: the form that lh-pack-words reads.
static Value centre(OpBuilder &builder, Location loc, const Dequantised &from) {
  Value bytes = from.bytes;
  for (Operation *view : llvm::reverse(from.views))
    bytes = viewBytes(builder, view, bytes, from.zero);
  Type i32 = builder.getI32Type();
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(from.zero)));
  auto body = [&](OpBuilder &b, Location at, ValueRange values) {
    Value wide = convertScalarToDtype(b, at, values[0], i32, !from.isSigned);
    if (from.zero != 0)
      wide = arith::SubIOp::create(b, at, wide, zero);
    return wide;
  };
  return TensorBuilder(builder, loc).map(bytes, i32, body);
}

static linalg::GenericOp multiply(OpBuilder &builder,
                                  const FloatProduct &product) {
  linalg::LinalgOp op = product.op;
  Location loc = op.getLoc();
  Value left = centre(builder, loc, product.left);
  Value right = centre(builder, loc, product.right);
  Value start = TensorBuilder(builder, loc)
                    .zerosLike(op.getDpsInits()[0], builder.getI32Type());
  auto add = [](OpBuilder &b, Location at, Value sum, Value a, Value other) {
    Value term = arith::MulIOp::create(b, at, a, other);
    return arith::AddIOp::create(b, at, sum, term).getResult();
  };
  return productLike(builder, op, {left, right}, start, add);
}

/// One number for each channel, without dimensions of 1.
static Value flatten(OpBuilder &builder, Location loc, Value scale) {
  auto type = cast<RankedTensorType>(scale.getType());
  if (type.getRank() == 1)
    return scale;
  ReassociationIndices all(
      llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank())));
  return TensorBuilder(builder, loc).collapsed(scale, {all});
}

/// The sums times the scales.
static Value scale(OpBuilder &builder, const FloatProduct &product,
                   Value sums) {
  linalg::LinalgOp op = product.op;
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto rank = static_cast<unsigned>(type.getRank());
  SmallVector<Value> inputs = {sums};
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(rank)};
  for (unsigned index : {0u, 1u}) {
    const Dequantised &factor = index == 0 ? product.left : product.right;
    if (!factor.channel)
      continue;
    inputs.push_back(flatten(builder, loc, factor.scale));
    maps.push_back(AffineMap::get(
        rank, 0,
        builder.getAffineDimExpr(*resultChannel(op, index, *factor.channel))));
  }
  auto body = [&](OpBuilder &b, Location at, ValueRange values) {
    unsigned next = 1;
    Value left = product.left.channel ? values[next++] : product.left.scale;
    Value right = product.right.channel ? values[next++] : product.right.scale;
    Value number = arith::SIToFPOp::create(b, at, b.getF32Type(), values[0]);
    Value factor = arith::MulFOp::create(b, at, left, right);
    return arith::MulFOp::create(b, at, number, factor).getResult();
  };
  TensorBuilder tensors(builder, loc);
  return tensors
      .generic(inputs, maps, tensors.emptyLike(sums, builder.getF32Type()),
               body)
      .getResult(0);
}

linalg::LinalgOp lh::multiplyBytes(linalg::LinalgOp op) {
  std::optional<FloatProduct> product = readProduct(op);
  if (!product)
    return nullptr;
  OpBuilder builder(op);
  linalg::GenericOp sums = multiply(builder, *product);
  op->replaceAllUsesWith(
      ValueRange{scale(builder, *product, sums.getResult(0))});
  op->erase();
  return sums;
}
