// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales and zero points: how they are read, spread and applied.
#include "compiler/ingress/onnx/ops/Quantised.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace lh;
using namespace mlir;

bool lh::isQuantisedInteger(DType dtype) {
  return isInteger(dtype) && storedBits(dtype) <= 16;
}

bool lh::isQuantised(DType dtype) {
  return isQuantisedInteger(dtype) ||
         (isSmallFloat(dtype) && dtype != DType::Float8E8M0);
}

LogicalResult lh::checkIsByte(NodeContext &node, size_t i) {
  if (node.dtype(i) == DType::UInt8 || node.dtype(i) == DType::Int8)
    return success();
  return node.error("input " + Twine(i) + " has element type '" +
                    dtypeName(node.dtype(i)) + "'; int8 or uint8 is needed");
}

LogicalResult lh::checkZeroType(NodeContext &node, size_t i, size_t of) {
  if (!node.has(i) || node.dtype(i) == node.dtype(of))
    return success();
  return node.error("zero point " + Twine(i) + " has element type '" +
                    dtypeName(node.dtype(i)) + "'; its tensor has '" +
                    dtypeName(node.dtype(of)) + "'");
}

QuantParameter lh::readParameter(NodeContext &node, size_t i) {
  if (!node.has(i))
    return {};
  Value tensor = node.in(i);
  QuantParameter parameter{Value(), Value(), node.dtype(i)};
  bool isOne = llvm::all_of(tensorTypeOf(tensor).getShape(),
                            [](int64_t size) { return size == 1; });
  if (isOne)
    parameter.number = node.emit.scalarOf(tensor);
  else
    parameter.tensor = tensor;
  return parameter;
}

static LogicalResult
checkIsOne(NodeContext &node, const QuantParameter &parameter, StringRef what) {
  if (parameter.isOne())
    return success();
  return node.error(what + " of shape " + shapeText(parameter.tensor) +
                        " must be a single number",
                    DiagKind::IngressShapeMismatch);
}

FailureOr<QuantParameter> lh::readScale(NodeContext &node, size_t i,
                                        StringRef what) {
  if (!node.has(i))
    return node.error(what + " is missing");
  if (!isFloat(node.dtype(i)))
    return node.error(what + " has element type '" + dtypeName(node.dtype(i)) +
                      "'; a float type is needed");
  QuantParameter scale = readParameter(node, i);
  if (failed(checkIsOne(node, scale, what)))
    return failure();
  return scale;
}

FailureOr<QuantParameter> lh::readZeroPoint(NodeContext &node, size_t i,
                                            StringRef what, DType dtype) {
  QuantParameter zero = readParameter(node, i);
  if (node.has(i) && zero.dtype != dtype)
    return node.error(what + " has element type '" + dtypeName(zero.dtype) +
                      "'; '" + dtypeName(dtype) + "' is needed");
  if (failed(checkIsOne(node, zero, what)))
    return failure();
  return zero;
}

LogicalResult lh::checkSpreads(NodeContext &node,
                               const QuantParameter &parameter,
                               const Sizes &sizes, StringRef what) {
  if (parameter.isOne())
    return success();
  Emitter &emit = node.emit;
  Sizes own = emit.sizesOf(parameter.tensor);
  bool fits = own.size() <= sizes.size();
  for (size_t dim = 0; fits && dim < own.size(); ++dim) {
    std::optional<int64_t> size = emit.known(own[dim]);
    std::optional<int64_t> wanted =
        emit.known(sizes[sizes.size() - own.size() + dim]);
    fits = !size || !wanted || *size == 1 || *size == *wanted;
  }
  if (fits)
    return success();
  return node.error(what + " of shape " + shapeText(parameter.tensor) +
                        " does not fit its tensor",
                    DiagKind::IngressShapeMismatch);
}

Value lh::mapQuantised(NodeContext &node, const Sizes &sizes,
                       ArrayRef<Value> tensors,
                       ArrayRef<QuantParameter> parameters, DType result,
                       ScalarBody body) {
  SmallVector<Value> operands(tensors);
  for (const QuantParameter &parameter : parameters)
    if (parameter.tensor)
      operands.push_back(parameter.tensor);
  return node.emit.mapTo(
      sizes, operands, node.typeOf(result),
      [&](OpBuilder &b, Location loc, ValueRange v) {
        SmallVector<Value> values(v.take_front(tensors.size()));
        size_t next = tensors.size();
        for (const QuantParameter &parameter : parameters)
          values.push_back(parameter.tensor ? v[next++] : parameter.number);
        return body(b, loc, values);
      });
}

FailureOr<QuantParameter> lh::combinedScale(NodeContext &node,
                                            const QuantParameter &a,
                                            const QuantParameter &b,
                                            const QuantParameter &y) {
  auto combine = [&](OpBuilder &at, Location loc, ValueRange v) -> Value {
    Scalars s(at, loc, DType::Float32);
    auto real = [&](Value value, DType dtype) {
      return convertScalar(at, loc, value, dtype, DType::Float32);
    };
    Value product = s.mul(real(v[0], a.dtype), real(v[1], b.dtype));
    return v[2] ? s.div(product, real(v[2], y.dtype)) : product;
  };
  Emitter &emit = node.emit;
  if (a.isOne() && b.isOne() && y.isOne())
    return QuantParameter{
        combine(emit.builder, emit.loc,
                SmallVector<Value>{a.number, b.number, y.number}),
        Value(), DType::Float32};
  SmallVector<Value> tensors;
  for (const QuantParameter &parameter : {a, b, y})
    if (parameter.tensor)
      tensors.push_back(parameter.tensor);
  FailureOr<Sizes> sizes = emit.broadcastSizes(tensors);
  if (failed(sizes))
    return node.error("the scales do not broadcast to one shape",
                      DiagKind::IngressShapeMismatch);
  return QuantParameter{
      Value(),
      mapQuantised(node, *sizes, {}, {a, b, y}, DType::Float32, combine),
      DType::Float32};
}

Value lh::centredScalar(OpBuilder &b, Location loc, Value value, Value zero,
                        DType dtype, DType result) {
  Value wide = convertScalar(b, loc, value, dtype, result);
  if (!zero)
    return wide;
  return Scalars(b, loc, result)
      .sub(wide, convertScalar(b, loc, zero, dtype, result));
}

/// Brings `value` into [low, high]; NaN becomes `low`.
static Value clamped(const Scalars &s, Value value, double low, double high) {
  Value least = s.number(low), most = s.number(high);
  value = s.select(s.less(least, value), value, least);
  return s.select(s.less(value, most), value, most);
}

Value lh::quantizedScalar(OpBuilder &b, Location loc, Value ratio,
                          DType ratioType, Value zero, DType target,
                          bool saturate) {
  Scalars s(b, loc, ratioType);
  bool isReal = isSmallFloat(target);
  Value shifted =
      isReal ? ratio : Value(math::RoundEvenOp::create(b, loc, ratio));
  if (zero)
    shifted = s.add(shifted, convertScalar(b, loc, zero, target, ratioType));
  if (isReal) {
    CastRules rules;
    rules.saturate = saturate;
    return convertScalar(b, loc, shifted, ratioType, target, rules);
  }
  double span = static_cast<double>(1u << storedBits(target));
  double low = isUnsigned(target) ? 0 : -span / 2;
  // Whole numbers in the range of 16 bits: the conversion is exact.
  Value inRange = clamped(s, shifted, low, low + span - 1);
  Value wide = arith::FPToSIOp::create(b, loc, b.getI32Type(), inRange);
  return arith::TruncIOp::create(b, loc, elementTypeOf(target, b.getContext()),
                                 wide);
}

Value lh::centred(NodeContext &node, Value tensor, DType dtype,
                  const QuantParameter &zero, DType result) {
  return mapQuantised(node, node.emit.sizesOf(tensor), {tensor}, {zero}, result,
                      [&](OpBuilder &b, Location loc, ValueRange v) {
                        return centredScalar(b, loc, v[0], v[1], dtype, result);
                      });
}

Value lh::requantized(NodeContext &node, Value tensor, DType dtype,
                      const QuantParameter &scale, const QuantParameter &zero,
                      DType target) {
  return mapQuantised(node, node.emit.sizesOf(tensor), {tensor}, {scale, zero},
                      target, [&](OpBuilder &b, Location loc, ValueRange v) {
                        Scalars s(b, loc, DType::Float32);
                        Value real =
                            convertScalar(b, loc, v[0], dtype, DType::Float32);
                        return quantizedScalar(b, loc, s.mul(real, v[1]),
                                               DType::Float32, v[2], target);
                      });
}
