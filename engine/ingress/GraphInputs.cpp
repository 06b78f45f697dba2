// What the importer decides before it builds anything: which operators it
// can convert, what the entry's arguments are, which tensors are constants.
#include "ingress/GraphImporter.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace lh;

/// The newest opset whose changes the converters follow.
static constexpr int64_t newestOpset = 25;
/// Larger initialisers stay in the file, as arguments.
static constexpr int64_t maxConstantBytes = 4096;

LogicalResult GraphImporter::checkOperators() {
  unsigned before = sink.errorCount();
  if (model.opset > newestOpset)
    return sink.error(DiagKind::IngressUnsupportedVersion, {model.path},
                      "the model uses opset " + Twine(model.opset) +
                          "; opsets up to " + Twine(newestOpset) +
                          " are supported");
  for (const OnnxNode &node : model.graph.nodes) {
    StringRef domain(node.domain), name(node.opType);
    bool isOurs = domain.empty() || domain == "ai.onnx";
    if (isOurs && (table.find(name, model.opset) || name == "Constant"))
      continue;
    std::string full = isOurs ? name.str() : (domain + "." + name).str();
    (void)sink.error(DiagKind::IngressUnsupportedOp, {model.path},
                     "op '" + full + "' (opset " + Twine(model.opset) +
                         ", node '" + node.displayName() +
                         "') is not supported");
  }
  return llvm::success(sink.errorCount() == before);
}

const BoundShape *GraphImporter::boundShape(StringRef name,
                                            size_t position) const {
  if (!options.bindShapes)
    return nullptr;
  for (const BoundShape &bound : *options.bindShapes)
    if (!bound.name.empty() && bound.name == name)
      return &bound;
  if (position < options.bindShapes->size() &&
      (*options.bindShapes)[position].name.empty())
    return &(*options.bindShapes)[position];
  return nullptr;
}

FailureOr<std::vector<int64_t>>
GraphImporter::inputShape(const OnnxValueInfo &input, size_t position,
                          std::vector<std::string> &symbols) {
  StringRef name(input.name);
  const BoundShape *bound = boundShape(name, position);
  if (!input.shape && !bound)
    return sink.error(DiagKind::IngressUnsupportedType, {model.path},
                      "input '" + name +
                          "' has no declared rank; give its shape "
                          "('shapes: case')");
  if (!input.shape)
    return bound->shape;
  if (bound && bound->shape.size() != input.shape->size())
    return sink.error(
        DiagKind::IngressShapeMismatch, {model.path},
        "input '" + name + "' has rank " + Twine(input.shape->size()) +
            ", but is bound to a shape of rank " + Twine(bound->shape.size()));
  std::vector<int64_t> shape;
  for (auto [dim, declared] : llvm::enumerate(*input.shape)) {
    if (declared.size && *declared.size < 0)
      return sink.error(DiagKind::IngressMalformedModel, {model.path},
                        "input '" + name + "' has the negative dimension " +
                            Twine(*declared.size));
    if (bound && declared.size && bound->shape[dim] != *declared.size)
      return sink.error(DiagKind::IngressShapeMismatch, {model.path},
                        "dimension " + Twine(dim) + " of input '" + name +
                            "' is " + Twine(*declared.size) +
                            ", but is bound to " + Twine(bound->shape[dim]));
    symbols.push_back(bound ? "" : std::string(declared.symbol));
    if (bound)
      shape.push_back(bound->shape[dim]);
    else
      shape.push_back(declared.size.value_or(mlir::ShapedType::kDynamic));
  }
  return shape;
}

static const char *kindWord(OnnxValueInfo::Kind kind) {
  switch (kind) {
  case OnnxValueInfo::Kind::Sequence:
    return "a sequence";
  case OnnxValueInfo::Kind::Map:
    return "a map";
  case OnnxValueInfo::Kind::Optional:
    return "an optional";
  case OnnxValueInfo::Kind::SparseTensor:
    return "a sparse tensor";
  default:
    return "without a type";
  }
}

LogicalResult GraphImporter::collectInputs() {
  unsigned before = sink.errorCount();
  for (const OnnxValueInfo &output : model.graph.outputs)
    if (output.kind != OnnxValueInfo::Kind::Tensor &&
        output.kind != OnnxValueInfo::Kind::None)
      (void)sink.error(DiagKind::IngressUnsupportedType, {model.path},
                       "output '" + StringRef(output.name) + "' is " +
                           kindWord(output.kind) +
                           "; only tensors are supported");
  for (auto [position, input] : llvm::enumerate(model.graph.inputs)) {
    StringRef name(input.name);
    if (input.kind != OnnxValueInfo::Kind::Tensor) {
      (void)sink.error(DiagKind::IngressUnsupportedType, {model.path},
                       "input '" + name + "' is " + kindWord(input.kind) +
                           "; only tensors are supported");
      continue;
    }
    std::optional<DType> dtype = dtypeOfOnnx(input.elementType);
    if (!dtype) {
      (void)sink.error(DiagKind::IngressUnsupportedType, {model.path},
                       "input '" + name + "' has element type '" +
                           onnxTypeName(input.elementType) +
                           "', which is not supported");
      continue;
    }
    Argument argument{name.str(), *dtype, {}, std::nullopt, {}};
    auto shape = inputShape(input, position, argument.symbols);
    if (failed(shape))
      continue;
    argument.type =
        mlir::RankedTensorType::get(*shape, elementTypeOf(*dtype, &context));
    arguments.push_back(std::move(argument));
  }
  return llvm::success(sink.errorCount() == before);
}

LogicalResult GraphImporter::addTensor(const OnnxTensor &tensor,
                                       StringRef name) {
  FailureOr<TensorData> data = locateTensor(model, tensor, name, sink);
  if (failed(data))
    return failure();
  if (data->bytes <= maxConstantBytes || data->file.empty()) {
    constants.emplace_back(name.str(), std::move(*data));
    return llvm::success();
  }
  bool asBytes = isPacked(data->dtype);
  DType dtype = asBytes ? DType::UInt8 : data->dtype;
  auto type = mlir::RankedTensorType::get(
      asBytes ? std::vector<int64_t>{data->bytes} : data->shape,
      elementTypeOf(dtype, &context));
  arguments.push_back(Argument{name.str(), dtype, type, std::move(*data), {}});
  return llvm::success();
}

LogicalResult GraphImporter::collectTensors() {
  unsigned before = sink.errorCount();
  for (std::string_view name : model.graph.sparseInitializers)
    (void)sink.error(DiagKind::IngressUnsupportedType, {model.path},
                     "initialiser '" + StringRef(name) +
                         "' is a sparse tensor, which is not supported");
  for (const OnnxTensor &tensor : model.graph.initializers)
    (void)addTensor(tensor, StringRef(tensor.name));
  for (const OnnxNode &node : model.graph.nodes) {
    const OnnxAttribute *value = node.find("value");
    if (node.opType != "Constant" || node.outputs.size() != 1 || !value)
      continue;
    if (value->tensor)
      (void)addTensor(*value->tensor, StringRef(node.outputs.front()));
    else
      (void)sink.error(DiagKind::IngressInvalidNode, {model.path},
                       "node '" + node.displayName() +
                           "' (Constant): 'value' is not a tensor");
  }
  return llvm::success(sink.errorCount() == before);
}
