// Resize and Upsample: nearest, linear and cubic interpolation.
#include "ingress/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace lh;
using namespace mlir;

enum class ResizeMode { Nearest, Linear, Cubic };

/// How one resized dimension is sampled. Scales are scalars of float64, so
/// that exactly representable positions stay exact.
struct ResizeAxis {
  Value inputSize, outputSize; ///< index
  Value scale;                 ///< output per input
  Value length;                ///< output size before it is rounded down
  Value roiStart, roiEnd;      ///< tf_crop_and_resize only
  bool isResized = true;
};

struct Resize {
  ResizeMode mode = ResizeMode::Nearest;
  std::string coordinates, nearest;
  double cubicCoefficient = -0.75;
  bool excludesOutside = false;
  double extrapolation = 0.0;
  std::vector<ResizeAxis> axes;
  Sizes sizes;

  bool crops() const { return coordinates == "tf_crop_and_resize"; }
};

/// A body's arithmetic on float64 positions.
struct Positions : Scalars {
  Positions(OpBuilder &b, Location loc) : Scalars(b, loc, DType::Float64) {}

  Value fromSize(Value size) const {
    return convertScalar(builder, loc,
                         fromIndex(builder, loc, size, DType::Int64),
                         DType::Int64, DType::Float64);
  }
  Value toSize(Value position) const {
    return toIndex(
        builder, loc,
        convertScalar(builder, loc, position, DType::Float64, DType::Int64),
        DType::Int64);
  }
  Value floor(Value x) const { return math::FloorOp::create(builder, loc, x); }
  Value ceil(Value x) const { return math::CeilOp::create(builder, loc, x); }
};

/// Where output index `x` lies in the input (coordinate_transformation_mode).
static Value sourcePosition(const Positions &s, const Resize &resize,
                            const ResizeAxis &axis, Value x) {
  Value half = s.number(0.5), one = s.number(1), zero = s.number(0);
  Value in = s.fromSize(axis.inputSize), out = s.fromSize(axis.outputSize);
  const std::string &mode = resize.coordinates;
  if (mode == "asymmetric")
    return s.div(x, axis.scale);
  if (mode == "align_corners") {
    Value isOne = s.equal(axis.length, one);
    Value steps = s.select(isOne, one, s.sub(axis.length, one));
    Value position = s.div(s.mul(x, s.sub(in, one)), steps);
    return s.select(isOne, zero, position);
  }
  if (mode == "tf_crop_and_resize") {
    Value last = s.sub(in, one);
    Value isOne = s.equal(out, one);
    Value steps = s.select(isOne, one, s.sub(out, one));
    Value extent = s.mul(s.sub(axis.roiEnd, axis.roiStart), last);
    Value start = s.mul(axis.roiStart, last);
    Value spread = s.add(start, s.div(s.mul(x, extent), steps));
    Value middle = s.mul(half, s.mul(s.add(axis.roiStart, axis.roiEnd), last));
    return s.select(isOne, middle, spread);
  }
  Value centred = s.sub(s.div(s.add(x, half), axis.scale), half);
  if (mode == "pytorch_half_pixel")
    return s.select(s.less(one, out), centred, zero);
  if (mode == "half_pixel_symmetric") {
    Value adjustment = s.div(out, axis.length);
    Value centre = s.div(in, s.number(2));
    Value offset = s.mul(centre, s.sub(one, adjustment));
    return s.add(offset, centred);
  }
  if (mode == "tf_half_pixel_for_nn")
    return s.div(s.add(x, half), axis.scale);
  return centred; // half_pixel
}

static Value nearestIndex(const Positions &s, const std::string &mode,
                          Value position) {
  Value half = s.number(0.5);
  if (mode == "floor")
    return s.floor(position);
  if (mode == "ceil")
    return s.ceil(position);
  if (mode == "round_prefer_ceil")
    return s.floor(s.add(position, half));
  return s.ceil(s.sub(position, half)); // round_prefer_floor
}

/// One sample of a dimension: an index into the input and its weight.
struct Sample {
  Value index, weight;
};

static Value cubicWeight(const Positions &s, double a, Value distance) {
  Value x = s.abs(distance), one = s.number(1), two = s.number(2);
  Value near = s.add(
      s.mul(s.mul(s.sub(s.mul(s.number(a + 2), x), s.number(a + 3)), x), x),
      one);
  Value far = s.mul(s.mul(s.mul(s.number(a), x), x), x);
  far = s.sub(far, s.mul(s.mul(s.number(5 * a), x), x));
  far = s.sub(s.add(far, s.mul(s.number(8 * a), x)), s.number(4 * a));
  Value outer = s.select(s.less(x, two), far, s.number(0));
  return s.select(s.lessEqual(x, one), near, outer);
}

static Value clampedIndex(const Positions &s, Value position, Value size) {
  Value last = s.sub(s.fromSize(size), s.number(1));
  Value clamped = s.max(s.min(position, last), s.number(0));
  return s.toSize(clamped);
}

static SmallVector<Sample> samplesOf(const Positions &s, const Resize &resize,
                                     const ResizeAxis &axis, Value position) {
  SmallVector<Sample> samples;
  Value one = s.number(1), zero = s.number(0);
  if (resize.mode == ResizeMode::Nearest) {
    Value index = nearestIndex(s, resize.nearest, position);
    return {{clampedIndex(s, index, axis.inputSize), one}};
  }
  Value base = s.floor(position);
  int first = resize.mode == ResizeMode::Linear ? 0 : -1;
  int last = resize.mode == ResizeMode::Linear ? 1 : 2;
  Value total = zero;
  for (int k = first; k <= last; ++k) {
    Value at = s.add(base, s.number(k));
    Value distance = s.sub(position, at);
    Value weight = resize.mode == ResizeMode::Linear
                       ? s.sub(one, s.abs(distance))
                       : cubicWeight(s, resize.cubicCoefficient, distance);
    if (resize.excludesOutside) {
      Value end = s.sub(s.fromSize(axis.inputSize), one);
      weight = s.select(s.less(at, zero), zero, weight);
      weight = s.select(s.less(end, at), zero, weight);
    }
    total = s.add(total, weight);
    samples.push_back({clampedIndex(s, at, axis.inputSize), weight});
  }
  if (resize.excludesOutside)
    for (Sample &sample : samples)
      sample.weight = s.div(sample.weight, total);
  return samples;
}

/// Sums over the samples of dimension `dim` and all after it.
static Value interpolate(const Positions &s, Value input, DType dtype,
                         ArrayRef<SmallVector<Sample>> samples,
                         SmallVector<Value> &from) {
  size_t dim = from.size();
  if (dim == samples.size()) {
    Value element = extractElement(s.builder, s.loc, input, from);
    return convertScalar(s.builder, s.loc, element, dtype, DType::Float64);
  }
  Value total;
  for (const Sample &sample : samples[dim]) {
    from.push_back(sample.index);
    Value part = interpolate(s, input, dtype, samples, from);
    from.pop_back();
    if (samples[dim].size() > 1)
      part = s.mul(part, sample.weight);
    total = total ? s.add(total, part) : part;
  }
  return total;
}

static Value resizedElement(const Positions &s, const Resize &resize,
                            Value input, DType dtype, ValueRange indices) {
  SmallVector<SmallVector<Sample>> samples;
  Value isOutside;
  for (auto [dim, axis] : llvm::enumerate(resize.axes)) {
    if (!axis.isResized) {
      samples.push_back({{indices[dim], s.number(1)}});
      continue;
    }
    Value position = sourcePosition(s, resize, axis, s.fromSize(indices[dim]));
    samples.push_back(samplesOf(s, resize, axis, position));
    if (!resize.crops())
      continue;
    Value last = s.sub(s.fromSize(axis.inputSize), s.number(1));
    Value outside =
        arith::OrIOp::create(s.builder, s.loc, s.less(position, s.number(0)),
                             s.less(last, position));
    isOutside =
        isOutside
            ? Value(arith::OrIOp::create(s.builder, s.loc, isOutside, outside))
            : outside;
  }
  SmallVector<Value> from;
  if (resize.mode == ResizeMode::Nearest && !isOutside) {
    for (const SmallVector<Sample> &sample : samples)
      from.push_back(sample.front().index);
    return extractElement(s.builder, s.loc, input, from);
  }
  Value result = interpolate(s, input, dtype, samples, from);
  if (isOutside)
    result = s.select(isOutside, s.number(resize.extrapolation), result);
  return convertScalar(s.builder, s.loc, result, DType::Float64, dtype);
}

static LogicalResult readResizeModes(NodeContext &node, Resize &resize) {
  std::string mode = node.text("mode", "nearest");
  if (mode == "nearest")
    resize.mode = ResizeMode::Nearest;
  else if (mode == "linear" || mode == "bilinear")
    resize.mode = ResizeMode::Linear;
  else if (mode == "cubic")
    resize.mode = ResizeMode::Cubic;
  else
    return node.error("unknown mode '" + mode + "'");
  bool isOld = node.opset < 11 || node.opType() == "Upsample";
  resize.coordinates = node.text("coordinate_transformation_mode",
                                 isOld ? "asymmetric" : "half_pixel");
  resize.nearest =
      node.text("nearest_mode", isOld ? "floor" : "round_prefer_floor");
  resize.cubicCoefficient = node.number("cubic_coeff_a", -0.75);
  resize.excludesOutside = node.integer("exclude_outside", 0) != 0;
  resize.extrapolation = node.number("extrapolation_value", 0.0);
  if (node.integer("antialias", 0) != 0 ||
      node.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    return node.error("antialias and keep_aspect_ratio_policy are not "
                      "supported",
                      DiagKind::IngressUnsupportedOp);
  return success();
}

/// The dimensions that scales and sizes speak of.
static FailureOr<std::vector<size_t>> resizedDims(NodeContext &node) {
  std::vector<int64_t> axes;
  for (int64_t dim = 0; dim < node.rank(0); ++dim)
    axes.push_back(dim);
  axes = node.integers("axes").value_or(axes);
  if (failed(node.axisMask(axes, node.rank(0))))
    return failure();
  std::vector<size_t> dims;
  for (int64_t axis : axes)
    dims.push_back(static_cast<size_t>(axis < 0 ? axis + node.rank(0) : axis));
  return dims;
}

static bool isEmptyInput(NodeContext &node, size_t i) {
  if (!node.has(i))
    return true;
  RankedTensorType type = tensorTypeOf(node.in(i));
  return type.hasStaticShape() && type.getNumElements() == 0;
}

static LogicalResult checkLength(NodeContext &node, size_t i, size_t length) {
  RankedTensorType type = tensorTypeOf(node.in(i));
  if (type.getRank() == 1 && type.hasStaticShape() &&
      type.getDimSize(0) == static_cast<int64_t>(length))
    return success();
  return node.error("input " + Twine(i) + " must have " + Twine(length) +
                        " values",
                    DiagKind::IngressShapeMismatch);
}

/// Element `k` of a float vector, as float64.
static Value wideElement(NodeContext &node, size_t i, size_t k) {
  OpBuilder &b = node.emit.builder;
  Value at = indexConstant(b, node.emit.loc, static_cast<int64_t>(k));
  Value raw = node.emit.extract(node.in(i), {at});
  return convertScalar(b, node.emit.loc, raw, node.dtype(i), DType::Float64);
}

/// Scales given: sizes are floor(size * scale).
static LogicalResult resizeByScales(NodeContext &node, Resize &resize,
                                    ArrayRef<size_t> dims, size_t input) {
  Emitter &emit = node.emit;
  std::optional<std::vector<double>> known;
  if (input != 0) {
    if (failed(checkLength(node, input, dims.size())))
      return failure();
    known = node.knownNumbers(input);
  } else {
    std::optional<std::vector<float>> given = node.numbers("scales");
    if (!given || given->size() != dims.size())
      return node.error("'scales' needs one value per dimension");
    known.emplace(given->begin(), given->end());
  }
  Positions s(emit.builder, emit.loc);
  for (auto [k, dim] : llvm::enumerate(dims)) {
    ResizeAxis &axis = resize.axes[dim];
    axis.isResized = !known || (*known)[k] != 1.0 || resize.crops();
    if (known && !((*known)[k] > 0 && (*known)[k] < 65536))
      return node.error("'scales' must be positive numbers below 65536");
    axis.scale = known ? s.number((*known)[k]) : wideElement(node, input, k);
    axis.length = s.mul(s.fromSize(axis.inputSize), axis.scale);
    std::optional<int64_t> size = emit.known(resize.sizes[dim]);
    if (known && size)
      resize.sizes[dim] = emit.index(static_cast<int64_t>(
          std::floor(static_cast<double>(*size) * (*known)[k])));
    else
      resize.sizes[dim] = s.toSize(s.floor(axis.length));
  }
  return success();
}

static LogicalResult resizeBySizes(NodeContext &node, Resize &resize,
                                   ArrayRef<size_t> dims) {
  Emitter &emit = node.emit;
  FailureOr<Sizes> wanted = node.elements(3);
  if (failed(wanted))
    return failure();
  if (wanted->size() != dims.size())
    return node.error("'sizes' needs one value per dimension");
  Positions s(emit.builder, emit.loc);
  for (auto [k, dim] : llvm::enumerate(dims)) {
    std::optional<int64_t> size = emit.known((*wanted)[k]);
    if (size && (*size < 0 || *size > (1 << 24)))
      return node.error("'sizes' holds " + Twine(*size));
    ResizeAxis &axis = resize.axes[dim];
    axis.isResized =
        !emit.same(resize.sizes[dim], (*wanted)[k]) || resize.crops();
    resize.sizes[dim] = (*wanted)[k];
    axis.length = s.fromSize(emit.asValue((*wanted)[k]));
    axis.scale = s.div(axis.length, s.fromSize(axis.inputSize));
  }
  return success();
}

static LogicalResult readRoi(NodeContext &node, Resize &resize,
                             ArrayRef<size_t> dims) {
  if (!resize.crops())
    return success();
  if (isEmptyInput(node, 1) || failed(checkLength(node, 1, 2 * dims.size())))
    return node.error("tf_crop_and_resize needs a region of interest");
  for (auto [k, dim] : llvm::enumerate(dims)) {
    resize.axes[dim].roiStart = wideElement(node, 1, k);
    resize.axes[dim].roiEnd = wideElement(node, 1, k + dims.size());
  }
  return success();
}

static LogicalResult resize(NodeContext &node) {
  Emitter &emit = node.emit;
  Resize resize;
  FailureOr<std::vector<size_t>> dims = resizedDims(node);
  if (failed(dims) || failed(readResizeModes(node, resize)))
    return failure();
  resize.sizes = emit.sizesOf(node.in(0));
  for (OpFoldResult size : resize.sizes) {
    resize.axes.emplace_back();
    resize.axes.back().inputSize = emit.asValue(size);
    resize.axes.back().isResized = false;
  }
  bool isUpsample = node.opType() == "Upsample" || node.opset < 11;
  size_t scales = isUpsample ? (node.has(1) ? 1 : 0) : 2;
  bool hasSizes = !isUpsample && isEmptyInput(node, 2);
  if (hasSizes && isEmptyInput(node, 3))
    return node.error("neither 'scales' nor 'sizes' is given");
  if (failed(hasSizes ? resizeBySizes(node, resize, *dims)
                      : resizeByScales(node, resize, *dims, scales)) ||
      failed(readRoi(node, resize, *dims)))
    return failure();
  for (auto [dim, size] : llvm::enumerate(resize.sizes))
    resize.axes[dim].outputSize = emit.asValue(size);
  Value input = node.in(0);
  DType dtype = node.dtype();
  return node.result(
      emit.generate(resize.sizes, node.elementType(),
                    [&](OpBuilder &b, Location loc, ValueRange indices) {
                      return resizedElement(Positions(b, loc), resize, input,
                                            dtype, indices);
                    }),
      dtype);
}

void lh::addResizeOps(OpTable &table) {
  using namespace OpRule;
  table.add("Upsample", {7, 1, Numeric, resize});
  table.add("Resize", {10, 1, Numeric, resize});
}
