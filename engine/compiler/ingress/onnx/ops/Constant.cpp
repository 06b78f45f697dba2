// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant's short forms, ConstantOfShape, EyeLike, Trilu.
#include "compiler/ingress/onnx/TensorData.h"
#include "compiler/ingress/onnx/ops/Families.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace lh;
using namespace mlir;

static LogicalResult constantIntegers(NodeContext &node,
                                      ArrayRef<int64_t> values, bool isScalar) {
  if (values.size() <= 64)
    return node.resultElements(node.emit.staticSizes(values), isScalar,
                               DType::Int64);
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    node.typeOf(DType::Int64));
  return node.result(
      arith::ConstantOp::create(node.emit.builder, node.emit.loc,
                                DenseElementsAttr::get(type, values)),
      DType::Int64);
}

/// `value` itself becomes a constant or a weight before nodes are converted.
static LogicalResult constant(NodeContext &node) {
  for (const OnnxAttribute &attribute : node.node.attributes) {
    StringRef name(attribute.name);
    if (name == "value_int")
      return constantIntegers(node, {attribute.i}, true);
    if (name == "value_ints")
      return constantIntegers(node, attribute.ints, false);
    if (name == "value_float")
      return node.result(node.emit.constant({},
                                            {static_cast<double>(attribute.f)},
                                            DType::Float32),
                         DType::Float32);
    if (name == "value_floats") {
      std::vector<double> values(attribute.floats.begin(),
                                 attribute.floats.end());
      return node.result(
          node.emit.constant({static_cast<int64_t>(values.size())}, values,
                             DType::Float32),
          DType::Float32);
    }
    if (name.starts_with("value_string") || name == "sparse_value")
      return node.error("'" + name + "' is not supported",
                        DiagKind::IngressUnsupportedType);
  }
  return node.error("the constant has no value");
}

static LogicalResult constantOfShape(NodeContext &node) {
  Emitter &emit = node.emit;
  FailureOr<Sizes> sizes = node.elements(0);
  if (failed(sizes))
    return failure();
  for (OpFoldResult size : *sizes)
    if (std::optional<int64_t> value = emit.known(size))
      if (*value < 0 || *value > (int64_t(1) << 40))
        return node.error("the shape holds " + Twine(*value),
                          DiagKind::IngressShapeMismatch);
  const OnnxAttribute *attribute = node.attribute("value");
  if (!attribute || !attribute->tensor)
    return node.result(
        emit.filled(*sizes, node.scalars(DType::Float32).number(0)),
        DType::Float32);
  FailureOr<TensorData> data =
      locateTensor(node.model, *attribute->tensor, "value", node.sink);
  if (failed(data))
    return failure();
  if (data->elementCount() != 1)
    return node.error("'value' must hold one element");
  FailureOr<DenseElementsAttr> elements =
      constantOf(node.model, *data, emit.builder.getContext(), node.sink);
  if (failed(elements))
    return failure();
  auto scalar = cast<TypedAttr>(*elements->getValues<Attribute>().begin());
  std::optional<int64_t> length =
      sizes->size() == 1 ? emit.known(sizes->front()) : std::nullopt;
  if (data->dtype == DType::Int64 && length && *length <= 64) {
    int64_t value = cast<IntegerAttr>(scalar).getInt();
    return node.resultElements(
        Sizes(static_cast<size_t>(*length), emit.index(value)), false,
        DType::Int64);
  }
  Value fill = arith::ConstantOp::create(emit.builder, emit.loc, scalar);
  return node.result(emit.filled(*sizes, fill), data->dtype);
}

static LogicalResult eyeLike(NodeContext &node) {
  std::optional<DType> dtype = node.attribute("dtype")
                                   ? dtypeOfOnnx(node.integer("dtype", 0))
                                   : std::optional(node.dtype());
  if (!dtype || node.rank(0) != 2)
    return node.error("EyeLike gives a matrix of a supported type");
  Value diagonal =
      indexConstant(node.emit.builder, node.emit.loc, node.integer("k", 0));
  return node.resultByPlace(
      node.emit.sizesOf(node.in(0)), *dtype,
      [&](OpBuilder &b, Location loc, ValueRange indices) {
        Scalars s(b, loc, *dtype);
        Value shifted = indexAdd(b, loc, indices[0], diagonal);
        Value isOn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           shifted, indices[1]);
        return s.select(isOn, s.number(1), s.number(0));
      });
}

/// Keeps the upper (or lower) triangle of the last two dimensions.
static LogicalResult trilu(NodeContext &node) {
  Emitter &emit = node.emit;
  if (node.rank(0) < 2)
    return node.error("the input needs two dimensions");
  Value shift = indexConstant(emit.builder, emit.loc, 0);
  if (node.has(1)) {
    FailureOr<Sizes> k = node.elements(1);
    if (failed(k))
      return failure();
    if (k->size() != 1)
      return node.error("'k' must be one number");
    // Far enough to miss the matrix, near enough not to overflow.
    OpFoldResult far = emit.index(int64_t(1) << 40);
    OpFoldResult near = emit.min(k->front(), far);
    shift = emit.asValue(emit.max(near, emit.sub(emit.index(0), far)));
  }
  bool isUpper = node.integer("upper", 1) != 0;
  auto rank = static_cast<unsigned>(node.rank(0));
  DType dtype = node.dtype();
  return node.resultOfMap(
      {node.in(0)}, dtype, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, dtype);
        Value row = Emitter::loopIndex(b, loc, rank - 2);
        Value column = Emitter::loopIndex(b, loc, rank - 1);
        Value edge = indexAdd(b, loc, row, shift);
        // upper keeps column >= edge, lower keeps column <= edge
        Value outside = isUpper ? indexLess(b, loc, column, edge)
                                : indexLess(b, loc, edge, column);
        return s.select(outside, s.number(0), v[0]);
      });
}

void lh::addConstantOps(OpTable &table) {
  using namespace OpRule;
  table.add("Constant", {1, 0, None, constant});
  table.add("ConstantOfShape", {9, 1, None, constantOfShape});
  table.add("EyeLike", {9, 1, None, eyeLike});
  table.add("Trilu", {14, 1, None, trilu});
}
