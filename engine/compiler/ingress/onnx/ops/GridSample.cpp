// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GridSample: reads an image at normalised positions.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Sampling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

namespace {
enum class GridMode { Nearest, Linear, Cubic };
enum class GridPadding { Zeros, Border, Reflection };

struct GridSampling {
  GridMode mode = GridMode::Linear;
  GridPadding padding = GridPadding::Zeros;
  bool alignsCorners = false;
  unsigned rank = 0; ///< spatial
  DType element = DType::Float32;
  DType gridElement = DType::Float32;
  DType compute = DType::Float32;  ///< weights and sums
  DType position = DType::Float32; ///< coordinates
};
} // namespace

/// From [-1, 1] to element positions.
static Value denormalized(const Scalars &p, const GridSampling &sampling,
                          Value coordinate, Value size) {
  Value one = p.number(1), two = p.number(2);
  Value length = numberOf(p, size);
  Value shifted = p.add(coordinate, one);
  if (sampling.alignsCorners)
    return p.mul(p.div(shifted, two), p.sub(length, one));
  return p.div(p.sub(p.mul(shifted, length), one), two);
}

/// The positions between which an image is reflected: its outer elements'
/// centres or borders.
struct Border {
  Value low, high;
};

static Border borderOf(const Scalars &p, const GridSampling &sampling,
                       Value size) {
  Value length = numberOf(p, size);
  if (sampling.alignsCorners)
    return {p.number(0), p.sub(length, p.number(1))};
  return {p.number(-0.5), p.sub(length, p.number(0.5))};
}

/// Reflects `x` at the nearer border until it lies between both.
static Value reflected(const Scalars &p, const Border &border, Value x) {
  Value range = p.sub(border.high, border.low);
  Value isPoint = p.lessEqual(range, p.number(0));
  Value safe = p.select(isPoint, p.number(1), range);
  Value below = p.less(x, border.low), above = p.less(border.high, x);
  Value distance = p.select(below, p.sub(border.low, x), p.sub(x, border.high));
  Value times = floorOf(p, p.div(distance, safe));
  Value rest = p.sub(distance, p.mul(times, safe));
  Value half = floorOf(p, p.mul(times, p.number(0.5)));
  Value isEven = p.equal(times, p.mul(half, p.number(2)));
  Value fromLow = p.add(border.low, rest), fromHigh = p.sub(border.high, rest);
  Value whenBelow = p.select(isEven, fromLow, fromHigh);
  Value whenAbove = p.select(isEven, fromHigh, fromLow);
  Value result = p.select(below, whenBelow, p.select(above, whenAbove, x));
  return p.select(isPoint, border.low, result);
}

/// What lies beyond the borders is brought back as the padding mode says.
static Value broughtInside(const Scalars &p, const GridSampling &sampling,
                           Value x, Value size) {
  if (sampling.padding == GridPadding::Zeros)
    return x;
  Border border = borderOf(p, sampling, size);
  if (sampling.padding == GridPadding::Reflection)
    return reflected(p, border, x);
  Value last = p.sub(numberOf(p, size), p.number(1));
  Value result = p.select(p.less(x, border.low), p.number(0), x);
  return p.select(p.less(border.high, x), last, result);
}

/// An integer position reflected into [0, size).
static Value reflectedIndex(OpBuilder &b, Location loc, Value index, Value size,
                            bool alignsCorners) {
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  Value last = indexSub(b, loc, size, one);
  Value half = alignsCorners ? last : size;
  Value period = indexAdd(b, loc, half, half);
  period = arith::MaxSIOp::create(b, loc, period, one);
  Value rest = indexRem(b, loc, index, period);
  rest = indexSelect(b, loc, indexLess(b, loc, rest, zero),
                     indexAdd(b, loc, rest, period), rest);
  Value top = alignsCorners ? period : indexSub(b, loc, period, one);
  Value back = indexSub(b, loc, top, rest);
  Value result = indexSelect(b, loc, indexLess(b, loc, last, rest), back, rest);
  return clampIndex(b, loc, result, size);
}

static Tap tapAt(OpBuilder &b, Location loc, const GridSampling &sampling,
                 Value index, Value size) {
  switch (sampling.padding) {
  case GridPadding::Zeros:
    return {clampIndex(b, loc, index, size), Value(),
            isInsideOf(b, loc, index, size)};
  case GridPadding::Border:
    return {clampIndex(b, loc, index, size), Value(), Value()};
  case GridPadding::Reflection:
    break;
  }
  return {reflectedIndex(b, loc, index, size, sampling.alignsCorners), Value(),
          Value()};
}

static SmallVector<Tap> tapsOf(OpBuilder &b, Location loc,
                               const GridSampling &sampling, Value coordinate,
                               Value size) {
  Scalars p(b, loc, sampling.position);
  Value x = denormalized(p, sampling, coordinate, size);
  if (sampling.mode == GridMode::Nearest) {
    Value nearest = math::RoundEvenOp::create(p.builder, p.loc, x);
    x = broughtInside(p, sampling, nearest, size);
    return {tapAt(b, loc, sampling, indexOf(p, x), size)};
  }
  x = broughtInside(p, sampling, x, size);
  Value base = floorOf(p, x);
  Value fraction = convertScalar(b, loc, p.sub(x, base), sampling.position,
                                 sampling.compute);
  Scalars s(b, loc, sampling.compute);
  bool isCubic = sampling.mode == GridMode::Cubic;
  SmallVector<Value> weights =
      isCubic ? cubicWeights(s, fraction, -0.75)
              : SmallVector<Value>{s.sub(s.number(1), fraction), fraction};
  Value first = indexOf(p, base);
  SmallVector<Tap> taps;
  for (auto [k, weight] : llvm::enumerate(weights)) {
    int64_t offset = static_cast<int64_t>(k) - (isCubic ? 1 : 0);
    Value index = indexAdd(b, loc, first, indexConstant(b, loc, offset));
    taps.push_back(tapAt(b, loc, sampling, index, size));
    taps.back().weight = weight;
  }
  return taps;
}

static LogicalResult readModes(NodeContext &node, GridSampling &sampling) {
  std::string mode = node.text("mode", node.opset < 20 ? "bilinear" : "linear");
  std::string padding = node.text("padding_mode", "zeros");
  sampling.alignsCorners = node.integer("align_corners", 0) != 0;
  if (mode == "nearest")
    sampling.mode = GridMode::Nearest;
  else if (mode == "cubic" || mode == "bicubic")
    sampling.mode = GridMode::Cubic;
  else if (mode != "linear" && mode != "bilinear")
    return node.error("unknown mode '" + mode + "'");
  if (padding == "border")
    sampling.padding = GridPadding::Border;
  else if (padding == "reflection")
    sampling.padding = GridPadding::Reflection;
  else if (padding != "zeros")
    return node.error("unknown padding_mode '" + padding + "'");
  return success();
}

/// Images of integers are interpolated in float64, half types in float32.
static DType computeTypeOf(DType dtype) {
  if (dtype == DType::Float32 || dtype == DType::Float16 ||
      dtype == DType::BFloat16)
    return DType::Float32;
  return DType::Float64;
}

static FailureOr<GridSampling> readSampling(NodeContext &node) {
  GridSampling sampling;
  int64_t rank = node.rank(0);
  bool fits = rank >= 3 && node.rank(1) == rank && isFloat(node.dtype(1)) &&
              tensorTypeOf(node.in(1)).getShape().back() == rank - 2 &&
              mayBeSame(node.emit, node.in(0), node.in(1), 0);
  if (!fits)
    return node.error("the grid of shape " + shapeText(node.in(1)) +
                          " does not fit the input of shape " +
                          shapeText(node.in(0)),
                      DiagKind::IngressShapeMismatch);
  sampling.rank = static_cast<unsigned>(rank - 2);
  sampling.element = node.dtype();
  sampling.gridElement = node.dtype(1);
  sampling.compute = computeTypeOf(node.dtype());
  sampling.position = computeTypeOf(node.dtype(1));
  if (failed(readModes(node, sampling)))
    return failure();
  return sampling;
}

static LogicalResult gridSample(NodeContext &node) {
  FailureOr<GridSampling> read = readSampling(node);
  if (failed(read))
    return failure();
  const GridSampling &sampling = *read;
  Emitter &emit = node.emit;
  Value input = node.in(0), grid = node.in(1);
  Sizes own = emit.sizesOf(input), sizes = emit.sizesOf(grid);
  sizes.pop_back();
  sizes.insert(sizes.begin() + 1, own[1]);
  SmallVector<Value> extents = emit.asValues(ArrayRef(own).drop_front(2));
  bool isNearest = sampling.mode == GridMode::Nearest;
  DType compute = isNearest ? sampling.element : sampling.compute;
  auto element = [&](OpBuilder &b, Location loc, ValueRange at) {
    SmallVector<Value> gridAt{at[0]};
    gridAt.append(at.begin() + 2, at.end());
    gridAt.push_back(Value());
    SmallVector<SmallVector<Tap>> taps;
    for (unsigned dim = 0; dim < sampling.rank; ++dim) {
      // The grid holds (x, y, z), the image's dimensions in reverse.
      gridAt.back() = indexConstant(b, loc, sampling.rank - 1 - dim);
      Value coordinate =
          convertScalar(b, loc, extractElement(b, loc, grid, gridAt),
                        sampling.gridElement, sampling.position);
      taps.push_back(tapsOf(b, loc, sampling, coordinate, extents[dim]));
    }
    Value result = interpolate(
        Scalars(b, loc, compute), taps, [&](ArrayRef<Value> indices) {
          SmallVector<Value> from{at[0], at[1]};
          from.append(indices.begin(), indices.end());
          return convertScalar(b, loc, extractElement(b, loc, input, from),
                               sampling.element, compute);
        });
    return convertScalar(b, loc, result, compute, sampling.element);
  };
  return node.resultByPlace(sizes, node.dtype(), element);
}

void lh::addGridSampleOps(OpTable &table) {
  using namespace OpRule;
  table.add("GridSample", {16, 2, None, gridSample});
}
