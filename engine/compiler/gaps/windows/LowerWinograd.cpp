// Winograd's transforms of tiles, with vectors of channels. Upstream's
// decomposition makes products of 6 x 6 matrices for each channel by itself.

#include "compiler/gaps/TensorBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_LOWERWINOGRADPASS
#define GEN_PASS_DEF_LOWERWINOGRADPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

static constexpr unsigned step = 4, span = 6;

namespace {
/// Loops over tiles and channels round one transform.
class TransformLowering {
public:
  TransformLowering(Operation *op, int64_t lanes)
      : builder(op), loc(op->getLoc()), tensors(builder, loc),
        input(op->getOperand(0)), output(op->getOperand(1)),
        element(getElementTypeOrSelf(output.getType())), lanes(lanes) {}

  /// From [image][row][column][channel] to [6][6][row][column][image][channel].
  Value lowerInput() {
    return loops(shapeOf(output).drop_front(2), [&](const Place &at) {
      Grid d;
      for (unsigned y = 0; y < span; ++y)
        for (unsigned x = 0; x < span; ++x)
          d[y][x] = read(
              {at.image, pixel(at.row, y), pixel(at.column, x), at.channel},
              at.type);
      for (auto &row : d)
        transformInput(row);
      turn(d);
      for (auto &row : d)
        transformInput(row);
      turn(d);
      Value into = at.into;
      for (unsigned y = 0; y < span; ++y)
        for (unsigned x = 0; x < span; ++x)
          into = write(
              d[y][x], into,
              {index(y), index(x), at.row, at.column, at.image, at.channel});
      return into;
    });
  }

  /// The way back, by step x step pixels.
  Value lowerOutput() {
    return loops(shapeOf(input).drop_front(2), [&](const Place &at) {
      Grid m;
      for (unsigned y = 0; y < span; ++y)
        for (unsigned x = 0; x < span; ++x)
          m[y][x] = read(
              {index(y), index(x), at.row, at.column, at.image, at.channel},
              at.type);
      for (auto &row : m)
        transformOutput(row);
      turn(m);
      for (unsigned x = 0; x < step; ++x)
        transformOutput(m[x]);
      Value into = at.into;
      for (unsigned y = 0; y < step; ++y)
        for (unsigned x = 0; x < step; ++x)
          into = write(
              m[x][y], into,
              {at.image, pixel(at.row, y), pixel(at.column, x), at.channel});
      return into;
    });
  }

private:
  using Line = std::array<Value, span>;
  using Grid = std::array<Line, span>;
  struct Place {
    Value row, column, image, channel, into;
    VectorType type;
  };

  static ArrayRef<int64_t> shapeOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }
  Value index(int64_t value) { return tensors.index(value); }
  Value pixel(Value tile, unsigned offset) {
    return tensors.apply(builder.getAffineDimExpr(0) * step + offset, tile);
  }
  Value read(ArrayRef<Value> at, VectorType type) {
    return vector::TransferReadOp::create(builder, loc, type, input, at,
                                          tensors.zero(element),
                                          ArrayRef<bool>{true});
  }
  Value write(Value value, Value into, ArrayRef<Value> at) {
    return vector::TransferWriteOp::create(builder, loc, value, into, at,
                                           ArrayRef<bool>{true})
        .getResult();
  }
  /// a * factor + b.
  Value madd(Value a, double factor, Value b) {
    auto type = cast<VectorType>(a.getType());
    Value constant = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, Attribute(builder.getFloatAttr(element, factor))));
    return vector::FMAOp::create(builder, loc, a, constant, b);
  }
  Value add(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value subtract(Value a, Value b) {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  static void turn(Grid &grid) {
    for (unsigned y = 0; y < span; ++y)
      for (unsigned x = 0; x < y; ++x)
        std::swap(grid[y][x], grid[x][y]);
  }

  /// B^T d.
  void transformInput(Line &d) {
    Value even = madd(d[2], -4, d[4]), odd = madd(d[1], -4, d[3]);
    Value outer = subtract(d[4], d[2]), inner = subtract(d[3], d[1]);
    Value first = madd(d[2], -5, madd(d[0], 4, d[4]));
    Value last = madd(d[3], -5, madd(d[1], 4, d[5]));
    d = {first,
         add(even, odd),
         subtract(even, odd),
         madd(inner, 2, outer),
         madd(inner, -2, outer),
         last};
  }

  /// A^T m, in the first four.
  void transformOutput(Line &m) {
    Value a = add(m[1], m[2]), b = subtract(m[1], m[2]);
    Value c = add(m[3], m[4]), d = subtract(m[3], m[4]);
    m = {add(add(m[0], a), c),     madd(d, 2, b), madd(c, 4, a),
         add(madd(d, 8, b), m[5]), Value(),       Value()};
  }

  Value loop(int64_t count, Value carried,
             llvm::function_ref<Value(Value, Value)> body) {
    if (count == 1)
      return body(index(0), carried);
    return tensors.loop(index(count), carried, body);
  }

  /// Over [rows][columns][images][channels]; channels by vectors that get
  /// shorter towards the end.
  Value loops(ArrayRef<int64_t> sizes,
              llvm::function_ref<Value(const Place &)> body) {
    return loop(sizes[0], output, [&](Value row, Value rows) {
      return loop(sizes[1], rows, [&](Value column, Value columns) {
        return loop(sizes[2], columns, [&](Value image, Value into) {
          return strips(sizes[3], {row, column, image, Value(), into, {}},
                        body);
        });
      });
    });
  }

  Value strips(int64_t channels, Place at,
               llvm::function_ref<Value(const Place &)> body) {
    AffineExpr number = builder.getAffineDimExpr(0);
    int64_t done = 0;
    for (int64_t size = lanes; size > 0; size /= 2) {
      int64_t count = (channels - done) / size;
      if (count == 0)
        continue;
      at.type = VectorType::get({size}, element);
      at.into = loop(count, at.into, [&](Value strip, Value into) {
        Place here = at;
        here.channel = tensors.apply(number * size + done, strip);
        here.into = into;
        return body(here);
      });
      done += count * size;
    }
    return at.into;
  }

  OpBuilder builder;
  Location loc;
  TensorBuilder tensors;
  Value input, output;
  Type element;
  int64_t lanes;
};

struct LowerWinogradPass : lh::impl::LowerWinogradPassBase<LowerWinogradPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> transforms;
    getOperation()->walk([&](Operation *op) {
      if (isFourByThree<linalg::WinogradInputTransformOp>(op) ||
          isFourByThree<linalg::WinogradOutputTransformOp>(op))
        transforms.push_back(op);
    });
    for (Operation *op : transforms) {
      TransformLowering lowering(op, bits / 32);
      Value result = isa<linalg::WinogradInputTransformOp>(op)
                         ? lowering.lowerInput()
                         : lowering.lowerOutput();
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }

  template <typename Op> static bool isFourByThree(Operation *op) {
    auto transform = dyn_cast<Op>(op);
    return transform &&
           transform.getFmr() == linalg::WinogradConv2DFmr::F_4_3 &&
           transform->getNumResults() == 1 &&
           llvm::all_of(op->getOperandTypes(), [](Type type) {
             return cast<ShapedType>(type).hasStaticShape();
           });
  }
};
} // namespace
