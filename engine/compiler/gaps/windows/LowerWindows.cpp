// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over vectors of neighbours: the windows that products read, filled a
// few rows at a time, and Winograd's transforms of tiles, for which upstream's
// decomposition makes products of 6 x 6 matrices for each channel by itself.
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/products/Windows.h"
#include "compiler/gaps/windows/PaddedImage.h"
#include "compiler/gaps/windows/Winograd.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_LOWERWINDOWSPASS
#define GEN_PASS_DEF_LOWERWINDOWSPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Vectors of neighbours
//===----------------------------------------------------------------------===//

namespace {
/// Reads and writes neighbours in vectors of `sizes`, the longest first.
class VectorLoops : protected TensorBuilder {
protected:
  VectorLoops(Operation *before, Location loc, Type element,
              ArrayRef<int64_t> sizes)
      : TensorBuilder(position, loc), element(element), sizes(sizes),
        position(before) {}

  Value sum(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value constant(VectorType type, Attribute number) {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, number));
  }
  Value read(Value from, ArrayRef<Value> at, VectorType type) {
    return vector::TransferReadOp::create(builder, loc, type, from, at,
                                          zero(element), ArrayRef<bool>{true});
  }
  Value write(Value value, Value into, ArrayRef<Value> at) {
    return vector::TransferWriteOp::create(builder, loc, value, into, at,
                                           ArrayRef<bool>{true})
        .getResult();
  }

  /// What `step` makes of `carried` for each piece of `length` neighbours: from
  /// where on, as a vector of which type.
  Value strips(
      int64_t length, Value carried,
      llvm::function_ref<Value(Value at, VectorType type, Value into)> step) {
    int64_t done = 0;
    for (int64_t size : sizes) {
      int64_t count = (length - done) / size;
      if (count == 0)
        continue;
      auto type = VectorType::get({size}, element);
      AffineExpr place = builder.getAffineDimExpr(0) * size + done;
      carried = loop(index(count), carried, [&](Value strip, Value into) {
        return step(apply(place, strip), type, into);
      });
      done += count * size;
    }
    return carried;
  }

  Type element;
  ArrayRef<int64_t> sizes;

private:
  OpBuilder position;
};
} // namespace

//===----------------------------------------------------------------------===//
// Windows side by side
//===----------------------------------------------------------------------===//

namespace {
/// Writes some rows of windows, one contiguous piece of the input at a time.
class WindowFiller : VectorLoops {
public:
  WindowFiller(Operation *before, linalg::GenericOp gather,
               ArrayRef<int64_t> sizes)
      : VectorLoops(before, gather.getLoc(),
                    getElementTypeOrSelf(gather.getResult(0)), sizes),
        w(*Windows::from(gather->getAttr(windowsMark))),
        input(gather.getInputs()[0]) {
    std::optional<PaddedImage> image = paddedImage(input, 4);
    if (!image || !image->number)
      return;
    input = image->pad.getSource();
    filling = image->number;
    w.top = image->top;
    w.left = image->left;
    w.bottom = image->bottom;
    w.right = image->right;
  }

  /// `count` rows of a group from `first` on, in a tensor of their own.
  Value fill(OpFoldResult group, OpFoldResult first, OpFoldResult count) {
    if (w.groups > 1)
      base = apply(builder.getAffineDimExpr(0) * w.channels,
                   getValueOrCreateConstantIndexOp(builder, loc, group));
    SmallVector<OpFoldResult> shape = {count, builder.getIndexAttr(w.size())};
    Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
    Value end = getValueOrCreateConstantIndexOp(builder, loc, count);
    Value begin = getValueOrCreateConstantIndexOp(builder, loc, first);
    lines = collapsed(input, {{0}, {1}, {2, 3}});
    return loop(end, empty, [&](Value row, Value rows) {
      return fillRow(row, sum(begin, row), rows);
    });
  }

private:
  Value fillRow(Value row, Value pixel, Value rows) {
    AffineExpr p = builder.getAffineDimExpr(0);
    Value image = apply(p.floorDiv(w.height * w.width), pixel);
    Value line =
        apply((p.floorDiv(w.width) % w.height) * w.rowStride - w.top, pixel);
    Value column = apply((p % w.width) * w.columnStride - w.left, pixel);
    // Lines inside of the input are contiguous, unless columns are spread.
    bool isSpread = (w.columnDilation != 1 || w.groups > 1) && w.columns > 1;
    auto copy = [&](int64_t pieces, bool mayBeOutside) {
      return copyWindow({image, line, column}, row, rows, pieces, mayBeOutside);
    };
    auto inside = [&] { return copy(isSpread ? w.columns : 1, false); };
    if (!w.isPadded())
      return inside();
    return choose(isInside(line, (w.rows - 1) * w.rowDilation, column,
                           (w.columns - 1) * w.columnDilation),
                  inside, [&] { return copy(w.columns, true); });
  }

  /// Where the group's channels begin in a pixel.
  Value inGroup(Value pixel) { return base ? sum(pixel, base) : pixel; }

  /// Whether a pixel of the input is there, and the one so much further.
  Value isInside(Value line, int64_t down, Value column, int64_t across) {
    int64_t height = typeOf(input).getShape()[1] - down,
            width = typeOf(input).getShape()[2] - across;
    if (height <= 0 || width <= 0)
      return arith::ConstantIntOp::create(builder, loc, 0, 1);
    auto isBelow = [&](Value value, int64_t end) -> Value {
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                   value, index(end));
    };
    return arith::AndIOp::create(builder, loc, isBelow(line, height),
                                 isBelow(column, width));
  }

  Value choose(Value condition, llvm::function_ref<Value()> yes,
               llvm::function_ref<Value()> no) {
    auto branch = [&](llvm::function_ref<Value()> value) {
      return [this, value](OpBuilder &, Location) {
        scf::YieldOp::create(builder, loc, value());
      };
    };
    return scf::IfOp::create(builder, loc, condition, branch(yes), branch(no))
        .getResult(0);
  }

  /// The window at a pixel, each of its lines in so many pieces: the padding's
  /// number where these may be outside of the input, and are.
  Value copyWindow(ArrayRef<Value> from, Value row, Value rows, int64_t pieces,
                   bool mayBeOutside) {
    AffineExpr p, k;
    bindDims(builder.getContext(), p, k);
    int64_t length = w.channels * w.columns / pieces;
    return loop(index(w.rows), rows, [&](Value y, Value lines) {
      Value line = apply(p + k * w.rowDilation, {from[1], y});
      auto piece = [&](Value x, Value inner) {
        Value column = apply(p + k * w.columnDilation, {from[2], x});
        Value to = apply((p * pieces + k) * length, {y, x});
        Value start = inGroup(apply(p * w.pixel(), column));
        auto inside = [&] {
          return copy({from[0], line, start}, {row, to}, length, inner);
        };
        auto outside = [&] { return copy({}, {row, to}, length, inner); };
        return mayBeOutside
                   ? choose(isInside(line, 0, column, 0), inside, outside)
                   : inside();
      };
      if (mayBeOutside)
        return loop(index(pieces), lines, piece);
      for (int64_t x = 0; x < pieces; ++x)
        lines = piece(index(x), lines);
      return lines;
    });
  }

  /// Copies `length` neighbours; padding from nowhere.
  Value copy(ArrayRef<Value> from, ArrayRef<Value> to, int64_t length,
             Value rows) {
    return strips(length, rows, [&](Value at, VectorType type, Value into) {
      SmallVector<Value> source(from), target(to);
      target.back() = sum(target.back(), at);
      if (from.empty())
        return write(constant(type, filling), into, target);
      source.back() = sum(source.back(), at);
      return write(read(lines, source, type), into, target);
    });
  }

  Windows w;
  Value input, lines;
  Value base;        ///< of the group's channels; null where there is one group
  TypedAttr filling; ///< around the image
};
} // namespace

/// Rows of one group, or of the only one.
static bool holdsWholeRows(tensor::ExtractSliceOp slice) {
  int64_t rank = slice.getSourceType().getRank();
  auto last = static_cast<unsigned>(rank - 1);
  return slice.getType().getRank() == rank && slice.hasUnitStride() &&
         (rank == 2 || slice.getType().getDimSize(0) == 1) &&
         isConstantIntValue(slice.getMixedOffsets()[last], 0) &&
         slice.getType().getDimSize(last) ==
             slice.getSourceType().getDimSize(last);
}

static Value windowsIn(tensor::ExtractSliceOp slice, linalg::GenericOp gather,
                       ArrayRef<int64_t> sizes) {
  SmallVector<OpFoldResult> from = slice.getMixedOffsets(),
                            count = slice.getMixedSizes();
  OpBuilder builder(slice);
  size_t row = from.size() - 2;
  Value rows =
      WindowFiller(slice, gather, sizes).fill(from[0], from[row], count[row]);
  if (row == 0)
    return rows;
  return tensor::ExpandShapeOp::create(
      builder, slice.getLoc(), slice.getType(), rows,
      ArrayRef<ReassociationIndices>{{0, 1}, {2}}, count);
}

/// Whether several blocks of columns read each row, and all rows are few enough
/// to stay in a cache from one block to the next.
static bool isKept(linalg::GenericOp gather, tensor::ExtractSliceOp slice,
                   int64_t keptBytes) {
  RankedTensorType type = typeOf(gather.getResult(0));
  if (type.getRank() != 2 ||
      type.getNumElements() * type.getElementTypeBitWidth() / 8 > keptBytes)
    return false;
  auto blocks = slice->getParentOfType<scf::ForallOp>();
  if (!blocks || blocks->isAncestor(gather))
    return false;
  SmallVector<OpFoldResult> ends = blocks.getMixedUpperBound(),
                            steps = blocks.getMixedStep();
  return !llvm::equal(ends, steps);
}

/// Slices of whole rows by themselves; all at once for other readers, and where
/// they are kept. Groups that others read stay: the op is right as it stands.
static void fillWhereRead(linalg::GenericOp gather, ArrayRef<int64_t> sizes,
                          int64_t keptBytes) {
  for (Operation *user : llvm::make_early_inc_range(gather->getUsers()))
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
        slice && holdsWholeRows(slice) && !isKept(gather, slice, keptBytes)) {
      slice.replaceAllUsesWith(windowsIn(slice, gather, sizes));
      slice.erase();
    }
  Value all = gather.getResult(0);
  Builder builder(gather.getContext());
  if (!all.use_empty() && typeOf(all).getShape().size() == 2)
    all.replaceAllUsesWith(
        WindowFiller(gather, gather, sizes)
            .fill(builder.getIndexAttr(0), builder.getIndexAttr(0),
                  builder.getIndexAttr(typeOf(all).getShape()[0])));
  if (all.use_empty())
    gather.erase();
}

//===----------------------------------------------------------------------===//
// Winograd's transforms
//===----------------------------------------------------------------------===//

namespace {
/// Loops over tiles and channels round one transform.
class TransformLowering : VectorLoops {
public:
  TransformLowering(Operation *op, ArrayRef<int64_t> sizes)
      : VectorLoops(op, op->getLoc(),
                    getElementTypeOrSelf(op->getResult(0).getType()), sizes),
        input(op->getOperand(0)), output(op->getOperand(1)),
        isInput(isa<linalg::WinogradInputTransformOp>(op)) {}

  /// From [image][row][column][channel] to [6][6][row][column][image][channel],
  /// or the way back, a tile at a time.
  Value lower() {
    ArrayRef<int64_t> tiles =
        typeOf(isInput ? output : input).getShape().drop_front(2);
    return loop(index(tiles[0]), output, [&](Value row, Value rows) {
      return loop(index(tiles[1]), rows, [&](Value column, Value columns) {
        return loop(index(tiles[2]), columns, [&](Value image, Value into) {
          return strips(
              tiles[3], into, [&](Value channel, VectorType type, Value part) {
                return transform({row, column, image, channel}, type, part);
              });
        });
      });
    });
  }

private:
  using Line = std::array<Value, winogradSpan>;
  using Grid = std::array<Line, winogradSpan>;
  struct Place {
    Value row, column, image, channel;
  };

  Value transform(const Place &at, VectorType type, Value into) {
    Grid grid;
    for (int64_t y = 0; y < winogradSpan; ++y)
      for (int64_t x = 0; x < winogradSpan; ++x)
        grid[y][x] =
            read(input, isInput ? pixel(at, y, x) : number(at, y, x), type);
    int64_t lines = isInput ? winogradSpan : winogradStep;
    for (Line &line : grid)
      change(line);
    turn(grid);
    for (Line &line : MutableArrayRef(grid).take_front(lines))
      change(line);
    turn(grid);
    for (int64_t y = 0; y < lines; ++y)
      for (int64_t x = 0; x < lines; ++x)
        into = write(grid[y][x], into,
                     isInput ? number(at, y, x) : pixel(at, y, x));
    return into;
  }

  /// Where a tile's pixel is in the image, and where its number is among those
  /// of all tiles.
  SmallVector<Value> pixel(const Place &at, int64_t y, int64_t x) {
    AffineExpr tile = builder.getAffineDimExpr(0) * winogradStep;
    return {at.image, apply(tile + y, at.row), apply(tile + x, at.column),
            at.channel};
  }
  SmallVector<Value> number(const Place &at, int64_t y, int64_t x) {
    return {index(y), index(x), at.row, at.column, at.image, at.channel};
  }

  /// a * factor + b.
  Value madd(Value a, double factor, Value b) {
    Value times = constant(cast<VectorType>(a.getType()),
                           builder.getFloatAttr(element, factor));
    return vector::FMAOp::create(builder, loc, a, times, b);
  }
  Value plus(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value minus(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  static void turn(Grid &grid) {
    for (int64_t y = 0; y < winogradSpan; ++y)
      for (int64_t x = 0; x < y; ++x)
        std::swap(grid[y][x], grid[x][y]);
  }

  /// B^T d, or A^T m in the first four.
  void change(Line &line) { isInput ? changeInput(line) : changeOutput(line); }

  void changeInput(Line &d) {
    Value even = madd(d[2], -4, d[4]), odd = madd(d[1], -4, d[3]);
    Value outer = minus(d[4], d[2]), inner = minus(d[3], d[1]);
    Value first = madd(d[2], -5, madd(d[0], 4, d[4]));
    Value last = madd(d[3], -5, madd(d[1], 4, d[5]));
    d = {first,
         plus(even, odd),
         minus(even, odd),
         madd(inner, 2, outer),
         madd(inner, -2, outer),
         last};
  }

  void changeOutput(Line &m) {
    Value a = plus(m[1], m[2]), b = minus(m[1], m[2]);
    Value c = plus(m[3], m[4]), d = minus(m[3], m[4]);
    m = {plus(plus(m[0], a), c),    madd(d, 2, b), madd(c, 4, a),
         plus(madd(d, 8, b), m[5]), Value(),       Value()};
  }

  Value input, output;
  bool isInput;
};
} // namespace

template <typename Op> static bool isFourByThree(Operation *op) {
  auto transform = dyn_cast<Op>(op);
  return transform && transform.getFmr() == linalg::WinogradConv2DFmr::F_4_3 &&
         transform->getNumResults() == 1 &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           return cast<ShapedType>(type).hasStaticShape();
         });
}

namespace {
struct LowerWindowsPass : lh::impl::LowerWindowsPassBase<LowerWindowsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<int64_t> lengths(copies.begin(), copies.end()), lanes;
    lengths.push_back(1);
    for (int64_t size = bits / 32; size > 0; size /= 2)
      lanes.push_back(size);
    SmallVector<linalg::GenericOp> gathers;
    SmallVector<Operation *> transforms;
    getOperation()->walk([&](Operation *op) {
      if (Windows::from(op->getAttr(windowsMark)))
        gathers.push_back(cast<linalg::GenericOp>(op));
      else if (isFourByThree<linalg::WinogradInputTransformOp>(op) ||
               isFourByThree<linalg::WinogradOutputTransformOp>(op))
        transforms.push_back(op);
    });
    for (linalg::GenericOp gather : gathers)
      fillWhereRead(gather, lengths, keptBytes);
    for (Operation *op : transforms) {
      op->getResult(0).replaceAllUsesWith(TransformLowering(op, lanes).lower());
      op->erase();
    }
  }
};
} // namespace
