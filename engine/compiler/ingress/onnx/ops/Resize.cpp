// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize and Upsample: their attributes, scales and sizes.
#include "compiler/ingress/onnx/ops/Resize.h"
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Sampling.h"

#include <cmath>

using namespace lh;
using namespace mlir;

/// Beyond this no real model resizes.
static constexpr int64_t maxResized = int64_t(1) << 24;

static LogicalResult checkOneOf(NodeContext &node, StringRef name,
                                StringRef value, ArrayRef<StringRef> choices) {
  if (llvm::is_contained(choices, value))
    return success();
  return node.error("unknown " + name + " '" + value + "'");
}

static LogicalResult readMode(NodeContext &node, Resize &resize) {
  std::string mode = node.text("mode", "nearest");
  if (mode == "nearest")
    resize.mode = ResizeMode::Nearest;
  else if (mode == "linear" || mode == "bilinear")
    resize.mode = ResizeMode::Linear;
  else if (mode == "cubic")
    resize.mode = ResizeMode::Cubic;
  else
    return node.error("unknown mode '" + mode + "'");
  return success();
}

static LogicalResult readAttributes(NodeContext &node, Resize &resize) {
  bool isOld = node.opset < 11 || node.opType() == "Upsample";
  resize.coordinates = node.text("coordinate_transformation_mode",
                                 isOld ? "asymmetric" : "half_pixel");
  resize.nearest =
      node.text("nearest_mode", isOld ? "floor" : "round_prefer_floor");
  resize.cubicCoefficient = node.number("cubic_coeff_a", -0.75);
  resize.excludesOutside = node.integer("exclude_outside", 0) != 0;
  resize.extrapolation = node.number("extrapolation_value", 0.0);
  resize.antialiases = node.integer("antialias", 0) != 0;
  if (failed(readMode(node, resize)))
    return failure();
  if (resize.antialiases && resize.mode == ResizeMode::Nearest)
    return node.error("'antialias' needs mode linear or cubic");
  if (failed(checkOneOf(node, "coordinate_transformation_mode",
                        resize.coordinates,
                        {"half_pixel", "half_pixel_symmetric",
                         "pytorch_half_pixel", "align_corners", "asymmetric",
                         "tf_half_pixel_for_nn", "tf_crop_and_resize"})))
    return failure();
  return checkOneOf(
      node, "nearest_mode", resize.nearest,
      {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
}

static bool isEmptyInput(NodeContext &node, size_t i) {
  if (!node.has(i))
    return true;
  RankedTensorType type = tensorTypeOf(node.in(i));
  return type.hasStaticShape() && type.getNumElements() == 0;
}

static LogicalResult checkVector(NodeContext &node, size_t i, size_t length) {
  RankedTensorType type = tensorTypeOf(node.in(i));
  if (type.getRank() == 1 && isFloat(node.dtype(i)) &&
      (type.isDynamicDim(0) ||
       type.getDimSize(0) == static_cast<int64_t>(length)))
    return success();
  return node.error("input " + Twine(i) + " must have " + Twine(length) +
                        " numbers",
                    DiagKind::IngressShapeMismatch);
}

/// Element `k` of a float vector, as `dtype`.
static Value elementAs(NodeContext &node, size_t i, size_t k, DType dtype) {
  OpBuilder &b = node.emit.builder;
  Value at = indexConstant(b, node.emit.loc, static_cast<int64_t>(k));
  Value raw = node.emit.extract(node.in(i), {at});
  return convertScalar(b, node.emit.loc, raw, node.dtype(i), dtype);
}

/// The scales that the model holds; none when they are fed.
static FailureOr<std::optional<std::vector<double>>>
knownScales(NodeContext &node, size_t input, size_t count) {
  std::optional<std::vector<double>> known;
  if (input != 0) {
    if (failed(checkVector(node, input, count)))
      return failure();
    known = node.knownNumbers(input);
  } else if (std::optional<std::vector<float>> given = node.numbers("scales")) {
    known.emplace(given->begin(), given->end());
  } else if (node.opset >= 7) {
    return node.error("'scales' is missing");
  } else { // Upsample's first form
    known.emplace(count, 1.0);
    if (count >= 2) {
      (*known)[count - 2] = node.number("height_scale", 1.0);
      (*known)[count - 1] = node.number("width_scale", 1.0);
    }
  }
  if (!known)
    return known;
  if (known->size() != count)
    return node.error("'scales' needs one value per dimension");
  for (double scale : *known)
    if (!(scale > 0 && scale < 65536))
      return node.error("'scales' must be positive numbers below 65536");
  return known;
}

/// floor(size * scale), in float32 as ONNX infers shapes.
static OpFoldResult scaledSize(NodeContext &node, OpFoldResult size,
                               std::optional<double> scale, Value runTime) {
  Emitter &emit = node.emit;
  std::optional<int64_t> known = emit.known(size);
  if (known && scale)
    return emit.index(static_cast<int64_t>(
        std::floor(static_cast<float>(*known) * static_cast<float>(*scale))));
  Scalars s = node.scalars(DType::Float32);
  Value factor = scale ? s.number(*scale) : runTime;
  Value product = s.mul(numberOf(s, emit.asValue(size)), factor);
  return emit.max(indexOf(s, floorOf(s, product)), emit.index(0));
}

static LogicalResult resizeByScales(NodeContext &node, Resize &resize,
                                    ArrayRef<size_t> dims, size_t input) {
  auto known = knownScales(node, input, dims.size());
  if (failed(known))
    return failure();
  Scalars s = node.scalars(DType::Float64);
  for (auto [k, dim] : llvm::enumerate(dims)) {
    ResizeAxis &axis = resize.axes[dim];
    Value runTime;
    if (*known)
      axis.knownScale = (**known)[k];
    else
      runTime = elementAs(node, input, k, DType::Float32);
    axis.isResized = axis.knownScale != 1.0 || resize.crops();
    axis.scale = *known ? s.number(*axis.knownScale)
                        : elementAs(node, input, k, DType::Float64);
    axis.length = s.mul(numberOf(s, axis.inputSize), axis.scale);
    resize.sizes[dim] =
        scaledSize(node, resize.sizes[dim], axis.knownScale, runTime);
  }
  return success();
}

/// Size and scale of every dimension in `dims` as `sizes` say.
static LogicalResult resizeBySizes(NodeContext &node, Resize &resize,
                                   ArrayRef<size_t> dims) {
  Emitter &emit = node.emit;
  FailureOr<Sizes> wanted = node.elements(3);
  if (failed(wanted))
    return failure();
  if (wanted->size() != dims.size())
    return node.error("'sizes' needs one value per dimension");
  Scalars s = node.scalars(DType::Float64);
  for (auto [k, dim] : llvm::enumerate(dims)) {
    std::optional<int64_t> size = emit.known((*wanted)[k]);
    std::optional<int64_t> own = emit.known(resize.sizes[dim]);
    if (size && (*size < 0 || *size > maxResized || (own == 0 && *size > 0)))
      return node.error("'sizes' holds " + Twine(*size) + " for dimension " +
                        Twine(dim) + " of the input of shape " +
                        shapeText(node.in(0)));
    ResizeAxis &axis = resize.axes[dim];
    axis.isResized =
        !emit.same(resize.sizes[dim], (*wanted)[k]) || resize.crops();
    resize.sizes[dim] = emit.max((*wanted)[k], emit.index(0));
    axis.length = numberOf(s, emit.asValue(resize.sizes[dim]));
    axis.scale = s.div(axis.length, numberOf(s, axis.inputSize));
    if (size && own && *own > 0)
      axis.knownScale = static_cast<double>(*size) / static_cast<double>(*own);
  }
  return success();
}

/// not_larger and not_smaller: one scale for all, the least or the greatest
/// that `sizes` ask for; results are rounded half up.
static void keepAspectRatio(NodeContext &node, Resize &resize,
                            ArrayRef<size_t> dims, bool isLeast) {
  Emitter &emit = node.emit;
  Scalars s = node.scalars(DType::Float64);
  std::optional<double> known = resize.axes[dims.front()].knownScale;
  Value common = resize.axes[dims.front()].scale;
  for (size_t dim : dims.drop_front()) {
    const ResizeAxis &axis = resize.axes[dim];
    common = isLeast ? s.min(common, axis.scale) : s.max(common, axis.scale);
    if (!known || !axis.knownScale)
      known.reset();
    else
      known = isLeast ? std::min(*known, *axis.knownScale)
                      : std::max(*known, *axis.knownScale);
  }
  Sizes own = emit.sizesOf(node.in(0));
  for (size_t dim : dims) {
    ResizeAxis &axis = resize.axes[dim];
    axis.scale = known ? s.number(*known) : common;
    axis.knownScale = known;
    axis.isResized = known != 1.0 || resize.crops();
    axis.length = s.mul(numberOf(s, axis.inputSize), axis.scale);
    if (known) {
      double length = *known * static_cast<double>(*emit.known(own[dim]));
      resize.sizes[dim] =
          emit.index(static_cast<int64_t>(std::floor(length + 0.5)));
    } else {
      Value rounded = floorOf(s, s.add(axis.length, s.number(0.5)));
      resize.sizes[dim] = emit.max(indexOf(s, rounded), emit.index(0));
    }
  }
}

static LogicalResult applyPolicy(NodeContext &node, Resize &resize,
                                 ArrayRef<size_t> dims) {
  std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (failed(checkOneOf(node, "keep_aspect_ratio_policy", policy,
                        {"stretch", "not_larger", "not_smaller"})))
    return failure();
  if (policy != "stretch" && !dims.empty())
    keepAspectRatio(node, resize, dims, policy == "not_larger");
  return success();
}

static LogicalResult readRoi(NodeContext &node, Resize &resize,
                             ArrayRef<size_t> dims) {
  if (!resize.crops())
    return success();
  if (isEmptyInput(node, 1) || failed(checkVector(node, 1, 2 * dims.size())))
    return node.error("tf_crop_and_resize needs a region of interest");
  for (auto [k, dim] : llvm::enumerate(dims)) {
    ResizeAxis &axis = resize.axes[dim];
    axis.roiStart = elementAs(node, 1, k, DType::Float64);
    axis.roiEnd = elementAs(node, 1, k + dims.size(), DType::Float64);
  }
  return success();
}

/// The result's sizes, from `scales` or from `sizes`.
static LogicalResult readSizes(NodeContext &node, Resize &resize,
                               ArrayRef<size_t> dims) {
  if (node.opType() == "Upsample" || node.opset < 11)
    return resizeByScales(node, resize, dims, node.has(1) ? 1 : 0);
  if (!isEmptyInput(node, 2))
    return resizeByScales(node, resize, dims, 2);
  if (isEmptyInput(node, 3))
    return node.error("neither 'scales' nor 'sizes' is given");
  if (failed(resizeBySizes(node, resize, dims)))
    return failure();
  return applyPolicy(node, resize, dims);
}

static LogicalResult resize(NodeContext &node) {
  Emitter &emit = node.emit;
  Resize resize;
  FailureOr<std::vector<size_t>> dims = node.namedDims();
  if (failed(dims) || failed(readAttributes(node, resize)))
    return failure();
  resize.sizes = emit.sizesOf(node.in(0));
  for (OpFoldResult size : resize.sizes) {
    resize.axes.emplace_back();
    resize.axes.back().inputSize = emit.asValue(size);
  }
  if (failed(readSizes(node, resize, *dims)) ||
      failed(readRoi(node, resize, *dims)))
    return failure();
  for (auto [dim, size] : llvm::enumerate(resize.sizes))
    resize.axes[dim].outputSize = emit.asValue(size);
  return node.result(emitResized(node, resize), node.dtype());
}

void lh::addResizeOps(OpTable &table) {
  using namespace OpRule;
  table.add("Upsample", {1, 1, None, resize});
  table.add("Resize", {10, 1, None, resize});
}
