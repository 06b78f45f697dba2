// Convolutions as products of matrices: the windows of the input side by side,
// one row for each pixel of the result.
#include "ir/gaps/Convolution.h"
#include "ir/gaps/Gaps.h"
#include "ir/gaps/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

using namespace lh;
using namespace mlir;

/// A convolution by one pixel, with all pixels in one dimension.
static std::optional<Convolution> pixelProductOf(linalg::GenericOp op) {
  if (op.getNumLoops() != 4 || op.getNumDpsInputs() != 2 ||
      !linalg::isaContractionOpInterface(op) || !addsProducts(op) ||
      !op.hasPureTensorSemantics() || !hasKnownLoops(op))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto map = [&](ArrayRef<unsigned> loops) {
    return AffineMap::getMultiDimMapWithTargets(4, loops, op.getContext());
  };
  if (maps[0] != map({0, 1, 3}) || maps[2] != map({0, 1, 2}) ||
      (maps[1] != map({2, 3}) && maps[1] != map({3, 2})))
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  Windows windows{sizes[0], 1, sizes[1], 1, 1, sizes[3], 1, 1, 1, 1};
  return Convolution{op, windows, sizes[2], filterOrder(maps[1], {3, 2})};
}

/// All dimensions but the last in one.
static SmallVector<ReassociationIndices> rowsOf(int64_t rank) {
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, rank - 1)), {rank - 1}};
}

static Value collapse(OpBuilder &builder, Location loc, Value value,
                      ArrayRef<ReassociationIndices> groups) {
  return tensor::CollapseShapeOp::create(builder, loc, value, groups);
}

/// The windows as rows of a matrix, in an op that says which they are.
static Value gather(OpBuilder &builder, Location loc, Value input,
                    const Windows &w) {
  AffineExpr p, k;
  bindDims(builder.getContext(), p, k);
  AffineMap read = AffineMap::get(
      2, 0,
      {p.floorDiv(w.height * w.width),
       (p.floorDiv(w.width) % w.height) * w.rowStride +
           k.floorDiv(w.columns * w.channels) * w.rowDilation,
       (p % w.width) * w.columnStride +
           (k.floorDiv(w.channels) % w.columns) * w.columnDilation,
       k % w.channels},
      builder.getContext());
  Type element = getElementTypeOrSelf(input.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{w.count(), w.size()}, element);
  SmallVector<AffineMap> maps = {read, builder.getMultiDimIdentityMap(2)};
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  auto rows = linalg::GenericOp::create(
      builder, loc, empty.getType(), input, empty, maps, loops,
      [](OpBuilder &b, Location at, ValueRange values) {
        linalg::YieldOp::create(b, at, values[0]);
      });
  rows->setAttr(windowsMark, builder.getDenseI64ArrayAttr(w.numbers()));
  return rows.getResult(0);
}

/// The filter as a matrix [rows x columns x channels][filters].
static Value matrixOf(OpBuilder &builder, const Convolution &convolution) {
  linalg::GenericOp op = convolution.op;
  Value filters = orderFilters(builder, convolution);
  int64_t rank = cast<RankedTensorType>(filters.getType()).getRank();
  return rank == 2 ? filters
                   : collapse(builder, op.getLoc(), filters, rowsOf(rank));
}

/// The product of two matrices; of words where the convolution is of words.
static Value multiply(OpBuilder &builder, linalg::GenericOp convolution,
                      Value rows, Value matrix, Value init) {
  Location loc = convolution.getLoc();
  if (!convolution->hasAttr(productMark))
    return linalg::MatmulOp::create(builder, loc, init.getType(),
                                    ValueRange{rows, matrix}, init)
        ->getResult(0);
  auto product = linalg::GenericOp::create(
      builder, loc, init.getType(), ValueRange{rows, matrix}, init,
      linalg::MatmulOp::getDefaultIndexingMaps(builder.getContext()),
      ArrayRef{utils::IteratorType::parallel, utils::IteratorType::parallel,
               utils::IteratorType::reduction});
  IRMapping mapping;
  convolution.getRegion().cloneInto(&product.getRegion(), mapping);
  product->setAttr(productMark, builder.getUnitAttr());
  return product.getResult(0);
}

static void becomeProduct(const Convolution &convolution) {
  linalg::GenericOp op = convolution.op;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  const Windows &w = convolution.windows;
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<ReassociationIndices> pixels = rowsOf(type.getRank());
  Value input = op.getInputs()[0];
  Value rows = w.isWholePixels() ? collapse(builder, loc, input, pixels)
                                 : gather(builder, loc, input, w);
  Value matrix = matrixOf(builder, convolution);
  Type element = type.getElementType();
  Value empty = tensor::EmptyOp::create(
      builder, loc, ArrayRef<int64_t>{w.count(), convolution.filters}, element);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  Value product = multiply(builder, op, rows, matrix, init);
  replaceSum(
      builder, op,
      tensor::ExpandShapeOp::create(builder, loc, type, product, pixels));
}

namespace {
class GatherWindowsPass
    : public PassWrapper<GatherWindowsPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GatherWindowsPass)

  StringRef getArgument() const override { return "lh-gather-windows"; }
  StringRef getDescription() const override {
    return "Convolutions with channels last become products of windows";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }

private:
  void runOnOperation() override {
    SmallVector<Convolution> convolutions;
    bool convolves = false;
    getOperation()->walk([&](linalg::GenericOp op) {
      convolves |= linalg::isaConvolutionOpInterface(op);
      std::optional<Convolution> convolution = pixelProductOf(op);
      if (!convolution)
        convolution = convolutionOf(op);
      if (convolution)
        convolutions.push_back(*convolution);
    });
    if (!convolves)
      return;
    for (const Convolution &convolution : convolutions)
      becomeProduct(convolution);
  }
};
} // namespace

void lh::registerGatherWindowsPass() { PassRegistration<GatherWindowsPass>(); }
