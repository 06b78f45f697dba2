// Windows over a padded image, without the padded image. What they read left
// and right of it is known where their pixels are counted off: the loop over
// pixels gives its first and last ones to copies of its body, in which such
// numbers are constants. Rows above and below are filled in one buffer with the
// image, which is computed there, as its rows lie one behind the other.
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/windows/Assembly.h"
#include "compiler/gaps/windows/Destinations.h"
#include "compiler/gaps/windows/PaddedImage.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"

using namespace lh;
using namespace mlir;

namespace {
/// Where one pixel of the padded image is read: column `step` * i + `first`, i
/// counting the loop. The op is a read, or a slice that is read.
struct PixelRead {
  Operation *op;
  scf::ForOp loop;
  int64_t step, first;

  int64_t column(int64_t i) const { return step * i + first; }
};
} // namespace

/// The loop that `column` counts, and how; nothing where it is anything else.
static std::optional<PixelRead> readAt(Operation *op, OpFoldResult column) {
  auto value = dyn_cast<Value>(column);
  if (!value)
    return std::nullopt;
  AffineExpr i = getAffineDimExpr(0, op->getContext()), expr = i;
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>()) {
    if (apply.getMapOperands().size() != 1)
      return std::nullopt;
    value = apply.getMapOperands().front();
    expr = apply.getAffineMap().getResult(0).replaceDimsAndSymbols({i}, {i});
  }
  auto at = [&](int64_t place) {
    AffineExpr number = getAffineConstantExpr(place, op->getContext());
    return cast<AffineConstantExpr>(expr.replace(i, number)).getValue();
  };
  int64_t first = at(0), step = at(1) - first;
  scf::ForOp loop = scf::getForInductionVarOwner(value);
  if (!loop || step < 1 || expr != i * step + first ||
      !getConstantIntValue(loop.getLowerBound()) ||
      !getConstantIntValue(loop.getUpperBound()) ||
      getConstantIntValue(loop.getStep()) != 1)
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
  auto type = cast<RankedTensorType>(source.getType());
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
    if (count != 0)
      rows = tensors.changed(
          rows, from(row), tensors.numbers(shapeOf(count)),
          [&](Value slice) { return tensors.filled(slice, number); });
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
/// Makes the pixels of a loop read an image that isn't padded left and right.
class WindowClipper {
public:
  WindowClipper(const PaddedImage &image, scf::ForOp loop)
      : image(image), loop(loop),
        from(*getConstantIntValue(loop.getLowerBound())),
        to(*getConstantIntValue(loop.getUpperBound())) {}

  void add(const PixelRead &read) { reads.push_back(read); }

  /// Whether the windows of at most `most` pixels reach out of the image.
  bool isWorthwhile(int64_t most) {
    inside = from;
    beyond = to;
    for (const PixelRead &read : reads) {
      int64_t right = image.left + image.width;
      inside = std::max(
          inside, llvm::divideCeilSigned(image.left - read.first, read.step));
      beyond = std::min(beyond,
                        llvm::divideCeilSigned(right - read.first, read.step));
    }
    inside = std::min(inside, to);
    beyond = std::max(beyond, inside);
    return inside - from + to - beyond <= most;
  }

  void run(Value rows) {
    this->rows = rows;
    OpBuilder builder(loop);
    SmallVector<Value> carried(loop.getInitArgs());
    for (int64_t pixel = from; pixel < inside; ++pixel)
      carried = border(builder, pixel, carried);
    SmallVector<OpOperand *> uses;
    for (Value result : loop.getResults())
      for (OpOperand &use : result.getUses())
        uses.push_back(&use);
    loop.getInitArgsMutable().assign(carried);
    builder.setInsertionPointAfter(loop);
    carried.assign(loop.result_begin(), loop.result_end());
    for (int64_t pixel = beyond; pixel < to; ++pixel)
      carried = border(builder, pixel, carried);
    for (OpOperand *use : uses)
      use->set(carried[cast<OpResult>(use->get()).getResultNumber()]);
    builder.setInsertionPoint(loop);
    loop.setLowerBound(
        arith::ConstantIndexOp::create(builder, loop.getLoc(), inside));
    loop.setUpperBound(
        arith::ConstantIndexOp::create(builder, loop.getLoc(), beyond));
    for (const PixelRead &read : reads)
      shift(read);
  }

private:
  /// The loop's body for one pixel.
  SmallVector<Value> border(OpBuilder &builder, int64_t pixel,
                            ValueRange carried) {
    IRMapping values;
    values.map(loop.getInductionVar(),
               arith::ConstantIndexOp::create(builder, loop.getLoc(), pixel));
    values.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, values);
    SmallVector<Value> results;
    for (Value value : loop.getBody()->getTerminator()->getOperands())
      results.push_back(values.lookupOrDefault(value));
    for (const PixelRead &read : reads) {
      Operation *copy = values.lookup(read.op->getResult(0)).getDefiningOp();
      int64_t column = read.column(pixel) - image.left;
      if (column >= 0 && column < image.width)
        redirect(copy, OpBuilder(copy).getIndexAttr(column));
      else
        readConstant(copy);
    }
    return results;
  }

  /// Columns of the padded image become those of the image.
  void shift(const PixelRead &read) {
    OpBuilder builder(read.op);
    AffineExpr i = builder.getAffineDimExpr(0);
    redirect(read.op, affine::makeComposedFoldedAffineApply(
                          builder, read.op->getLoc(),
                          i * read.step + (read.first - image.left),
                          {OpFoldResult(loop.getInductionVar())}));
  }

  /// Has the image read, instead of the padded one.
  void redirect(Operation *op, OpFoldResult column) {
    OpBuilder builder(op);
    if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
      read.getBaseMutable().assign(rows);
      read.getIndicesMutable()[1].assign(
          getValueOrCreateConstantIndexOp(builder, op->getLoc(), column));
      return;
    }
    auto slice = cast<tensor::ExtractSliceOp>(op);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    offsets[1] = column;
    Value moved = tensor::ExtractSliceOp::create(
        builder, op->getLoc(), slice.getResultType(), rows, offsets,
        slice.getMixedSizes(), slice.getMixedStrides());
    slice.replaceAllUsesWith(moved);
    slice.erase();
  }

  /// What lies around the image.
  void readConstant(Operation *op) {
    if (isa<tensor::ExtractSliceOp>(op)) {
      for (Operation *reader : llvm::make_early_inc_range(op->getUsers()))
        readConstant(reader);
      op->erase();
      return;
    }
    OpBuilder builder(op);
    auto type = cast<VectorType>(op->getResult(0).getType());
    op->getResult(0).replaceAllUsesWith(arith::ConstantOp::create(
        builder, op->getLoc(), SplatElementsAttr::get(type, image.number)));
    op->erase();
  }

  PaddedImage image;
  scf::ForOp loop;
  int64_t from, to;
  /// The first pixel whose window reads nothing left of the image, and the
  /// first after those that read nothing right of it.
  int64_t inside = 0, beyond = 0;
  SmallVector<PixelRead> reads;
  Value rows;
};
} // namespace

/// The image as it is computed: a matrix of pixels, where it is one.
static Value sourceOf(PaddedImage &image) {
  Value source = image.pad.getSource();
  auto shaped = source.getDefiningOp<tensor::ExpandShapeOp>();
  bool isMatrix = shaped && shaped.getSrcType().getRank() == 2 &&
                  shaped.getSrcType().getShape().back() ==
                      image.pad.getSourceType().getDimSize(2);
  return isMatrix ? shaped.getSrc() : source;
}

static unsigned depthOf(Operation *op) {
  unsigned depth = 0;
  while ((op = op->getParentOp()))
    ++depth;
  return depth;
}

bool lh::clipWindows(tensor::PadOp pad, int64_t most) {
  std::optional<PaddedImage> image = paddedImage(pad, 3);
  if (!image || !image->number || pad->use_empty())
    return false;
  llvm::MapVector<Operation *, WindowClipper> clippers;
  for (Operation *user : pad->getUsers()) {
    std::optional<PixelRead> read = pixelRead(user, pad);
    if (!read)
      return false;
    clippers.try_emplace(read->loop, *image, read->loop)
        .first->second.add(*read);
  }
  for (auto &[loop, clipper] : clippers)
    if (!clipper.isWorthwhile(most))
      return false;
  Value rows = image->top + image->bottom > 0
                   ? padRows(*image, sourceOf(*image))
                   : pad.getSource();
  // Loops in others first: those copy what is in them.
  SmallVector<std::pair<Operation *, WindowClipper>> ordered =
      clippers.takeVector();
  llvm::stable_sort(ordered, [](const auto &a, const auto &b) {
    return depthOf(a.first) > depthOf(b.first);
  });
  for (auto &[loop, clipper] : ordered)
    clipper.run(rows);
  pad.erase();
  return true;
}
