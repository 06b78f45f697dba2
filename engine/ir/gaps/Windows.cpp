// Convolutions as products of matrices: the windows of the input side by side,
// one row for each pixel of the result.
#include "ir/gaps/Gaps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

/// On the op that puts the windows side by side: their Windows.
static constexpr StringLiteral windowsMark = "lh.windows";

namespace {
/// Which elements of an input [batch][height][width][channels] a convolution
/// reads for each of its results.
struct Windows {
  int64_t batch, height, width; ///< of the result
  int64_t rows, columns;        ///< of a window
  int64_t channels;
  int64_t rowStride, columnStride, rowDilation, columnDilation;
  /// Zeros around the input, which is that much smaller.
  int64_t top = 0, left = 0, bottom = 0, right = 0;

  int64_t count() const { return batch * height * width; }
  int64_t size() const { return rows * columns * channels; }
  bool isWholePixels() const {
    return rows == 1 && columns == 1 && rowStride == 1 && columnStride == 1;
  }
  SmallVector<int64_t> numbers() const {
    return {batch,    height,    width,        rows,        columns,
            channels, rowStride, columnStride, rowDilation, columnDilation,
            top,      left,      bottom,       right};
  }
  static Windows from(ArrayRef<int64_t> n) {
    return {n[0], n[1], n[2], n[3],  n[4],  n[5],  n[6],
            n[7], n[8], n[9], n[10], n[11], n[12], n[13]};
  }
  bool isPadded() const { return top + left + bottom + right > 0; }
};

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

static bool addsProducts(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  if (body.getOperations().size() != 3)
    return false;
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum) &&
         isa<arith::MulFOp, arith::MulIOp>(body.front());
}

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
  if (op.getNumLoops() != 4 || op.getNumDpsInputs() != 2 || !addsProducts(op) ||
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
  if (failed(dims) || !addsProducts(op) || !op.hasPureTensorSemantics() ||
      !isStatic(op))
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
  return fill && (matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
                  matchPattern(fill.getInputs()[0], m_Zero()));
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
  auto product = linalg::MatmulOp::create(builder, loc, init.getType(),
                                          ValueRange{rows, matrix}, init);
  Value result = tensor::ExpandShapeOp::create(builder, loc, type,
                                               product->getResult(0), pixels);
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

/// What is padded, if nothing but zeros is put around its pixels; else none.
static tensor::PadOp paddingOf(Value input) {
  auto pad = input.getDefiningOp<tensor::PadOp>();
  if (!pad || !pad.getSourceType().hasStaticShape() ||
      !pad.getResultType().hasStaticShape())
    return {};
  Value value = pad.getConstantPaddingValue();
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  bool isAround = value &&
                  (matchPattern(value, m_AnyZeroFloat()) ||
                   matchPattern(value, m_Zero())) &&
                  low[0] == 0 && high[0] == 0 && low[3] == 0 && high[3] == 0;
  return isAround && llvm::none_of(low, [](int64_t n) { return n < 0; }) &&
                 llvm::none_of(high, [](int64_t n) { return n < 0; })
             ? pad
             : tensor::PadOp();
}

/// Writes some rows of windows, one contiguous piece of the input at a time.
class WindowFiller {
public:
  WindowFiller(Operation *before, linalg::GenericOp gather)
      : builder(before), loc(gather.getLoc()),
        w(Windows::from(gather->getAttrOfType<DenseI64ArrayAttr>(windowsMark)
                            .asArrayRef())),
        input(gather.getInputs()[0]) {
    tensor::PadOp pad = paddingOf(input);
    if (!pad)
      return;
    input = pad.getSource();
    w.top = pad.getStaticLow()[1];
    w.left = pad.getStaticLow()[2];
    w.bottom = pad.getStaticHigh()[1];
    w.right = pad.getStaticHigh()[2];
  }

  /// `count` rows from `first` on, in a tensor of their own.
  Value fill(OpFoldResult first, OpFoldResult count) {
    element = getElementTypeOrSelf(input.getType());
    zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
    SmallVector<OpFoldResult> sizes = {count, builder.getIndexAttr(w.size())};
    Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
    Value end = getValueOrCreateConstantIndexOp(builder, loc, count);
    Value begin = getValueOrCreateConstantIndexOp(builder, loc, first);
    lines = collapse(builder, loc, input, {{0}, {1}, {2, 3}});
    return loop(end, empty, [&](Value row, Value rows) {
      Value pixel = arith::AddIOp::create(builder, loc, begin, row);
      return fillRow(row, pixel, rows);
    });
  }

private:
  using Body = llvm::function_ref<Value(Value, Value)>;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value apply(AffineExpr expression, ValueRange values) {
    return affine::AffineApplyOp::create(
        builder, loc,
        AffineMap::get(static_cast<unsigned>(values.size()), 0, expression),
        values);
  }
  void yield(OpBuilder &inside, llvm::function_ref<Value()> value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(inside.saveInsertionPoint());
    scf::YieldOp::create(builder, loc, value());
  }

  /// From 0 on; steps of one are what loop-invariant code motion moves.
  Value loop(Value count, Value carried, Body body) {
    auto loop = scf::ForOp::create(builder, loc, index(0), count, index(1),
                                   ValueRange{carried});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
    scf::YieldOp::create(builder, loc, next);
    return loop.getResult(0);
  }

  Value fillRow(Value row, Value pixel, Value rows) {
    AffineExpr p;
    bindDims(builder.getContext(), p);
    Value image = apply(p.floorDiv(w.height * w.width), pixel);
    Value line =
        apply((p.floorDiv(w.width) % w.height) * w.rowStride - w.top, pixel);
    Value column = apply((p % w.width) * w.columnStride - w.left, pixel);
    if (!w.isPadded())
      return copyWindow({image, line, column}, row, rows);
    auto shape = cast<RankedTensorType>(input.getType()).getShape();
    Value isInside =
        both(isWithin(line, shape[1] - (w.rows - 1) * w.rowDilation),
             isWithin(column, shape[2] - (w.columns - 1) * w.columnDilation));
    return choose(
        isInside,
        [&] {
          return copyWindow({image, line, column}, row, rows);
        },
        [&] {
          return copyPixels({image, line, column}, row, rows);
        });
  }

  Value both(Value a, Value b) {
    return arith::AndIOp::create(builder, loc, a, b);
  }
  /// Whether 0 <= value < end.
  Value isWithin(Value value, int64_t end) {
    if (end <= 0)
      return arith::ConstantIntOp::create(builder, loc, 0, 1);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, value,
                                 index(end));
  }
  Value choose(Value condition, llvm::function_ref<Value()> yes,
               llvm::function_ref<Value()> no) {
    auto choice = scf::IfOp::create(
        builder, loc, condition,
        [&](OpBuilder &inside, Location) { yield(inside, yes); },
        [&](OpBuilder &inside, Location) { yield(inside, no); });
    return choice.getResult(0);
  }

  /// The window at a pixel, all of it inside the input. Its lines are
  /// contiguous, unless its columns are spread.
  Value copyWindow(ArrayRef<Value> from, Value row, Value rows) {
    AffineExpr p, k;
    bindDims(builder.getContext(), p, k);
    bool isSpread = w.columnDilation != 1 && w.columns > 1;
    int64_t pieces = isSpread ? w.columns : 1;
    int64_t length = w.channels * w.columns / pieces;
    return loop(index(w.rows), rows, [&](Value y, Value inner) {
      Value line = apply(p + k * w.rowDilation, {from[1], y});
      for (int64_t x = 0; x < pieces; ++x) {
        Value start = apply((p + x * w.columnDilation) * w.channels, from[2]);
        Value to = apply(p * (w.columns * w.channels) + x * length, y);
        inner = copy({from[0], line, start}, {row, to}, length, inner);
      }
      return inner;
    });
  }

  /// The same where part of it is outside: zeros there.
  Value copyPixels(ArrayRef<Value> from, Value row, Value rows) {
    AffineExpr p, k;
    bindDims(builder.getContext(), p, k);
    auto shape = cast<RankedTensorType>(input.getType()).getShape();
    return loop(index(w.rows), rows, [&](Value y, Value lines) {
      Value line = apply(p + k * w.rowDilation, {from[1], y});
      return loop(index(w.columns), lines, [&](Value x, Value inner) {
        Value column = apply(p + k * w.columnDilation, {from[2], x});
        Value to = apply((p * w.columns + k) * w.channels, {y, x});
        Value start = apply(p * w.channels, column);
        return choose(
            both(isWithin(line, shape[1]), isWithin(column, shape[2])),
            [&] {
              return copy({from[0], line, start}, {row, to}, w.channels, inner);
            },
            [&] {
              return copy({}, {row, to}, w.channels, inner);
            });
      });
    });
  }

  /// Copies `length` neighbours, in vectors as long as fit; zeros from nowhere.
  Value copy(ArrayRef<Value> from, ArrayRef<Value> to, int64_t length,
             Value rows) {
    int64_t done = 0;
    for (int64_t size : {64, 16, 8, 4, 2, 1}) {
      int64_t pieces = (length - done) / size;
      if (pieces == 0)
        continue;
      AffineExpr piece = getAffineDimExpr(0, builder.getContext());
      rows = loop(index(pieces), rows, [&](Value number, Value inner) {
        Value at = apply(piece * size + done, number);
        return copyVector(from, to, at, size, inner);
      });
      done += pieces * size;
    }
    return rows;
  }

  Value copyVector(ArrayRef<Value> from, ArrayRef<Value> to, Value at,
                   int64_t size, Value rows) {
    auto type = VectorType::get({size}, element);
    SmallVector<Value> source(from), target(to);
    target.back() = arith::AddIOp::create(builder, loc, target.back(), at);
    Value read;
    if (from.empty()) {
      read = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    } else {
      source.back() = arith::AddIOp::create(builder, loc, source.back(), at);
      read = vector::TransferReadOp::create(builder, loc, type, lines, source,
                                            zero, ArrayRef<bool>{true});
    }
    return vector::TransferWriteOp::create(builder, loc, read, rows, target,
                                           ArrayRef<bool>{true})
        .getResult();
  }

  OpBuilder builder;
  Location loc;
  Windows w;
  Value input, lines, zero;
  Type element;
};

class FillWindowsPass : public PassWrapper<FillWindowsPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FillWindowsPass)

  StringRef getArgument() const override { return "lh-fill-windows"; }
  StringRef getDescription() const override {
    return "Windows are filled where a product reads them";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect, scf::SCFDialect,
                    tensor::TensorDialect, vector::VectorDialect>();
  }

private:
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> gathers;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (op->hasAttr(windowsMark))
        gathers.push_back(op);
    });
    for (linalg::GenericOp gather : gathers)
      fillWhereRead(gather);
  }

  /// Slices of whole rows by themselves; all at once for other readers.
  static void fillWhereRead(linalg::GenericOp gather) {
    for (Operation *user : llvm::make_early_inc_range(gather->getUsers())) {
      auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
      if (!slice || !holdsWholeRows(slice))
        continue;
      Value rows =
          WindowFiller(slice, gather)
              .fill(slice.getMixedOffsets()[0], slice.getMixedSizes()[0]);
      slice.replaceAllUsesWith(rows);
      slice.erase();
    }
    if (!gather->use_empty()) {
      OpBuilder builder(gather);
      auto shape = cast<RankedTensorType>(gather.getResult(0).getType());
      gather.getResult(0).replaceAllUsesWith(
          WindowFiller(gather, gather)
              .fill(builder.getIndexAttr(0),
                    builder.getIndexAttr(shape.getDimSize(0))));
    }
    gather->erase();
  }

  static bool holdsWholeRows(tensor::ExtractSliceOp slice) {
    return slice.getType().getRank() == 2 && slice.hasUnitStride() &&
           isConstantIntValue(slice.getMixedOffsets()[1], 0) &&
           slice.getType().getDimSize(1) == slice.getSourceType().getDimSize(1);
  }
};
} // namespace

void lh::registerWindowPasses() {
  PassRegistration<GatherWindowsPass>();
  PassRegistration<FillWindowsPass>();
}
