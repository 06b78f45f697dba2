// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked access to a node's inputs and attributes.
#include "compiler/ingress/onnx/NodeContext.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace lh;
using namespace mlir;

/// Longer integer vectors are data, not shapes.
static constexpr int64_t maxElements = 64;

NodeContext::NodeContext(const OnnxModel &model, const OnnxNode &node,
                         const OnnxNode &user, int64_t opset, Emitter &emit,
                         std::vector<ImportedValue *> inputs,
                         BodyImporter &bodies, DiagnosticSink &sink)
    : model(model), node(node), user(user), emit(emit), opset(opset),
      bodies(bodies), sink(sink), results(node.outputs.size()),
      inputs(std::move(inputs)) {}

LogicalResult NodeContext::error(const Twine &message, DiagKind kind) const {
  std::string part;
  bool isNamed = &node != &user && !opType().starts_with("_");
  if (isNamed)
    part = ("its " + opType() + ": ").str();
  return sink.error(kind, SourceSpan{model.path},
                    "node '" + user.displayName() + "' (" +
                        StringRef(user.opType) + "): " + part + message);
}

Value lh::materialize(ImportedValue &value, Emitter &emit) {
  if (!value.tensor)
    value.tensor =
        emit.fromElements(*value.elements, value.isScalar, value.dtype);
  return value.tensor;
}

Value NodeContext::in(size_t i) { return materialize(*inputs[i], emit); }

int64_t NodeContext::rank(size_t i) {
  if (!inputs[i]->tensor)
    return inputs[i]->isScalar ? 0 : 1;
  return rankOf(inputs[i]->tensor);
}

Type NodeContext::elementType(size_t i) { return typeOf(dtype(i)); }

FailureOr<SmallVector<Value>> NodeContext::allInputs() {
  SmallVector<Value> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!has(i))
      return error("input " + Twine(i) + " is missing");
    values.push_back(in(i));
  }
  return values;
}

FailureOr<Value> NodeContext::scalar(size_t i) {
  Value tensor = in(i);
  for (int64_t size : tensorTypeOf(tensor).getShape())
    if (size != 1 && !ShapedType::isDynamic(size))
      return error("input " + Twine(i) + " must be one number, not " +
                       shapeText(tensor),
                   DiagKind::IngressShapeMismatch);
  return emit.scalarOf(tensor);
}

bool NodeContext::hasKnownElements(size_t i) const {
  return has(i) && inputs[i]->elements.has_value();
}

FailureOr<Sizes> NodeContext::elements(size_t i) {
  return elements(*inputs[i], "input " + Twine(i));
}

FailureOr<Sizes> NodeContext::elements(ImportedValue &value,
                                       const Twine &what) {
  if (value.elements)
    return *value.elements;
  RankedTensorType type = tensorTypeOf(value.tensor);
  if (!isInteger(value.dtype) || type.getRank() > 1)
    return error(what + " must be an integer scalar or vector");
  if (!type.hasStaticShape() || type.getNumElements() > maxElements)
    return error("the length of " + what + " must be known at import");
  Sizes elements;
  for (int64_t k = 0; k < type.getNumElements(); ++k) {
    SmallVector<Value> position;
    if (type.getRank() == 1)
      position.push_back(indexConstant(emit.builder, emit.loc, k));
    Value scalar = emit.extract(value.tensor, position);
    elements.push_back(toIndex(emit.builder, emit.loc, scalar, value.dtype));
  }
  value.elements = elements;
  value.isScalar = type.getRank() == 0;
  return elements;
}

FailureOr<std::vector<int64_t>> NodeContext::knownIntegers(size_t i,
                                                           StringRef what) {
  if (inputs[i]->elements) {
    std::vector<int64_t> values;
    for (OpFoldResult element : *inputs[i]->elements)
      if (std::optional<int64_t> value = getConstantIntValue(element))
        values.push_back(*value);
    if (values.size() == inputs[i]->elements->size())
      return values;
  }
  return error("'" + what + "' must be known at import",
               DiagKind::IngressUnsupportedOp);
}

std::optional<std::vector<double>> NodeContext::knownNumbers(size_t i) {
  DenseElementsAttr attribute;
  if (!matchPattern(in(i), m_Constant(&attribute)))
    return std::nullopt;
  std::vector<double> values;
  if (isFloat(dtype(i))) {
    for (const APFloat &value : attribute.getValues<APFloat>())
      values.push_back(value.convertToDouble());
    return values;
  }
  for (const APInt &value : attribute.getValues<APInt>())
    values.push_back(isSmallFloat(dtype(i))
                         ? decodeSmallFloat(dtype(i), static_cast<uint8_t>(
                                                          value.getZExtValue()))
                         : value.roundToDouble(!isUnsigned(dtype(i))));
  return values;
}

FailureOr<std::vector<int64_t>> NodeContext::fixedNumbers(size_t i,
                                                          StringRef what) {
  ImportedValue &value = *inputs[i];
  if (!value.isTensor())
    return error(what + " is a sequence or an optional",
                 DiagKind::IngressUnsupportedOp);
  std::vector<int64_t> numbers;
  if (value.elements)
    for (OpFoldResult element : *value.elements)
      if (std::optional<int64_t> known = getConstantIntValue(element))
        numbers.push_back(*known);
  if (value.elements && numbers.size() == value.elements->size())
    return numbers;
  if (std::optional<std::vector<double>> known = knownNumbers(i))
    return std::vector<int64_t>(known->begin(), known->end());
  if (value.bound.empty())
    return error(what + " must be known at import, as the length of a sequence "
                        "depends on it ('shapes: case' takes it from the data)",
                 DiagKind::IngressUnsupportedOp);
  Scalars s = scalars(value.dtype);
  for (auto [place, number] : llvm::enumerate(value.bound)) {
    SmallVector<Value> at;
    if (rank(i) == 1)
      at.push_back(emit.asValue(emit.index(static_cast<int64_t>(place))));
    Value own = extractElement(emit.builder, emit.loc, in(i), at);
    emit.require(s.equal(own, s.integer(number)),
                 what + " is not the " + Twine(number) +
                     " for which the model was imported");
  }
  return value.bound;
}

FailureOr<int64_t> NodeContext::fixedNumber(size_t i, StringRef what) {
  FailureOr<std::vector<int64_t>> numbers = fixedNumbers(i, what);
  if (failed(numbers))
    return failure();
  if (numbers->size() != 1)
    return error(what + " must be one number");
  return numbers->front();
}

int64_t NodeContext::integer(StringRef name, int64_t otherwise) const {
  const OnnxAttribute *found = node.find(name);
  return found ? found->i : otherwise;
}

double NodeContext::number(StringRef name, double otherwise) const {
  const OnnxAttribute *found = node.find(name);
  return found ? static_cast<double>(found->f) : otherwise;
}

std::string NodeContext::text(StringRef name, StringRef otherwise) const {
  const OnnxAttribute *found = node.find(name);
  return found ? std::string(found->s) : otherwise.str();
}

std::optional<std::vector<int64_t>>
NodeContext::integers(StringRef name) const {
  const OnnxAttribute *found = node.find(name);
  if (!found)
    return std::nullopt;
  return found->ints;
}

std::optional<std::vector<float>> NodeContext::numbers(StringRef name) const {
  const OnnxAttribute *found = node.find(name);
  if (!found)
    return std::nullopt;
  return found->floats;
}

FailureOr<int64_t> NodeContext::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    return error("axis " + Twine(axis) + " is outside of a tensor of rank " +
                 Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<bool>> NodeContext::axisMask(ArrayRef<int64_t> axes,
                                                   int64_t rank) const {
  SmallVector<bool> mask(static_cast<size_t>(rank), false);
  for (int64_t each : axes) {
    FailureOr<int64_t> position = axis(each, rank);
    if (failed(position))
      return failure();
    bool &slot = mask[static_cast<size_t>(*position)];
    if (slot)
      return error("axis " + Twine(each) + " is given twice");
    slot = true;
  }
  return mask;
}

FailureOr<std::vector<size_t>> NodeContext::namedDims() {
  std::vector<int64_t> axes(static_cast<size_t>(rank(0)));
  std::iota(axes.begin(), axes.end(), 0);
  axes = integers("axes").value_or(axes);
  if (failed(axisMask(axes, rank(0))))
    return failure();
  std::vector<size_t> dims;
  for (int64_t axis : axes)
    dims.push_back(static_cast<size_t>(axis < 0 ? axis + rank(0) : axis));
  return dims;
}

void NodeContext::set(size_t i, Value tensor, DType dtype) {
  if (i < results.size())
    results[i] = ImportedValue{tensor, dtype, std::nullopt, false};
}

LogicalResult NodeContext::resultElements(Sizes elements, bool isScalar,
                                          DType dtype) {
  results.front() =
      ImportedValue{Value(), dtype, std::move(elements), isScalar};
  return success();
}

FailureOr<Value> NodeContext::map(ArrayRef<Value> values, DType resultType,
                                  ScalarBody body) {
  FailureOr<Sizes> sizes = emit.broadcastSizes(values);
  if (succeeded(sizes))
    return emit.mapTo(*sizes, values, typeOf(resultType), body);
  std::string shapes;
  for (Value value : values)
    shapes += (shapes.empty() ? "" : " and ") + shapeText(value);
  return error("cannot broadcast " + shapes, DiagKind::IngressShapeMismatch);
}

LogicalResult NodeContext::resultOfMap(ArrayRef<Value> values, DType dtype,
                                       ScalarBody body) {
  FailureOr<Value> value = map(values, dtype, body);
  return failed(value) ? failure() : result(*value, dtype);
}
