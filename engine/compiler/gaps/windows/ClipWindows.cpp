// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows over a padded image, without the padded image. What they read left
// and right of it is known where their pixels are counted off: the loop over
// pixels gives its first and last ones to copies of its body, in which such
// numbers are constants. Rows above and below are filled in one buffer with the
// image, which is computed there, as its rows lie one behind the other.
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/windows/Assembly.h"
#include "compiler/gaps/windows/PaddedImage.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/DenseMap.h"

using namespace lh;
using namespace mlir;

namespace {
/// Where one pixel of the padded image is read: column `step` * i + `first`, i
/// counting the loop; column `first` where there is no loop. The op is a read,
/// or a slice that is read.
struct PixelRead {
  Operation *op;
  scf::ForOp loop;
  int64_t step, first;
};
} // namespace

/// The loop that `column` counts, and how; nothing where it is anything else.
static std::optional<PixelRead> readAt(Operation *op, OpFoldResult column) {
  AffineExpr i = getAffineDimExpr(0, op->getContext()), expr = i;
  auto value = dyn_cast<Value>(column);
  auto apply = value ? value.getDefiningOp<affine::AffineApplyOp>() : nullptr;
  if (apply) {
    if (apply.getMapOperands().size() != 1)
      return std::nullopt;
    column = apply.getMapOperands().front();
    expr = apply.getAffineMap().getResult(0).replaceDimsAndSymbols({i}, {i});
  }
  auto at = [&](int64_t place) {
    AffineExpr number = getAffineConstantExpr(place, op->getContext());
    return cast<AffineConstantExpr>(expr.replace(i, number)).getValue();
  };
  if (std::optional<int64_t> place = getConstantIntValue(column))
    return PixelRead{op, nullptr, 0, at(*place)};
  int64_t first = at(0), step = at(1) - first;
  scf::ForOp loop = scf::getForInductionVarOwner(cast<Value>(column));
  if (!loop || step < 1 || expr != i * step + first ||
      !getConstantIntValue(loop.getLowerBound()) ||
      !getConstantIntValue(loop.getUpperBound()) ||
      getConstantIntValue(loop.getStep()).value_or(0) < 1)
    return std::nullopt;
  return PixelRead{op, loop, step, first};
}

/// A vector of channels.
static bool readsChannels(Operation *op, Value image) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  if (!read || read.getBase() != image || read.getVectorType().getRank() != 1)
    return false;
  auto dim = dyn_cast<AffineDimExpr>(read.getPermutationMap().getResult(0));
  return dim && dim.getPosition() + 1 == read.getPermutationMap().getNumDims();
}

static std::optional<PixelRead> pixelRead(Operation *user, Value image) {
  if (readsChannels(user, image))
    return readAt(user, cast<vector::TransferReadOp>(user).getIndices()[1]);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
  if (!slice || !slice.hasUnitStride() || slice.getStaticSizes()[0] != 1 ||
      slice.getStaticSizes()[1] != 1 ||
      !llvm::all_of(slice->getUsers(), [&](Operation *reader) {
        return readsChannels(reader, slice);
      }))
    return std::nullopt;
  return readAt(user, slice.getMixedOffsets()[1]);
}

/// The image, computed in one buffer with the rows above and below it:
/// [rows][columns][channels].
static Value padRows(const PaddedImage &image, Value source) {
  tensor::PadOp pad = image.pad;
  OpOperand *destination = destinationOf(source, pad->getBlock());
  OpBuilder builder(destination ? destination->getOwner() : pad.getOperation());
  TensorBuilder tensors(builder, pad.getLoc());
  RankedTensorType type = typeOf(source);
  // Of an image that is a matrix, a row of pixels is many of its rows.
  int64_t unit = type.getRank() == 2 ? image.width : 1;
  int64_t height = image.top + image.height + image.bottom;
  auto from = [&](int64_t row) {
    SmallVector<int64_t> offsets(type.getRank(), 0);
    offsets.front() = row * unit;
    return tensors.numbers(offsets);
  };
  auto shapeOf = [&](int64_t rows) {
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = rows * unit;
    return shape;
  };
  Value rows = tensors.empty(shapeOf(height), type.getElementType());
  Value number = arith::ConstantOp::create(builder, pad.getLoc(), image.number);
  for (auto [row, count] : {std::pair(int64_t(0), image.top),
                            std::pair(image.top + image.height, image.bottom)})
    rows = tensors.filled(rows, number, from(row),
                          tensors.numbers(shapeOf(count)));
  SmallVector<OpFoldResult> offsets = from(image.top),
                            sizes = tensors.numbers(shapeOf(image.height));
  if (destination)
    computeInto(*destination, tensors.slice(rows, offsets, sizes));
  builder.setInsertionPoint(pad);
  rows = tensors.inserted(source, rows, offsets, sizes);
  if (unit == 1)
    return rows;
  auto shaped = RankedTensorType::get(
      {height, image.width, type.getShape().back()}, type.getElementType());
  return tensor::ExpandShapeOp::create(
      builder, pad.getLoc(), shaped, rows,
      ArrayRef<ReassociationIndices>{{0, 1}, {2}});
}

namespace {
/// The pixels of a loop, and those whose windows stay in the image: before
/// `inside` they reach out of it on the left, from `beyond` on on the right.
struct Pixels {
  int64_t from, to, step;
  int64_t inside = from, beyond = to;

  explicit Pixels(scf::ForOp loop)
      : from(*getConstantIntValue(loop.getLowerBound())),
        to(*getConstantIntValue(loop.getUpperBound())),
        step(*getConstantIntValue(loop.getStep())) {}

  void add(const PixelRead &read, const PaddedImage &image) {
    // The first pixel of the loop that reads this column, or one behind it.
    auto pixelAt = [&](int64_t column) {
      int64_t pixel = llvm::divideCeilSigned(column - read.first, read.step);
      return from + llvm::divideCeilSigned(pixel - from, step) * step;
    };
    inside = std::clamp(pixelAt(image.left), inside, to);
    beyond = std::min(beyond, pixelAt(image.left + image.width));
    beyond = std::max(beyond, inside);
  }
  int64_t outside() const {
    return (inside - from + step - 1) / step + (to - beyond + step - 1) / step;
  }
};
} // namespace

/// Gives the first and the last pixels of a loop copies of its body.
static void splitOff(scf::ForOp loop, const Pixels &pixels) {
  IRRewriter builder(loop);
  TensorBuilder numbers(builder, loop.getLoc());
  SmallVector<Value> carried(loop.getInitArgs());
  SmallVector<scf::ForOp> copies;
  auto copy = [&](int64_t from, int64_t to) {
    auto part = cast<scf::ForOp>(builder.clone(*loop));
    builder.setInsertionPoint(part);
    part.setLowerBound(numbers.index(from));
    part.setUpperBound(numbers.index(to));
    builder.setInsertionPoint(loop);
    part.getInitArgsMutable().assign(carried);
    carried.assign(part.result_begin(), part.result_end());
    return part;
  };
  for (int64_t pixel = pixels.from; pixel < pixels.inside; pixel += pixels.step)
    copies.push_back(copy(pixel, pixel + pixels.step));
  copy(pixels.inside, pixels.beyond);
  for (int64_t pixel = pixels.beyond; pixel < pixels.to; pixel += pixels.step)
    copies.push_back(copy(pixel, pixel + pixels.step));
  loop.replaceAllUsesWith(carried);
  loop.erase();
  for (scf::ForOp single : copies)
    (void)single.promoteIfSingleIteration(builder);
}

/// What lies around the image.
static void readConstant(Operation *op, TypedAttr number) {
  if (isa<tensor::ExtractSliceOp>(op)) {
    for (Operation *reader : llvm::make_early_inc_range(op->getUsers()))
      readConstant(reader, number);
  } else {
    OpBuilder builder(op);
    auto type = cast<VectorType>(op->getResult(0).getType());
    op->getResult(0).replaceAllUsesWith(arith::ConstantOp::create(
        builder, op->getLoc(), SplatElementsAttr::get(type, number)));
  }
  op->erase();
}

/// Has `rows` read instead of the image that is padded left and right, or the
/// number there. One or the other holds for all pixels of a loop.
static void redirect(PixelRead at, const PaddedImage &image, Value rows) {
  int64_t first = at.first - image.left;
  if (!at.loop && (first < 0 || first >= image.width))
    return readConstant(at.op, image.number);
  IRRewriter builder(at.op);
  Location loc = at.op->getLoc();
  OpFoldResult column = builder.getIndexAttr(first);
  if (at.loop)
    column = affine::makeComposedFoldedAffineApply(
        builder, loc, builder.getAffineDimExpr(0) * at.step + first,
        {OpFoldResult(at.loop.getInductionVar())});
  if (auto read = dyn_cast<vector::TransferReadOp>(at.op)) {
    read.getBaseMutable().assign(rows);
    read.getIndicesMutable()[1].assign(
        getValueOrCreateConstantIndexOp(builder, loc, column));
    return;
  }
  auto slice = cast<tensor::ExtractSliceOp>(at.op);
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  offsets[1] = column;
  builder.replaceOpWithNewOp<tensor::ExtractSliceOp>(
      slice, slice.getResultType(), rows, offsets, slice.getMixedSizes(),
      slice.getMixedStrides());
}

/// The image as it is computed: a matrix of pixels, where it is one.
static Value sourceOf(PaddedImage &image) {
  Value source = image.pad.getSource();
  auto shaped = source.getDefiningOp<tensor::ExpandShapeOp>();
  bool isMatrix = shaped && shaped.getSrcType().getRank() == 2 &&
                  shaped.getSrcType().getShape().back() ==
                      image.pad.getSourceType().getDimSize(2);
  return isMatrix ? shaped.getSrc() : source;
}

bool lh::clipWindows(tensor::PadOp pad, int64_t most) {
  std::optional<PaddedImage> image = paddedImage(pad, 3);
  if (!image || !image->number || pad->use_empty())
    return false;
  llvm::DenseMap<Operation *, Pixels> loops;
  for (Operation *user : pad->getUsers()) {
    std::optional<PixelRead> read = pixelRead(user, pad);
    if (!read)
      return false;
    if (read->loop)
      loops.try_emplace(read->loop, read->loop)
          .first->second.add(*read, *image);
  }
  if (llvm::any_of(loops, [&](const auto &each) {
        return each.second.outside() > most;
      }))
    return false;
  Value rows = image->top + image->bottom > 0
                   ? padRows(*image, sourceOf(*image))
                   : pad.getSource();
  // Loops in others come first: those copy what is in them.
  pad->getBlock()->walk([&](scf::ForOp loop) {
    if (auto found = loops.find(loop); found != loops.end())
      splitOff(loop, found->second);
  });
  for (Operation *user : llvm::make_early_inc_range(pad->getUsers()))
    redirect(*pixelRead(user, pad), *image, rows);
  pad.erase();
  return true;
}
