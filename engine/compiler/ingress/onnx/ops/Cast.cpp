// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types.
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

/// What the node's attributes and the opset's text say.
static FailureOr<CastRules> rulesOf(NodeContext &node) {
  CastRules rules;
  rules.isModelCast = true;
  rules.saturate = node.integer("saturate", 1) != 0;
  rules.infinityIsNaN = node.opset < 24;
  // Out of range the text leaves the result open; ONNX's own results
  // saturated until the types of ml_dtypes came.
  rules.dropsUpperBits = node.opset >= 23;
  std::string rounding = node.text("round_mode", "up");
  if (rounding == "down")
    rules.rounding = PowerRounding::Down;
  else if (rounding == "nearest")
    rules.rounding = PowerRounding::Nearest;
  else if (rounding != "up")
    return node.error("round_mode is '" + rounding +
                      "'; it can be 'up', 'down' and 'nearest'");
  return rules;
}

/// Elements known at import lose their upper bits as any others do.
static Sizes asInt32(const Sizes &elements, Emitter &emit) {
  Sizes narrow;
  for (OpFoldResult element : elements) {
    std::optional<int64_t> value = emit.known(element);
    narrow.push_back(value ? emit.index(static_cast<int32_t>(*value))
                           : element);
  }
  return narrow;
}

static LogicalResult castTo(NodeContext &node, DType target) {
  DType source = node.dtype();
  // Shapes stay known through the casts exporters put between int types.
  bool keepsElements = node.hasKnownElements(0) &&
                       (target == DType::Int64 || target == DType::Int32) &&
                       (source == DType::Int64 || source == DType::Int32);
  if (keepsElements) {
    const ImportedValue &value = node.raw(0);
    return node.resultElements(target == DType::Int32
                                   ? asInt32(*value.elements, node.emit)
                                   : *value.elements,
                               value.isScalar, target);
  }
  FailureOr<CastRules> rules = rulesOf(node);
  if (failed(rules))
    return failure();
  return node.result(node.emit.convert(node.in(0), source, target, *rules),
                     target);
}

/// The type that `to` stands for.
static FailureOr<DType> castTarget(NodeContext &node) {
  int64_t number = node.integer("to", 0);
  if (std::optional<DType> target = dtypeOfOnnx(number))
    return *target;
  return node.error("a cast to '" + onnxTypeName(number) +
                        "' is not supported",
                    DiagKind::IngressUnsupportedType);
}

static LogicalResult cast(NodeContext &node) {
  FailureOr<DType> target = castTarget(node);
  return failed(target) ? failure() : castTo(node, *target);
}

/// Before opset 6 the type was given by its name, such as 'FLOAT'.
static LogicalResult castByName(NodeContext &node) {
  std::string text = node.text("to", "");
  StringRef name(text);
  if (name.equals_insensitive("float"))
    name = "float32";
  if (name.equals_insensitive("double"))
    name = "float64";
  for (int64_t number = 1; number <= 16; ++number)
    if (name.equals_insensitive(onnxTypeName(number)))
      if (std::optional<DType> target = dtypeOfOnnx(number))
        return castTo(node, *target);
  return node.error("a cast to '" + text + "' is not supported",
                    DiagKind::IngressUnsupportedType);
}

static LogicalResult castLike(NodeContext &node) {
  return castTo(node, node.dtype(1));
}

/// Types of at most eight bits are bytes that hold an element in a form of
/// their own: bools are 0 or 1, signed integers repeat their sign.
static Value asKept(const Scalars &s, Value byte, DType target) {
  Type type = byte.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(s.builder, s.loc, type, value);
  };
  if (target == DType::Bool)
    return s.toBool(arith::CmpIOp::create(
        s.builder, s.loc, arith::CmpIPredicate::ne, byte, constant(0)));
  if (!isPacked(target))
    return byte;
  int64_t bits = storedBits(target);
  if (isInteger(target) && !isUnsigned(target)) {
    Value count = constant(8 - bits);
    Value high = arith::ShLIOp::create(s.builder, s.loc, byte, count);
    return arith::ShRSIOp::create(s.builder, s.loc, high, count);
  }
  return arith::AndIOp::create(s.builder, s.loc, byte,
                               constant((int64_t(1) << bits) - 1));
}

/// The bits of the elements, taken for another type of their width.
static LogicalResult bitCast(NodeContext &node) {
  FailureOr<DType> target = castTarget(node);
  if (failed(target))
    return failure();
  if (storedBits(*target) != storedBits(node.dtype()))
    return node.error("elements of '" + dtypeName(node.dtype()) + "' and '" +
                      dtypeName(*target) + "' differ in width");
  Type type = node.typeOf(*target);
  return node.result(
      node.emit.map({node.in(0)}, type,
                    [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                      if (v[0].getType() != type)
                        return arith::BitcastOp::create(b, loc, type, v[0]);
                      if (storedBits(*target) > 8)
                        return v[0];
                      return asKept(Scalars(b, loc, *target), v[0], *target);
                    }),
      *target);
}

void lh::addCastOps(OpTable &table) {
  table.add("Cast", {1, 1, OpRule::None, castByName});
  table.add("Cast", {6, 1, OpRule::None, cast});
  table.add("CastLike", {15, 2, OpRule::None, castLike});
  table.add("BitCast", {26, 1, OpRule::None, bitCast});
}
