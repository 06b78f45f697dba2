// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions as products of matrices: the windows of the input side by side,
// one row for each pixel of the result; or Winograd's (Winograd.cpp).
#include "compiler/gaps/Choice.h"
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/products/Convolution.h"
#include "compiler/gaps/products/Products.h"
#include "compiler/gaps/windows/Winograd.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_MULTIPLYWINDOWSPASS
#define GEN_PASS_DEF_MULTIPLYWINDOWSPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

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

/// The windows as rows of a matrix, one for each group, in an op that says
/// which they are.
static Value gather(TensorBuilder &tensors, Value input, const Windows &w) {
  MLIRContext *context = input.getContext();
  unsigned rank = w.groups > 1 ? 3 : 2;
  AffineExpr p = getAffineDimExpr(rank - 2, context),
             k = getAffineDimExpr(rank - 1, context), channel = k % w.channels;
  SmallVector<int64_t> shape = {w.count(), w.size()};
  if (w.groups > 1) {
    channel = getAffineDimExpr(0, context) * w.channels + channel;
    shape.insert(shape.begin(), w.groups);
  }
  AffineMap read = AffineMap::get(
      rank, 0,
      {p.floorDiv(w.height * w.width),
       (p.floorDiv(w.width) % w.height) * w.rowStride +
           k.floorDiv(w.columns * w.channels) * w.rowDilation,
       (p % w.width) * w.columnStride +
           (k.floorDiv(w.channels) % w.columns) * w.columnDilation,
       channel},
      context);
  Value into = tensors.empty(shape, getElementTypeOrSelf(input.getType()));
  linalg::GenericOp rows = tensors.generic(
      input, read, into,
      [](OpBuilder &, Location, ValueRange values) { return values[0]; });
  rows->setAttr(windowsMark, w.toAttribute(context));
  return rows.getResult(0);
}

/// The filter as a matrix [rows x columns x channels][filters].
static Value matrixOf(TensorBuilder &tensors, const Convolution &convolution) {
  Value filters = orderFilters(tensors, convolution);
  SmallVector<ReassociationIndices> rows = rowsOf(filters);
  return rows.front().size() == 1 ? filters : tensors.collapsed(filters, rows);
}

static int64_t sizeOf(Value tensor, unsigned dim) {
  return typeOf(tensor).getDimSize(dim);
}

/// The product of two matrices; of words where the convolution is of words.
static Value multiply(OpBuilder &builder, linalg::GenericOp convolution,
                      Value rows, Value matrix) {
  Location loc = convolution.getLoc();
  Value init = TensorBuilder(builder, loc)
                   .zeros({sizeOf(rows, 0), sizeOf(matrix, 1)},
                          getElementTypeOrSelf(convolution.getResult(0)));
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

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The maps of a convolution whose groups lie side by side: of
/// result[n][y][x][l]
/// += input[n][..][..][group of l, c] filter[..][..][c][l], without n for a
/// single image, and without a window where that is a pixel.
static SmallVector<AffineMap> mapsOfLanes(const Convolution &convolution,
                                          bool isBatch) {
  const Windows &w = convolution.windows;
  MLIRContext *context = linalg::GenericOp(convolution.op).getContext();
  unsigned loops = 0;
  auto loop = [&] { return getAffineDimExpr(loops++, context); };
  SmallVector<AffineExpr> input, filters, result;
  if (isBatch)
    result.push_back(loop());
  input = result;
  AffineExpr y = loop(), x = loop(), l = loop();
  result.append({y, x, l});
  if (!w.isWholePixels()) {
    AffineExpr ky = loop(), kx = loop();
    filters = {ky, kx};
    y = y * w.rowStride + ky * w.rowDilation;
    x = x * w.columnStride + kx * w.columnDilation;
  }
  AffineExpr c = loop();
  input.append({y, x, l.floorDiv(convolution.filters) * w.channels + c});
  filters.append({c, l});
  return AffineMap::inferFromExprList({input, filters, result}, context);
}

/// The filters of whole groups in a strip. Registers that end within a group
/// would have lanes that read two others, which LLVM 22 fills number by number:
/// strips of such groups are within one.
static int64_t wholeGroups(int64_t strip, int64_t filters, int64_t lanes) {
  int64_t most = lanes % filters == 0 || filters > lanes ? strip : lanes;
  return most - most % filters;
}

static MapAttr withStrip(MapAttr choice, int64_t strip) {
  Builder builder(choice.getContext());
  SmallVector<DataLayoutEntryInterface> entries(choice.getEntries());
  entries.push_back(DataLayoutEntryAttr::get(builder.getStringAttr("strip"),
                                             builder.getI64IntegerAttr(strip)));
  return MapAttr::get(choice.getContext(), entries);
}

/// Makes one dimension of groups and filters. False where a group has more than
/// `strip` filters, or a loop that is to be cut into tiles has nothing to cut.
static bool becomeLanes(Convolution convolution, int64_t strip,
                        int64_t vectorBits) {
  linalg::GenericOp op = convolution.op;
  const Windows &w = convolution.windows;
  MapAttr choice = choiceOf(op);
  bool isPixel = w.isWholePixels(), isBatch = w.batch > 1 && !isPixel;
  SmallVector<int64_t> loops = {isPixel ? w.batch * w.height : w.height,
                                w.width, w.channels};
  if (!isPixel)
    loops.append({w.rows, w.columns});
  if (convolution.filters > strip || llvm::is_contained(loops, 1) || !choice)
    return false;
  OpBuilder builder(op);
  TensorBuilder tensors(builder, op.getLoc());
  std::rotate(convolution.filterOrder.begin(),
              convolution.filterOrder.begin() + 1,
              convolution.filterOrder.end() - 1);
  SmallVector<ReassociationIndices> batch = {{0}, {1}, {2}, {3, 4}},
                                    image = {{0, 1}, {2}, {3, 4}},
                                    pixel = {{0, 1, 2}, {3, 4}};
  Value filters = tensors.collapsed(orderFilters(tensors, convolution),
                                    isPixel ? pixel : batch);
  ArrayRef<ReassociationIndices> groups = isBatch ? batch : image;
  Value input = tensors.collapsed(op.getInputs()[0], groups),
        start = tensors.collapsed(op.getOutputs()[0], groups);
  SmallVector<AffineMap> maps = mapsOfLanes(convolution, isBatch);
  SmallVector<utils::IteratorType> iterators(maps.back().getNumDims(),
                                             utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), groups.size(), utils::IteratorType::parallel);
  auto lanes = linalg::GenericOp::create(builder, op.getLoc(), start.getType(),
                                         ValueRange{input, filters}, start,
                                         maps, iterators);
  IRMapping mapping;
  op.getRegion().cloneInto(&lanes.getRegion(), mapping);
  int64_t bits = getElementTypeOrSelf(start).getIntOrFloatBitWidth();
  lanes->setAttr(choiceMark,
                 withStrip(choice, wholeGroups(strip, convolution.filters,
                                               vectorBits / bits)));
  op.getResult(0).replaceAllUsesWith(tensor::ExpandShapeOp::create(
      builder, op.getLoc(), op.getResult(0).getType(), lanes.getResult(0),
      groups));
  op.erase();
  return true;
}

/// So many groups together still have no more filters than a panel has columns:
/// they cost no more than one, where the other groups' channels count as zeros.
/// Of floats only one: zero times another group's infinity would be NaN.
static int64_t mergedGroups(const Convolution &convolution, int64_t columns,
                            int64_t fewest) {
  int64_t groups = convolution.windows.groups;
  Value sum = convolution.op->getResult(0);
  if (isa<FloatType>(getElementTypeOrSelf(sum)))
    return 1;
  int64_t merged =
      std::clamp<int64_t>(columns / convolution.filters, 1, groups);
  while (groups % merged != 0)
    --merged;
  // Too few for a panel at all: then rather too many.
  while (merged < groups &&
         (merged * convolution.filters < fewest || groups % merged != 0))
    ++merged;
  return merged;
}

/// Filters [g][y][x][c][f] as [g'][y][x][a c][b f], groups a and b of those
/// merged, with zeros where they differ.
static Value mergeFilters(TensorBuilder &tensors,
                          const Convolution &convolution, int64_t merged) {
  const Windows &w = convolution.windows;
  Value filters = orderFilters(tensors, convolution);
  Type element = getElementTypeOrSelf(filters.getType());
  SmallVector<int64_t> shape = {
      w.groups / merged, w.rows, w.columns,          merged,
      w.channels,        merged, convolution.filters};
  MLIRContext *context = filters.getContext();
  AffineExpr g, y, x, a, c, b, f;
  bindDims(context, g, y, x, a, c, b, f);
  linalg::GenericOp op = tensors.generic(
      filters, AffineMap::get(7, 0, {g * merged + b, y, x, c, f}, context),
      tensors.empty(shape, element),
      [&](OpBuilder &in, Location at, ValueRange values) -> Value {
        Value zero = arith::ConstantOp::create(in, at, in.getZeroAttr(element));
        Value own = arith::CmpIOp::create(in, at, arith::CmpIPredicate::eq,
                                          linalg::IndexOp::create(in, at, 3),
                                          linalg::IndexOp::create(in, at, 5));
        return arith::SelectOp::create(in, at, own, values[0], zero);
      });
  return tensors.collapsed(op.getResult(0), {{0}, {1, 2, 3, 4}, {5, 6}});
}

/// Matrices [g][rows][f] with columns of zeros where a product has too few.
static Value widenMatrices(OpBuilder &builder, Location loc, Value matrices,
                           int64_t fewest) {
  auto type = typeOf(matrices);
  int64_t columns = std::max(type.getDimSize(2), fewest);
  auto wide = RankedTensorType::get(
      {type.getDimSize(0), type.getDimSize(1), columns}, type.getElementType());
  if (wide == type)
    return matrices;
  Value zero = TensorBuilder(builder, loc).zero(type.getElementType());
  return tensor::createPadHighOp(wide, matrices, zero, /*nofold=*/false, loc,
                                 builder);
}

/// A product for each group: [g][pixels][filters], turned to [pixels][g x f].
static Value multiplyGroups(OpBuilder &builder, Location loc, Value rows,
                            Value matrices, int64_t fewest) {
  TensorBuilder tensors(builder, loc);
  Value wide = widenMatrices(builder, loc, matrices, fewest);
  Value init =
      tensors.zeros({sizeOf(rows, 0), sizeOf(rows, 1), sizeOf(wide, 2)},
                    getElementTypeOrSelf(rows.getType()));
  Value product = linalg::BatchMatmulOp::create(builder, loc, init.getType(),
                                                ValueRange{rows, wide}, init)
                      ->getResult(0);
  Value sums = tensors.transposed(product, {1, 0, 2});
  if (int64_t filters = sizeOf(matrices, 2); filters != sizeOf(wide, 2))
    sums = tensors.slice(
        sums, tensors.numbers({0, 0, 0}),
        tensors.numbers({sizeOf(rows, 1), sizeOf(rows, 0), filters}));
  return tensors.collapsed(sums, {{0}, {1, 2}});
}

/// Groups of integers with few filters are merged, all of them to a product
/// without groups.
static void becomeProduct(Convolution convolution, int64_t columns,
                          int64_t fewest) {
  linalg::GenericOp op = convolution.op;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  TensorBuilder tensors(builder, loc);
  auto type = typeOf(op.getResult(0));
  SmallVector<ReassociationIndices> pixels = rowsOf(op.getResult(0));
  Windows &w = convolution.windows;
  Value input = op.getInputs()[0], matrix;
  if (type.getRank() == 5) {
    pixels = {{0, 1, 2}, {3, 4}};
    int64_t merged = mergedGroups(convolution, columns, fewest);
    matrix = mergeFilters(tensors, convolution, merged);
    w.groups /= merged;
    w.channels *= merged;
    input = tensors.collapsed(input, {{0}, {1}, {2}, {3, 4}});
    if (w.groups == 1)
      matrix = tensors.collapsed(matrix, {{0, 1}, {2}});
  } else {
    matrix = matrixOf(tensors, convolution);
  }
  Value rows = w.groups == 1 && w.isWholePixels()
                   ? tensors.collapsed(input, rowsOf(input))
                   : gather(tensors, input, w);
  Value sums = w.groups == 1
                   ? multiply(builder, op, rows, matrix)
                   : multiplyGroups(builder, loc, rows, matrix, fewest);
  replaceSum(tensors, op,
             tensor::ExpandShapeOp::create(builder, loc, type, sums, pixels));
}

namespace {
struct MultiplyWindowsPass
    : lh::impl::MultiplyWindowsPassBase<MultiplyWindowsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!llvm::is_contained({"gather", "lanes", "winograd"}, strategy)) {
      getOperation()->emitError("there is no strategy '" + strategy + "'");
      return signalPassFailure();
    }
    SmallVector<linalg::GenericOp> ops;
    bool convolves = false;
    getOperation()->walk([&](linalg::GenericOp op) {
      convolves |= linalg::isaConvolutionOpInterface(op);
      if (mayTake(op, strategy))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops)
      if (!(strategy == "winograd" ? multiplyTiles(op, tiles)
            : strategy == "lanes"  ? layInLanes(op)
                                   : multiplyWindows(op, convolves)))
        refuse(op, strategy);
  }

  bool layInLanes(linalg::GenericOp op) {
    std::optional<Convolution> convolution = groupedConvolutionOf(op);
    return convolution && becomeLanes(*convolution, strip, vectorBits);
  }

  /// False, having changed nothing, where it is no convolution. Products of
  /// pixels count as such in the company of convolutions.
  bool multiplyWindows(linalg::GenericOp op, bool convolves) {
    std::optional<Convolution> convolution = groupedConvolutionOf(op);
    if (!convolution)
      convolution = convolutionOf(op);
    if (!convolution && convolves)
      convolution = pixelProductOf(op);
    if (convolution)
      becomeProduct(*convolution, columns, fewestColumns);
    return convolution.has_value();
  }
};
} // namespace
