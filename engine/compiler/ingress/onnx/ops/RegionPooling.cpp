// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RoiAlign and MaxRoiPool: a small grid of pooled values for every region of
// interest.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Sampling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace lh;
using namespace mlir;

namespace {
/// What both operators read; regions are rows of the tensor `rois`.
struct Regions {
  Value image, rois;
  Value batchCount, height, width;
  int64_t pooledHeight = 1, pooledWidth = 1;
  double scale = 1.0;
  DType dtype = DType::Float32;

  Value corner(OpBuilder &b, Location loc, Value region, int64_t k) const {
    return extractElement(b, loc, rois, {region, indexConstant(b, loc, k)});
  }
};

struct RoiAlign : Regions {
  Value batches;
  DType batchType = DType::Int64;
  int64_t samplingRatio = 0;
  bool isMaximum = false, isHalfPixel = false;
};

/// One dimension of a bin: where it starts, how long it is, how many samples.
struct Bin {
  Value start, length, count;
};
} // namespace

/// More samples than this in one dimension of a bin are no sensible region;
/// the bound keeps infinite regions from running for ever.
static constexpr int64_t maxSamples = 8192;

static LogicalResult checkSize(NodeContext &node, int64_t size) {
  if (size >= 1 && size < (1 << 16))
    return success();
  return node.error("a pooled size of " + Twine(size) + " is out of range");
}

static LogicalResult readRegions(NodeContext &node, Regions &regions,
                                 int64_t columns) {
  RankedTensorType rois = tensorTypeOf(node.in(1));
  bool fits = node.rank(0) == 4 && rois.getRank() == 2 &&
              (rois.isDynamicDim(1) || rois.getDimSize(1) == columns) &&
              node.dtype(1) == node.dtype(0);
  if (!fits)
    return node.error("regions of shape " + shapeText(node.in(1)) +
                          " do not fit an image of shape " +
                          shapeText(node.in(0)),
                      DiagKind::IngressShapeMismatch);
  if (failed(checkSize(node, regions.pooledHeight)) ||
      failed(checkSize(node, regions.pooledWidth)))
    return failure();
  Sizes sizes = node.emit.sizesOf(node.in(0));
  regions.image = node.in(0);
  regions.rois = node.in(1);
  regions.batchCount = node.emit.asValue(sizes[0]);
  regions.height = node.emit.asValue(sizes[2]);
  regions.width = node.emit.asValue(sizes[3]);
  regions.scale = node.number("spatial_scale", 1.0);
  regions.dtype = node.dtype();
  return success();
}

static Sizes pooledSizes(NodeContext &node, const Regions &regions) {
  Emitter &emit = node.emit;
  return {emit.sizesOf(regions.rois)[0], emit.sizesOf(regions.image)[1],
          emit.index(regions.pooledHeight), emit.index(regions.pooledWidth)};
}

/// Bin `position` of `pooled` along a dimension whose corners are columns
/// `low` and `low` + 2.
static Bin binOf(const Scalars &s, const RoiAlign &align, Value region,
                 Value position, int64_t pooled, int64_t low) {
  OpBuilder &b = s.builder;
  Value scale = s.number(align.scale);
  Value offset = s.number(align.isHalfPixel ? 0.5 : 0.0);
  Value start =
      s.sub(s.mul(align.corner(b, s.loc, region, low), scale), offset);
  Value end =
      s.sub(s.mul(align.corner(b, s.loc, region, low + 2), scale), offset);
  Value extent = s.sub(end, start);
  if (!align.isHalfPixel) // malformed regions become 1x1
    extent = s.max(extent, s.number(1));
  Bin bin;
  bin.length = s.div(extent, s.number(static_cast<double>(pooled)));
  bin.start = s.add(start, s.mul(numberOf(s, position), bin.length));
  if (align.samplingRatio > 0) {
    bin.count = indexConstant(b, s.loc, align.samplingRatio);
    return bin;
  }
  bin.count = clampIndex(b, s.loc, indexOf(s, ceilOf(s, bin.length)),
                         indexConstant(b, s.loc, maxSamples));
  return bin;
}

/// Where sample `k` of the bin lies.
static Value samplePosition(const Scalars &s, const Bin &bin, Value k) {
  Value middle = s.add(numberOf(s, k), s.number(0.5));
  Value step = s.div(s.mul(middle, bin.length), numberOf(s, bin.count));
  return s.add(bin.start, step);
}

/// The taps of a position: inside by up to one element it is moved to the
/// border, beyond that nothing is read.
static SmallVector<Tap> alignedTaps(const Scalars &s, Value position,
                                    Value size) {
  OpBuilder &b = s.builder;
  Value length = numberOf(s, size), zero = s.number(0);
  Value isInside = andBits(b, s.loc, s.lessEqual(s.number(-1), position),
                           s.lessEqual(position, length));
  Value last = s.sub(length, s.number(1));
  Value moved = s.min(s.max(position, zero), last);
  SmallVector<Tap> taps = linearTaps(s, moved, size);
  for (Tap &tap : taps)
    tap.isInside = isInside;
  return taps;
}

/// One sample: the interpolated value, or (as the operator defines its
/// maximum) the largest of the four weighted elements.
static Value sampleOf(const Scalars &s, const RoiAlign &align, Value batch,
                      Value channel, ArrayRef<SmallVector<Tap>> taps) {
  auto read = [&](ArrayRef<Value> at) {
    return extractElement(s.builder, s.loc, align.image,
                          {batch, channel, at[0], at[1]});
  };
  if (!align.isMaximum)
    return interpolate(s, taps, read);
  Value largest;
  for (const Tap &y : taps[0])
    for (const Tap &x : taps[1]) {
      SmallVector<Tap> row{y}, column{x};
      Value part = interpolate(s, {row, column}, read);
      largest = largest ? s.max(largest, part) : part;
    }
  return largest;
}

/// A loop [low, high) inside a body that carries one scalar.
static Value accumulate(
    OpBuilder &b, Location loc, Value low, Value high, Value init,
    llvm::function_ref<Value(OpBuilder &, Location, Value, Value)> step) {
  auto loop = scf::ForOp::create(
      b, loc, low, high, indexConstant(b, loc, 1), ValueRange{init},
      [&](OpBuilder &at, Location inner, Value k, ValueRange carried) {
        scf::YieldOp::create(at, inner, step(at, inner, k, carried[0]));
      });
  return loop.getResult(0);
}

/// One pooled value: over the samples of a bin.
static Value alignedValue(OpBuilder &b, Location loc, const RoiAlign &align,
                          ValueRange at) {
  Scalars s(b, loc, align.dtype);
  Bin y = binOf(s, align, at[0], at[2], align.pooledHeight, 1);
  Bin x = binOf(s, align, at[0], at[3], align.pooledWidth, 0);
  Value zero = indexConstant(b, loc, 0);
  Value raw = extractElement(b, loc, align.batches, at[0]);
  Value batch = clampIndex(b, loc, toIndex(b, loc, raw, align.batchType),
                           align.batchCount);
  Value init = align.isMaximum ? s.lowest() : s.number(0);
  Value total = accumulate(
      b, loc, zero, y.count, init,
      [&](OpBuilder &rows, Location, Value i, Value outer) {
        Scalars r(rows, loc, align.dtype);
        SmallVector<Tap> down =
            alignedTaps(r, samplePosition(r, y, i), align.height);
        return accumulate(
            rows, loc, zero, x.count, outer,
            [&](OpBuilder &columns, Location, Value j, Value inner) {
              Scalars c(columns, loc, align.dtype);
              SmallVector<Tap> right =
                  alignedTaps(c, samplePosition(c, x, j), align.width);
              Value sample = sampleOf(c, align, batch, at[1], {down, right});
              return align.isMaximum ? c.max(inner, sample)
                                     : c.add(inner, sample);
            });
      });
  Value samples = indexMul(b, loc, y.count, x.count);
  Value isEmpty = indexLess(b, loc, samples, indexConstant(b, loc, 1));
  Value count = s.max(numberOf(s, samples), s.number(1));
  Value result = align.isMaximum ? total : s.div(total, count);
  return s.select(isEmpty, s.number(0), result);
}

static LogicalResult roiAlign(NodeContext &node) {
  RoiAlign align;
  align.pooledHeight = node.integer("output_height", 1);
  align.pooledWidth = node.integer("output_width", 1);
  align.samplingRatio = node.integer("sampling_ratio", 0);
  if (failed(readRegions(node, align, 4)))
    return failure();
  std::string mode = node.text("mode", "avg");
  std::string coordinates =
      node.text("coordinate_transformation_mode",
                node.opset < 16 ? "output_half_pixel" : "half_pixel");
  if ((mode != "avg" && mode != "max") ||
      (coordinates != "half_pixel" && coordinates != "output_half_pixel"))
    return node.error("unknown mode '" + mode + "' or '" + coordinates + "'");
  if (align.samplingRatio < 0 || align.samplingRatio > maxSamples)
    return node.error("'sampling_ratio' is " + Twine(align.samplingRatio) +
                      ", which is out of range");
  if (node.rank(2) != 1 || isFloat(node.dtype(2)) ||
      !mayBeSame(node.emit, node.in(1), node.in(2), 0))
    return node.error("batch_indices must hold an integer per region",
                      DiagKind::IngressShapeMismatch);
  align.isMaximum = mode == "max";
  align.isHalfPixel = coordinates == "half_pixel";
  align.batches = node.in(2);
  align.batchType = node.dtype(2);
  return node.resultByPlace(pooledSizes(node, align), node.dtype(),
                            [&](OpBuilder &b, Location loc, ValueRange at) {
                              return alignedValue(b, loc, align, at);
                            });
}

/// The elements [first, end) of a dimension that a bin of MaxRoiPool covers.
struct Span {
  Value first, end;
};

static Span spanOf(const Scalars &s, const Regions &regions, Value region,
                   Value position, int64_t pooled, int64_t low, Value size) {
  OpBuilder &b = s.builder;
  Value scale = s.number(regions.scale), one = s.number(1);
  auto corner = [&](int64_t k) -> Value {
    Value scaled = s.mul(regions.corner(b, s.loc, region, k), scale);
    return math::RoundOp::create(b, s.loc, scaled);
  };
  Value start = corner(low);
  Value extent = s.max(s.add(s.sub(corner(low + 2), start), one), one);
  Value length = s.div(extent, s.number(static_cast<double>(pooled)));
  Value k = numberOf(s, position);
  Value first = s.add(floorOf(s, s.mul(k, length)), start);
  Value end = s.add(ceilOf(s, s.mul(s.add(k, one), length)), start);
  Value zero = s.number(0), limit = numberOf(s, size);
  auto bounded = [&](Value x) {
    return indexOf(s, s.min(s.max(x, zero), limit));
  };
  return {bounded(first), bounded(end)};
}

static Value maximumOf(OpBuilder &b, Location loc, const Regions &regions,
                       ValueRange at) {
  Scalars s(b, loc, regions.dtype);
  Value batch = clampIndex(b, loc, indexOf(s, regions.corner(b, loc, at[0], 0)),
                           regions.batchCount);
  Span y =
      spanOf(s, regions, at[0], at[2], regions.pooledHeight, 2, regions.height);
  Span x =
      spanOf(s, regions, at[0], at[3], regions.pooledWidth, 1, regions.width);
  Value largest = accumulate(
      b, loc, y.first, y.end, s.lowest(),
      [&](OpBuilder &rows, Location, Value i, Value outer) {
        return accumulate(
            rows, loc, x.first, x.end, outer,
            [&](OpBuilder &columns, Location, Value j, Value inner) {
              Value element = extractElement(columns, loc, regions.image,
                                             {batch, at[1], i, j});
              return Scalars(columns, loc, regions.dtype).max(inner, element);
            });
      });
  Value hasRows = indexLess(b, loc, y.first, y.end);
  Value hasBoth = andBits(b, loc, hasRows, indexLess(b, loc, x.first, x.end));
  return s.select(hasBoth, largest, s.number(0));
}

static LogicalResult maxRoiPool(NodeContext &node) {
  std::optional<std::vector<int64_t>> shape = node.integers("pooled_shape");
  if (!shape || shape->size() != 2)
    return node.error("'pooled_shape' must have two values");
  Regions regions;
  regions.pooledHeight = (*shape)[0];
  regions.pooledWidth = (*shape)[1];
  if (failed(readRegions(node, regions, 5)))
    return failure();
  return node.resultByPlace(pooledSizes(node, regions), node.dtype(),
                            [&](OpBuilder &b, Location loc, ValueRange at) {
                              return maximumOf(b, loc, regions, at);
                            });
}

void lh::addRegionPoolingOps(OpTable &table) {
  using namespace OpRule;
  table.add("RoiAlign", {10, 3, Float | WidenHalf, roiAlign});
  table.add("MaxRoiPool", {1, 2, Float | Same | WidenHalf, maxRoiPool});
}
