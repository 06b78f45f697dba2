// Windows over a padded image, without the padded image. What they read left
// and right of it is known where their pixels are counted off: the loop over
// pixels gives its first and last ones to copies of its body, in which such
// numbers are constants. Rows above and below are filled in one buffer with the
// image, which is computed there, as its rows lie one behind the other.
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
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/MapVector.h"

namespace lh {
#define GEN_PASS_DECL_CLIPWINDOWSPASS
#define GEN_PASS_DEF_CLIPWINDOWSPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

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
  int64_t step = 1, first = 0;
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>()) {
    if (apply.getMapOperands().size() != 1)
      return std::nullopt;
    value = apply.getMapOperands().front();
    AffineExpr expr = apply.getAffineMap().getResult(0);
    auto constantOn = [&](AffineExprKind kind) -> std::optional<int64_t> {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      if (!binary || binary.getKind() != kind)
        return std::nullopt;
      auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
      if (!constant)
        return std::nullopt;
      expr = binary.getLHS();
      return constant.getValue();
    };
    first = constantOn(AffineExprKind::Add).value_or(0);
    step = constantOn(AffineExprKind::Mul).value_or(1);
    if (!isa<AffineDimExpr, AffineSymbolExpr>(expr))
      return std::nullopt;
  }
  scf::ForOp loop = scf::getForInductionVarOwner(value);
  if (!loop || step < 1 || !getConstantIntValue(loop.getLowerBound()) ||
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

namespace {
/// Puts rows above and below an image.
class RowPadder {
public:
  RowPadder(const PaddedImage &image, Value source)
      : image(image), source(source),
        type(cast<RankedTensorType>(source.getType())),
        // Of an image that is a matrix, a row of pixels is many of its rows.
        unit(type.getRank() == 2 ? image.width : 1) {}

  /// The padded rows [rows][columns][channels].
  Value run() {
    OpOperand *destination = destinationOf(source, image.pad->getBlock());
    OpBuilder builder(destination ? destination->getOwner()
                                  : image.pad.getOperation());
    Value rows = filled(builder);
    if (destination)
      computeInto(*destination,
                  tensor::ExtractSliceOp::create(
                      builder, loc(), type, rows, offsets(builder, image.top),
                      sizes(builder, image.height), ones(builder)));
    builder.setInsertionPoint(image.pad);
    rows = tensor::InsertSliceOp::create(
        builder, loc(), source, rows, offsets(builder, image.top),
        sizes(builder, image.height), ones(builder));
    if (unit == 1)
      return rows;
    auto shaped = RankedTensorType::get(
        {height(), image.width, type.getShape().back()}, type.getElementType());
    return tensor::ExpandShapeOp::create(
        builder, loc(), shaped, rows,
        ArrayRef<ReassociationIndices>{{0, 1}, {2}});
  }

private:
  Location loc() { return image.pad.getLoc(); }
  int64_t height() const { return image.top + image.height + image.bottom; }

  SmallVector<OpFoldResult> offsets(OpBuilder &builder, int64_t row) const {
    SmallVector<OpFoldResult> all(type.getRank(), builder.getIndexAttr(0));
    all.front() = builder.getIndexAttr(row * unit);
    return all;
  }

  SmallVector<OpFoldResult> sizes(OpBuilder &builder, int64_t rows) const {
    SmallVector<OpFoldResult> all;
    for (int64_t size : type.getShape())
      all.push_back(builder.getIndexAttr(size));
    all.front() = builder.getIndexAttr(rows * unit);
    return all;
  }

  SmallVector<OpFoldResult> ones(OpBuilder &builder) const {
    return SmallVector<OpFoldResult>(type.getRank(), builder.getIndexAttr(1));
  }

  Value filled(OpBuilder &builder) {
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = height() * unit;
    Value rows =
        tensor::EmptyOp::create(builder, loc(), shape, type.getElementType());
    Value number = arith::ConstantOp::create(builder, loc(), image.number);
    for (auto [row, count] :
         {std::pair(int64_t(0), image.top),
          std::pair(image.top + image.height, image.bottom)}) {
      if (count == 0)
        continue;
      Value slice = tensor::ExtractSliceOp::create(
          builder, loc(), rows, offsets(builder, row), sizes(builder, count),
          ones(builder));
      Value written =
          linalg::FillOp::create(builder, loc(), number, slice).getResult(0);
      rows = tensor::InsertSliceOp::create(
          builder, loc(), written, rows, offsets(builder, row),
          sizes(builder, count), ones(builder));
    }
    return rows;
  }

  PaddedImage image;
  Value source;
  RankedTensorType type;
  int64_t unit;
};

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

static void clip(tensor::PadOp pad, int64_t mostCopies) {
  std::optional<PaddedImage> image = paddedImage(pad, 3);
  if (!image || !image->number || pad->use_empty())
    return;
  llvm::MapVector<Operation *, WindowClipper> clippers;
  for (Operation *user : pad->getUsers()) {
    std::optional<PixelRead> read = pixelRead(user, pad);
    if (!read)
      return;
    clippers.try_emplace(read->loop, *image, read->loop)
        .first->second.add(*read);
  }
  for (auto &[loop, clipper] : clippers)
    if (!clipper.isWorthwhile(mostCopies))
      return;
  Value rows = image->top + image->bottom > 0
                   ? RowPadder(*image, sourceOf(*image)).run()
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
}

namespace {
struct ClipWindowsPass : lh::impl::ClipWindowsPassBase<ClipWindowsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation()->walk([&](tensor::PadOp pad) { pads.push_back(pad); });
    for (tensor::PadOp pad : pads)
      clip(pad, mostCopies);
  }
};
} // namespace
