// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences and optionals at a model's border: as many tensors, which the case
// tells.
#include "compiler/ingress/onnx/GraphImporter.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace lh;

static std::string elementName(StringRef list, size_t place) {
  return (list + "[" + llvm::Twine(place) + "]").str();
}

/// By position, or by the names of the elements.
std::optional<BoundList> GraphImporter::boundList(const OnnxValueInfo &input,
                                                  size_t position) const {
  if (!options.bindShapes)
    return std::nullopt;
  const std::vector<BoundShape> &given = *options.bindShapes;
  if (position < given.size() && given[position].list)
    return given[position].list;
  StringRef name(input.name);
  bool isSingle = input.isOptionalTensor();
  BoundList list{{}, true};
  while (true) {
    auto found = llvm::find_if(given, [&](const BoundShape &bound) {
      size_t place = list.elements.size();
      return bound.name == (isSingle ? name.str() : elementName(name, place));
    });
    if (found == given.end())
      break;
    list.elements.push_back(found->shape);
    if (isSingle)
      break;
  }
  return list.elements.empty() ? std::nullopt : std::optional(list);
}

LogicalResult GraphImporter::collectList(const OnnxValueInfo &input,
                                         size_t position) {
  StringRef name(input.name);
  std::optional<DType> dtype = inputType(input);
  if (!dtype)
    return failure();
  std::optional<BoundList> bound = boundList(input, position);
  bool isSingle = input.isOptionalTensor();
  if (!bound || (isSingle && bound->elements.size() > 1))
    return sink.error(
        DiagKind::IngressUnsupportedType, {model.path},
        "input '" + name + "' is " +
            (isSingle ? "an optional; whether it is there"
                      : "a sequence; how many tensors it has") +
            " must be known at import ('shapes: case' takes it from the data)");
  for (auto [place, shape] : llvm::enumerate(bound->elements)) {
    auto type =
        mlir::RankedTensorType::get(shape, elementTypeOf(*dtype, &context));
    arguments.push_back({isSingle ? name.str() : elementName(name, place),
                         *dtype, type, std::nullopt,
                         std::vector<std::string>(shape.size())});
  }
  inputLists.back() = InputList{bound->elements.size(), bound->hasValue};
  return success();
}

ImportedValue GraphImporter::listOf(const OnnxValueInfo &input,
                                    const InputList &list,
                                    std::vector<ImportedValue> elements) {
  if (input.isOptionalTensor() && !elements.empty())
    return elements.front();
  ImportedValue value;
  value.dtype = dtypeOfOnnx(input.elementType).value_or(DType::Float32);
  value.isAbsent =
      input.kind == OnnxValueInfo::Kind::Optional && !list.hasValue;
  if (!value.isAbsent)
    value.sequence =
        std::make_shared<const std::vector<ImportedValue>>(std::move(elements));
  return value;
}

FailureOr<GraphImporter::Leaves>
GraphImporter::leavesOf(const OnnxValueInfo &output,
                        const ImportedValue &value) {
  if (value.isTensor())
    return Leaves{{output, value}};
  if (output.kind == OnnxValueInfo::Kind::Tensor)
    return sink.error(
        DiagKind::IngressShapeMismatch, {model.path},
        "output '" + StringRef(output.name) +
            "' is declared as a tensor, but the nodes give " +
            (value.sequence ? "a sequence" : "an optional without one"));
  Leaves leaves;
  if (!value.sequence)
    return leaves;
  for (auto [place, element] : llvm::enumerate(*value.sequence)) {
    OnnxValueInfo info = output;
    info.name =
        leafNames.emplace_back(elementName(StringRef(output.name), place));
    info.shape.reset(); // which speaks of all elements
    leaves.emplace_back(info, element);
  }
  return leaves;
}
