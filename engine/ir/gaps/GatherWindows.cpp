// Convolutions as products of matrices: the windows of the input side by side,
// one row for each pixel of the result.
#include "ir/gaps/Gaps.h"
#include "ir/gaps/Products.h"
#include "ir/gaps/Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

using namespace lh;
using namespace mlir;

namespace {
/// result[n][y][x][f] += input[n][y..][x..][c] filter[...], of static sizes;
/// or result[n][p][f] += input[n][p][c] filter[...].
struct Convolution {
  linalg::GenericOp op;
  Windows windows;
  int64_t filters;
  /// The filter's dimensions in the order of a window's, then the filters.
  SmallVector<int64_t> filterOrder;
};
} // namespace

static SmallVector<int64_t> orderOf(AffineMap filter,
                                    ArrayRef<unsigned> loops) {
  SmallVector<int64_t> order;
  for (unsigned loop : loops)
    order.push_back(
        *filter.getResultPosition(getAffineDimExpr(loop, filter.getContext())));
  return order;
}

static bool isStatic(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return !ShapedType::isDynamicShape(ranges) && !llvm::is_contained(ranges, 0);
}

/// A convolution by one pixel, with all pixels in one dimension.
static std::optional<Convolution> pixelProductOf(linalg::GenericOp op) {
  if (op.getNumLoops() != 4 || op.getNumDpsInputs() != 2 ||
      !linalg::isaContractionOpInterface(op) || !addsProducts(op) ||
      !op.hasPureTensorSemantics() || !isStatic(op))
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
  return Convolution{op, windows, sizes[2], orderOf(maps[1], {3, 2})};
}

static std::optional<Convolution> convolutionOf(linalg::GenericOp op) {
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(op);
  if (failed(dims) || !linalg::isaConvolutionOpInterface(op) ||
      !(addsProducts(op) || op->hasAttr(productMark)) ||
      !op.hasPureTensorSemantics() || !isStatic(op))
    return std::nullopt;
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!dims->depth.empty() || dims->batch.size() != 1 ||
      dims->outputImage.size() != 2 || dims->outputChannel.size() != 1 ||
      dims->inputChannel.size() != 1 || dims->filterLoop.size() != 2 ||
      maps[2] != AffineMap::getMultiDimMapWithTargets(7, {0, 1, 2, 3}, context))
    return std::nullopt;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  unsigned y = dims->filterLoop[0], x = dims->filterLoop[1];
  unsigned c = dims->inputChannel[0];
  Windows windows{sizes[0],          sizes[1],         sizes[2],
                  sizes[y],          sizes[x],         sizes[c],
                  dims->strides[0],  dims->strides[1], dims->dilations[0],
                  dims->dilations[1]};
  AffineExpr n, oh, ow;
  bindDims(context, n, oh, ow);
  AffineExpr kh = getAffineDimExpr(y, context),
             kw = getAffineDimExpr(x, context);
  AffineMap input =
      AffineMap::get(7, 0,
                     {n, oh * windows.rowStride + kh * windows.rowDilation,
                      ow * windows.columnStride + kw * windows.columnDilation,
                      getAffineDimExpr(c, context)},
                     context);
  if (dims->outputImage[0] != 1 || maps[0] != input ||
      !maps[1].isProjectedPermutation() || maps[1].getNumResults() != 4)
    return std::nullopt;
  return Convolution{op, windows, sizes[3], orderOf(maps[1], {y, x, c, 3})};
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
  Location loc = op.getLoc();
  Value filter = op.getInputs()[1];
  auto type = cast<RankedTensorType>(filter.getType());
  SmallVector<int64_t> sizes;
  for (int64_t from : convolution.filterOrder)
    sizes.push_back(type.getDimSize(static_cast<unsigned>(from)));
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  Value ordered = linalg::TransposeOp::create(builder, loc, filter, empty,
                                              convolution.filterOrder)
                      ->getResult(0);
  return type.getRank() == 2
             ? ordered
             : collapse(builder, loc, ordered, rowsOf(type.getRank()));
}

static bool isZeros(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && isZero(fill.getInputs()[0]);
}

/// Apart from the product, where it can be fused with what follows.
static Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  auto type = cast<RankedTensorType>(a.getType());
  auto rank = static_cast<unsigned>(type.getRank());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> maps(3, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, ValueRange{a, b}, empty, maps, loops,
             [](OpBuilder &at, Location where, ValueRange in) {
               Value sum = isa<FloatType>(in[0].getType())
                               ? arith::AddFOp::create(at, where, in[0], in[1])
                                     .getResult()
                               : arith::AddIOp::create(at, where, in[0], in[1])
                                     .getResult();
               linalg::YieldOp::create(at, where, sum);
             })
      .getResult(0);
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
  Value result =
      tensor::ExpandShapeOp::create(builder, loc, type, product, pixels);
  if (Value start = op.getOutputs()[0]; !isZeros(start))
    result = add(builder, loc, start, result);
  op.getResult(0).replaceAllUsesWith(result);
  op.erase();
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
