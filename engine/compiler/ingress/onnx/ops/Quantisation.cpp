// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#include "compiler/ingress/onnx/ops/Families.h"
#include "compiler/ingress/onnx/ops/Quantised.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

/// How far one scale reaches: over everything, over one position of `axis`,
/// or over `block` of them.
struct Granularity {
  size_t axis = 0;
  int64_t block = 0; ///< 0: scales of rank 0 or 1
  /// Sizes in which the elementwise operation runs; blocks that fill the axis
  /// are a dimension of their own.
  Sizes view;
  bool splitsAxis = false;
};

static FailureOr<Granularity> readGranularity(NodeContext &node) {
  Emitter &emit = node.emit;
  Granularity result;
  result.view = emit.sizesOf(node.in(0));
  if (readParameter(node, 1).isOne())
    return result;
  FailureOr<int64_t> axis = node.axis(node.integer("axis", 1), node.rank(0));
  if (failed(axis))
    return failure();
  result.axis = static_cast<size_t>(*axis);
  result.block = node.integer("block_size", 0);
  if (result.block < 0)
    return node.error("'block_size' is " + Twine(result.block) +
                      "; it must be positive");
  OpFoldResult &size = result.view[result.axis];
  std::optional<int64_t> known = emit.known(size);
  result.splitsAxis =
      result.block > 0 && known && *known > 0 && *known % result.block == 0;
  if (!result.splitsAxis)
    return result;
  size = emit.index(*known / result.block);
  result.view.insert(result.view.begin() + *axis + 1, emit.index(result.block));
  return result;
}

/// One number per position of the axis, laid along it.
static FailureOr<QuantParameter> alongAxis(NodeContext &node,
                                           QuantParameter parameter,
                                           const Granularity &granularity,
                                           StringRef what) {
  if (rankOf(parameter.tensor) != 1)
    return node.error(what + " of shape " + shapeText(parameter.tensor) +
                          " needs a 'block_size'",
                      DiagKind::IngressShapeMismatch);
  Sizes sizes(granularity.view.size(), node.emit.index(1));
  sizes[granularity.axis] = node.emit.sizesOf(parameter.tensor)[0];
  parameter.tensor = node.emit.reshape(parameter.tensor, sizes);
  if (failed(checkSpreads(node, parameter, granularity.view, what)))
    return failure();
  return parameter;
}

/// The shape of a blocked parameter is that of the input, but for the axis.
static LogicalResult checkBlocks(NodeContext &node, Value tensor,
                                 const Granularity &granularity,
                                 StringRef what) {
  Emitter &emit = node.emit;
  Sizes own = emit.sizesOf(tensor), input = emit.sizesOf(node.in(0));
  bool fits = own.size() == input.size();
  for (size_t dim = 0; fits && dim < own.size(); ++dim) {
    OpFoldResult wanted = dim == granularity.axis
                              ? emit.ceilDiv(input[dim], granularity.block)
                              : input[dim];
    std::optional<int64_t> a = emit.known(own[dim]), b = emit.known(wanted);
    fits = !a || !b || *a == *b;
  }
  if (fits)
    return success();
  return node.error(what + " of shape " + shapeText(tensor) +
                        " does not fit an input of shape " +
                        shapeText(node.in(0)) + " in blocks of " +
                        Twine(granularity.block),
                    DiagKind::IngressShapeMismatch);
}

/// One number per element, for blocks that do not fill the axis.
static Value repeatedBlocks(NodeContext &node, Value tensor,
                            const Granularity &granularity) {
  Emitter &emit = node.emit;
  SmallVector<Value> sizes = emit.asValues(emit.sizesOf(tensor));
  return emit.generate(granularity.view, tensorTypeOf(tensor).getElementType(),
                       [&](OpBuilder &b, Location loc, ValueRange indices) {
                         SmallVector<Value> at(indices);
                         Value block = indexConstant(b, loc, granularity.block);
                         at[granularity.axis] =
                             indexDiv(b, loc, at[granularity.axis], block);
                         for (auto [index, size] : llvm::zip(at, sizes))
                           index = normalizeIndex(b, loc, index, size);
                         return extractElement(b, loc, tensor, at);
                       });
}

static FailureOr<QuantParameter> spread(NodeContext &node, size_t i,
                                        const Granularity &granularity,
                                        StringRef what) {
  QuantParameter parameter = readParameter(node, i);
  if (parameter.isOne())
    return parameter;
  if (granularity.block == 0)
    return alongAxis(node, parameter, granularity, what);
  if (failed(checkBlocks(node, parameter.tensor, granularity, what)))
    return failure();
  if (!granularity.splitsAxis) {
    parameter.tensor = repeatedBlocks(node, parameter.tensor, granularity);
    return parameter;
  }
  Sizes sizes = node.emit.sizesOf(parameter.tensor);
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(granularity.axis) +
                   1,
               node.emit.index(1));
  parameter.tensor = node.emit.reshape(parameter.tensor, sizes);
  return parameter;
}

/// Scale and zero point of a node, spread over its input.
struct ScaleAndZero {
  Granularity granularity;
  QuantParameter scale, zero;
};

static FailureOr<ScaleAndZero> readScaleAndZero(NodeContext &node) {
  if (node.has(2) &&
      readParameter(node, 1).isOne() != readParameter(node, 2).isOne())
    return node.error("the scale has shape " + shapeText(node.in(1)) +
                          ", the zero point " + shapeText(node.in(2)) +
                          "; they must agree",
                      DiagKind::IngressShapeMismatch);
  FailureOr<Granularity> granularity = readGranularity(node);
  if (failed(granularity))
    return failure();
  FailureOr<QuantParameter> scale = spread(node, 1, *granularity, "the scale");
  FailureOr<QuantParameter> zero =
      spread(node, 2, *granularity, "the zero point");
  if (failed(scale) || failed(zero))
    return failure();
  return ScaleAndZero{*granularity, *scale, *zero};
}

/// Runs `body` on (element, scale, zero point).
static LogicalResult mapWithScale(NodeContext &node, DType result,
                                  ScalarBody body) {
  FailureOr<ScaleAndZero> both = readScaleAndZero(node);
  if (failed(both))
    return failure();
  Emitter &emit = node.emit;
  Sizes own = emit.sizesOf(node.in(0));
  Value input = emit.reshape(node.in(0), both->granularity.view);
  Value mapped = mapQuantised(node, both->granularity.view, {input},
                              {both->scale, both->zero}, result, body);
  return node.result(emit.reshape(mapped, own), result);
}

/// A type that an attribute names; `otherwise` when it is absent or 0.
static FailureOr<DType> typeAttribute(NodeContext &node, StringRef name,
                                      DType otherwise) {
  int64_t number = node.integer(name, 0);
  if (number == 0)
    return otherwise;
  std::optional<DType> dtype = dtypeOfOnnx(number);
  if (!dtype)
    return node.error("'" + name + "' is '" + onnxTypeName(number) +
                          "', which is not supported",
                      DiagKind::IngressUnsupportedType);
  return *dtype;
}

/// y_zero_point's type, else `output_dtype`, else uint8.
static FailureOr<DType> quantizedType(NodeContext &node) {
  DType implied = node.has(2) ? node.dtype(2) : DType::UInt8;
  FailureOr<DType> target = typeAttribute(node, "output_dtype", implied);
  if (failed(target))
    return failure();
  if (node.has(2) && *target != implied)
    return node.error("'output_dtype' is '" + dtypeName(*target) +
                      "', the zero point has '" + dtypeName(implied) + "'");
  if (!isQuantised(*target))
    return node.error("'" + dtypeName(*target) + "' is no quantised type");
  return *target;
}

/// The type in which x / scale is rounded; int32 scales divide exactly, and
/// powers of two as float32 does.
static FailureOr<DType> divisionType(NodeContext &node) {
  FailureOr<DType> precision = typeAttribute(node, "precision", node.dtype(1));
  if (failed(precision))
    return failure();
  if (*precision == DType::Int32)
    return DType::Float64;
  if (*precision == DType::Float8E8M0)
    return DType::Float32;
  if (!isFloat(*precision))
    return node.error("a division in '" + dtypeName(*precision) +
                      "' is not supported");
  return *precision;
}

/// x / scale as if done in `precision`. Quotients of half types are computed
/// in float32 and rounded once more, which gives the same.
static Value ratioOf(OpBuilder &b, Location loc, Value x, DType xType,
                     Value scale, DType scaleType, DType precision) {
  bool isHalf = precision == DType::Float16 || precision == DType::BFloat16;
  DType wide = isHalf ? DType::Float32 : precision;
  auto rounded = [&](Value value, DType from) {
    value = convertScalar(b, loc, value, from, wide);
    if (!isHalf || from == precision)
      return value;
    value =
        convertScalar(b, loc, value, wide, precision, {.isModelCast = true});
    return convertScalar(b, loc, value, precision, wide);
  };
  Value ratio =
      Scalars(b, loc, wide).div(rounded(x, xType), rounded(scale, scaleType));
  return rounded(ratio, wide);
}

static LogicalResult quantizeLinear(NodeContext &node) {
  DType source = node.dtype(0), scaleType = node.dtype(1);
  if (!isFloat(source) && source != DType::Int32)
    return node.error("input 0 has element type '" + dtypeName(source) +
                      "'; a float type or int32 is needed");
  if (!isFloat(scaleType) && scaleType != DType::Int32 &&
      scaleType != DType::Float8E8M0)
    return node.error("the scale has element type '" + dtypeName(scaleType) +
                      "'; a float type or int32 is needed");
  FailureOr<DType> target = quantizedType(node);
  FailureOr<DType> precision = divisionType(node);
  if (failed(target) || failed(precision))
    return failure();
  bool saturate = node.integer("saturate", 1) != 0;
  DType ratioType =
      *precision == DType::Float64 ? DType::Float64 : DType::Float32;
  return mapWithScale(
      node, *target, [&](OpBuilder &b, Location loc, ValueRange v) {
        Value ratio =
            ratioOf(b, loc, v[0], source, v[1], scaleType, *precision);
        return quantizedScalar(b, loc, ratio, ratioType, v[2], *target,
                               saturate);
      });
}

static LogicalResult dequantizeLinear(NodeContext &node) {
  DType source = node.dtype(0), scaleType = node.dtype(1);
  if (!isQuantised(source) && source != DType::Int32)
    return node.error("input 0 has element type '" + dtypeName(source) +
                      "', which is no quantised type");
  if (!isFloat(scaleType) && scaleType != DType::Float8E8M0)
    return node.error("the scale has element type '" + dtypeName(scaleType) +
                      "'; a float type is needed");
  if (node.has(2) && node.dtype(2) != source)
    return node.error("the zero point has element type '" +
                      dtypeName(node.dtype(2)) + "', the input '" +
                      dtypeName(source) + "'");
  FailureOr<DType> target = typeAttribute(node, "output_dtype", scaleType);
  if (failed(target))
    return failure();
  if (!isFloat(*target))
    return node.error("'output_dtype' is '" + dtypeName(*target) +
                      "'; a float type is needed");
  DType between = isSmallFloat(source) ? DType::Float32 : DType::Int32;
  return mapWithScale(
      node, *target, [&](OpBuilder &b, Location loc, ValueRange v) {
        Value distance = centredScalar(b, loc, v[0], v[2], source, between);
        Value real = convertScalar(b, loc, distance, between, DType::Float32);
        Value scale = convertScalar(b, loc, v[1], scaleType, DType::Float32);
        Value product = Scalars(b, loc, DType::Float32).mul(real, scale);
        return convertScalar(b, loc, product, DType::Float32, *target);
      });
}

/// The range of the input, widened to include 0, is spread over 0 to 255.
static LogicalResult dynamicQuantizeLinear(NodeContext &node) {
  if (node.dtype(0) != DType::Float32)
    return node.error("input 0 has element type '" + dtypeName(node.dtype(0)) +
                      "'; float32 is needed");
  Emitter &emit = node.emit;
  Value tensor = node.in(0);
  SmallVector<bool> all(static_cast<size_t>(rankOf(tensor)), true);
  Scalars s = node.scalars(DType::Float32);
  Value zero = s.number(0);
  auto extreme = [&](Value (Scalars::*op)(Value, Value) const) {
    return emit.scalarOf(emit.reduce(
        tensor, all, zero, [&](OpBuilder &at, Location here, ValueRange v) {
          return (Scalars(at, here, DType::Float32).*op)(v[0], v[1]);
        }));
  };
  // The range includes 0, where the reductions start.
  Value low = extreme(&Scalars::min), high = extreme(&Scalars::max);
  Value scale = s.div(s.sub(high, low), s.number(255));
  // A scale of 0 (nothing but zeros, or numbers too small) divides nothing.
  Value divisor = s.select(s.equal(scale, zero), s.number(1), scale);
  Value start = s.sub(zero, s.div(low, divisor));
  Value point = quantizedScalar(emit.builder, emit.loc, start, DType::Float32,
                                Value(), DType::UInt8);
  Value result =
      emit.map({tensor}, node.typeOf(DType::UInt8),
               [&](OpBuilder &at, Location here, ValueRange v) {
                 Value ratio =
                     Scalars(at, here, DType::Float32).div(v[0], divisor);
                 return quantizedScalar(at, here, ratio, DType::Float32, point,
                                        DType::UInt8);
               });
  node.set(1, emit.filled({}, scale), DType::Float32);
  node.set(2, emit.filled({}, point), DType::UInt8);
  return node.result(result, DType::UInt8);
}

void lh::addQuantisationOps(OpTable &table) {
  using namespace OpRule;
  table.add("QuantizeLinear", {10, 2, Numeric, quantizeLinear});
  table.add("DequantizeLinear", {10, 2, Numeric, dequantizeLinear});
  table.add("DynamicQuantizeLinear", {11, 1, Float, dynamicQuantizeLinear});
  // Older than the standard's newer types, and the same but for them.
  table.add("com.microsoft.QuantizeLinear", {1, 2, Numeric, quantizeLinear});
  table.add("com.microsoft.DequantizeLinear",
            {1, 2, Numeric, dequantizeLinear});
}
