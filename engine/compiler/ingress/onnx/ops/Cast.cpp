// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types.
#include "compiler/ingress/onnx/OpTable.h"

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

static LogicalResult cast(NodeContext &node) {
  int64_t number = node.integer("to", 0);
  std::optional<DType> target = dtypeOfOnnx(number);
  if (!target)
    return node.error("a cast to '" + onnxTypeName(number) +
                          "' is not supported",
                      DiagKind::IngressUnsupportedType);
  return castTo(node, *target);
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

namespace lh {
void addCastOps(OpTable &table) {
  table.add("Cast", {1, 1, OpRule::None, castByName});
  table.add("Cast", {6, 1, OpRule::None, cast});
  table.add("CastLike", {15, 2, OpRule::None, castLike});
}
} // namespace lh
