// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes in the forms that text and bytecode give them, and results.
#include "compiler/ingress/stablehlo/OpContext.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/SmallSet.h"

using namespace lh;
using namespace mlir;

OpContext::OpContext(Operation &op, Emitter &emit, std::vector<HloValue> inputs,
                     Bodies &bodies, DiagnosticSink &sink)
    : op(op), emit(emit), bodies(bodies), sink(sink),
      results(op.getNumResults()), inputs(std::move(inputs)) {}

LogicalResult OpContext::error(const Twine &message, DiagKind kind) const {
  return sink.error(kind, spanOf(op.getLoc()),
                    "'" + op.getName().getStringRef() + "': " + message);
}

FailureOr<Value> OpContext::index(size_t i) const {
  if (!isInteger(dtype(i)))
    return error("operand " + Twine(i) + " is no integer");
  RankedTensorType type = tensorTypeOf(in(i));
  if (type.getRank() > 1 || (type.getRank() == 1 && type.getDimSize(0) != 1))
    return mismatch("operand " + Twine(i) + " of shape " + shapeText(in(i)) +
                    " must have one element");
  return toIndex(emit.builder, emit.loc, emit.scalarOf(in(i)), dtype(i));
}

FailureOr<Sizes> OpContext::indices(size_t i, size_t count) const {
  if (!isInteger(dtype(i)))
    return error("operand " + Twine(i) + " doesn't hold integers");
  RankedTensorType type = tensorTypeOf(in(i));
  if (type.getRank() != 1 || type.getDimSize(0) != static_cast<int64_t>(count))
    return mismatch("operand " + Twine(i) + " of shape " + shapeText(in(i)) +
                    " must have " + Twine(count) + " elements");
  Sizes elements;
  DenseElementsAttr known;
  if (matchPattern(in(i), m_Constant(&known))) {
    for (const APInt &element : known.getValues<APInt>())
      elements.push_back(emit.index(
          isUnsigned(dtype(i)) ? static_cast<int64_t>(element.getZExtValue())
                               : element.getSExtValue()));
    return elements;
  }
  for (size_t k = 0; k < count; ++k) {
    Value place =
        indexConstant(emit.builder, emit.loc, static_cast<int64_t>(k));
    elements.push_back(
        toIndex(emit.builder, emit.loc, emit.extract(in(i), place), dtype(i)));
  }
  return elements;
}

LogicalResult OpContext::needScalar(size_t i, StringRef what) const {
  if (rank(i) == 0)
    return success();
  return mismatch(what + " of shape " + shapeText(in(i)) + " must be a scalar");
}

Attribute OpContext::attribute(StringRef name) const {
  if (Attribute own = op.getAttr(name))
    return own;
  for (NamedAttribute attribute : op.getAttrs())
    if (auto structure = dyn_cast<DictionaryAttr>(attribute.getValue()))
      if (Attribute field = structure.get(name))
        return field;
  if (auto properties =
          dyn_cast_or_null<DictionaryAttr>(op.getPropertiesAsAttribute()))
    for (NamedAttribute attribute : properties)
      if (auto structure = dyn_cast<DictionaryAttr>(attribute.getValue()))
        if (Attribute field = structure.get(name))
          return field;
  return {};
}

static std::optional<SmallVector<int64_t>> integersOf(Attribute attribute) {
  SmallVector<int64_t> values;
  if (!attribute)
    return values;
  if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    values.assign(array.asArrayRef().begin(), array.asArrayRef().end());
    return values;
  }
  if (auto array = dyn_cast<DenseBoolArrayAttr>(attribute)) {
    values.assign(array.asArrayRef().begin(), array.asArrayRef().end());
    return values;
  }
  auto add = [&](const APInt &value) {
    // A truth value has one bit, which is no sign.
    values.push_back(value.getBitWidth() == 1
                         ? static_cast<int64_t>(value.getZExtValue())
                         : value.sextOrTrunc(64).getSExtValue());
  };
  if (auto dense = dyn_cast<DenseIntElementsAttr>(attribute)) {
    for (const APInt &value : dense)
      add(value);
    return values;
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    for (Attribute element : array) {
      auto number = dyn_cast<IntegerAttr>(element);
      if (!number)
        return std::nullopt;
      add(number.getValue());
    }
    return values;
  }
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    add(number.getValue());
    return values;
  }
  return std::nullopt;
}

FailureOr<SmallVector<int64_t>> OpContext::integers(StringRef name) const {
  std::optional<SmallVector<int64_t>> values = integersOf(attribute(name));
  if (values)
    return *values;
  return error("'" + name + "' must be a list of integers");
}

FailureOr<SmallVector<int64_t>>
OpContext::integers(StringRef name, size_t count, int64_t otherwise) const {
  if (!attribute(name))
    return SmallVector<int64_t>(count, otherwise);
  FailureOr<SmallVector<int64_t>> values = integers(name);
  if (failed(values))
    return failure();
  if (values->size() == count)
    return values;
  return error("'" + name + "' has " + Twine(values->size()) + " values, " +
               Twine(count) + " are needed");
}

FailureOr<int64_t> OpContext::integer(StringRef name) const {
  std::optional<SmallVector<int64_t>> values = integersOf(attribute(name));
  if (attribute(name) && values && values->size() == 1)
    return values->front();
  return error("'" + name + "' must be an integer");
}

int64_t OpContext::integer(StringRef name, int64_t otherwise) const {
  std::optional<SmallVector<int64_t>> values = integersOf(attribute(name));
  return attribute(name) && values && values->size() == 1 ? values->front()
                                                          : otherwise;
}

std::string OpContext::word(StringRef name, StringRef otherwise) const {
  if (auto text = dyn_cast_or_null<StringAttr>(attribute(name)))
    return text.str();
  if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(attribute(name)))
    return symbol.getValue().str();
  return otherwise.str();
}

bool OpContext::flag(StringRef name, bool otherwise) const {
  return integer(name, otherwise ? 1 : 0) != 0;
}

FailureOr<SmallVector<int64_t>> OpContext::dimensions(StringRef name,
                                                      int64_t rank) const {
  FailureOr<SmallVector<int64_t>> values = integers(name);
  if (failed(values))
    return failure();
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dim : *values) {
    if (dim < 0 || dim >= rank)
      return error("'" + name + "' names dimension " + Twine(dim) +
                   "; there are " + Twine(rank));
    if (!seen.insert(dim).second)
      return error("'" + name + "' names dimension " + Twine(dim) + " twice");
  }
  return values;
}

RankedTensorType OpContext::declared(size_t i) const {
  auto type =
      cast<RankedTensorType>(op.getResult(static_cast<unsigned>(i)).getType());
  return RankedTensorType::get(type.getShape(), emit.typeOf(resultType(i)));
}

DType OpContext::resultType(size_t i) const {
  Type type = op.getResult(static_cast<unsigned>(i)).getType();
  return *dtypeOf(getElementTypeOrSelf(type));
}

Sizes OpContext::sizesOr(const Sizes &computed, size_t i) const {
  Sizes sizes = computed;
  for (auto [size, declaredSize] : llvm::zip(sizes, declared(i).getShape()))
    if (!ShapedType::isDynamic(declaredSize))
      size = emit.index(declaredSize);
  return sizes;
}
