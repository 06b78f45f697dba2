// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the importer decides before it builds anything: which operators it
// can convert, what the entry's arguments are, which tensors are constants.
#include "compiler/ingress/onnx/GraphImporter.h"
#include "compiler/ingress/onnx/OnnxSupport.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace lh;

/// Each level of calls takes stack.
static constexpr unsigned maxCallDepth = 64;
/// Larger initialisers stay in the file, as arguments.
static constexpr int64_t maxConstantBytes = 4096;

LogicalResult GraphImporter::checkOperators() {
  unsigned before = sink.errorCount();
  if (model.opset > newestOpset)
    return sink.error(DiagKind::IngressUnsupportedVersion, {model.path},
                      "the model uses opset " + Twine(model.opset) +
                          "; opsets up to " + Twine(newestOpset) +
                          " are supported");
  checkNodes(model.graph.nodes, model.opsets);
  return llvm::success(sink.errorCount() == before);
}

int64_t GraphImporter::opsetOf(const OnnxNode &node,
                               const std::vector<OnnxOpset> &opsets) const {
  StringRef domain(node.domain);
  int64_t version = versionOf(domain, opsets);
  return version != 0 ? version : versionOf(domain, model.opsets);
}

/// A function's nodes are checked once, and only when it is called.
void GraphImporter::checkCall(const OnnxNode &node,
                              const OnnxFunction &callee) {
  auto [visit, isNew] = functions.try_emplace(&callee, Visit::Active);
  if (!isNew && visit->second == Visit::Active)
    (void)sink.error(DiagKind::IngressInvalidNode, {model.path},
                     "node '" + node.displayName() + "' calls the function '" +
                         node.fullName() + "' inside itself");
  if (!isNew)
    return;
  if (++callDepth > maxCallDepth)
    (void)sink.error(DiagKind::IngressMalformedModel, {model.path},
                     "functions call each other more than " +
                         Twine(maxCallDepth) + " deep");
  else
    checkNodes(callee.nodes, callee.opsets);
  --callDepth;
  functions[&callee] = Visit::Done;
}

void GraphImporter::checkNodes(const Nodes &nodes,
                               const std::vector<OnnxOpset> &opsets) {
  for (const OnnxNode &node : nodes) {
    for (const OnnxAttribute &attribute : node.attributes)
      if (attribute.graph)
        checkNodes(attribute.graph->nodes, opsets);
    if (const OnnxFunction *callee = model.calledBy(node)) {
      checkCall(node, *callee);
      continue;
    }
    std::string name = node.fullName();
    int64_t opset = opsetOf(node, opsets);
    if (table.find(name, opset) && !isPrivateOperator(name))
      continue;
    StringRef refusal = refusalOf(name);
    (void)sink.error(DiagKind::IngressUnsupportedOp, {model.path},
                     "op '" + name + "' (opset " + Twine(opset) + ", node '" +
                         node.displayName() + "') is not supported" +
                         (refusal.empty() ? "" : ": " + refusal));
  }
}

FailureOr<std::vector<int64_t>>
GraphImporter::inputShape(const OnnxValueInfo &input, size_t position,
                          std::vector<std::string> &symbols) {
  StringRef name(input.name);
  const BoundShape *bound = boundTo(options.bindShapes, name, position);
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
    if (declared.size && *declared.size > maxTensorSize)
      return sink.error(DiagKind::IngressMalformedModel, {model.path},
                        "input '" + name + "' has the dimension " +
                            Twine(*declared.size) +
                            ", more than any memory holds");
    if (bound && declared.size && bound->shape[dim] != *declared.size)
      return sink.error(DiagKind::IngressShapeMismatch, {model.path},
                        "dimension " + Twine(dim) + " of input '" + name +
                            "' is " + Twine(*declared.size) +
                            ", but is bound to " + Twine(bound->shape[dim]));
    symbols.emplace_back(declared.symbol);
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

/// Of bound shapes: what one symbol names must be bound to one size.
void GraphImporter::checkSymbols(const Argument &argument,
                                 ArrayRef<int64_t> shape) {
  for (auto [dim, symbol] : llvm::enumerate(argument.symbols)) {
    if (symbol.empty() || shape[dim] < 0)
      continue;
    std::string here =
        ("dimension " + Twine(dim) + " of input '" + argument.name + "'").str();
    auto [first, isNew] =
        boundSymbols.try_emplace(symbol, std::pair(shape[dim], here));
    if (!isNew && first->second.first != shape[dim])
      (void)sink.error(DiagKind::IngressShapeMismatch, {model.path},
                       here + " is bound to " + Twine(shape[dim]) + ", but '" +
                           symbol + "' is " + Twine(first->second.first) +
                           ", as " + first->second.second + " has it");
  }
}

/// An error when there is none.
std::optional<DType> GraphImporter::inputType(const OnnxValueInfo &input) {
  std::optional<DType> dtype = dtypeOfOnnx(input.elementType);
  if (!dtype)
    (void)sink.error(
        DiagKind::IngressUnsupportedType, {model.path},
        "input '" + StringRef(input.name) + "' has element type '" +
            onnxTypeName(input.elementType) + "', which is not supported");
  return dtype;
}

LogicalResult GraphImporter::collectTensorInput(const OnnxValueInfo &input,
                                                size_t position) {
  StringRef name(input.name);
  std::optional<DType> dtype = inputType(input);
  if (!dtype)
    return failure();
  Argument argument{name.str(), *dtype, {}, std::nullopt, {}};
  auto shape = inputShape(input, position, argument.symbols);
  if (failed(shape))
    return failure();
  if (options.bindShapes)
    checkSymbols(argument, *shape);
  if (const BoundShape *bound = boundTo(options.bindShapes, name, position))
    argument.values = bound->values;
  argument.type =
      mlir::RankedTensorType::get(*shape, elementTypeOf(*dtype, &context));
  arguments.push_back(std::move(argument));
  return success();
}

LogicalResult GraphImporter::collectInputs() {
  using Kind = OnnxValueInfo::Kind;
  unsigned before = sink.errorCount();
  auto refuse = [&](StringRef place, const OnnxValueInfo &value) {
    (void)sink.error(DiagKind::IngressUnsupportedType, {model.path},
                     place + " '" + StringRef(value.name) + "' is " +
                         kindWord(value.kind) +
                         "; only tensors, sequences of them and optional ones "
                         "are supported");
  };
  for (const OnnxValueInfo &output : model.graph.outputs)
    if (output.kind != Kind::Tensor && output.kind != Kind::None &&
        !output.isList())
      refuse("output", output);
  for (auto [position, input] : llvm::enumerate(model.graph.inputs)) {
    inputLists.emplace_back();
    if (input.kind == Kind::Tensor)
      (void)collectTensorInput(input, position);
    else if (input.isList())
      (void)collectList(input, position);
    else
      refuse("input", input);
  }
  return llvm::success(sink.errorCount() == before);
}

void GraphImporter::addTensor(const OnnxTensor &tensor, StringRef name) {
  FailureOr<TensorData> data = locateTensor(model, tensor, name, sink);
  if (failed(data))
    return;
  KeptTensor &kept = tensors[&tensor];
  kept.data = std::move(*data);
  if (kept.data.bytes <= maxConstantBytes || kept.data.file.empty())
    return;
  // Subgraphs and functions may use one name for several tensors.
  std::string unique = name.str();
  for (unsigned i = 1; !weightNames.insert(unique).second; ++i)
    unique = (name + "." + Twine(i)).str();
  // Elements of less than a byte are unpacked at run time.
  bool asBytes = isPacked(kept.data.dtype);
  DType dtype = asBytes ? DType::UInt8 : kept.data.dtype;
  auto type = mlir::RankedTensorType::get(
      asBytes ? std::vector<int64_t>{kept.data.bytes} : kept.data.shape,
      elementTypeOf(dtype, &context));
  kept.argument = static_cast<unsigned>(arguments.size());
  arguments.push_back(Argument{unique, dtype, type, kept.data, {}});
}

void GraphImporter::collectFrom(const OnnxGraph &graph) {
  for (std::string_view name : graph.sparseInitializers)
    (void)sink.error(DiagKind::IngressUnsupportedType, {model.path},
                     "initialiser '" + StringRef(name) +
                         "' is a sparse tensor, which is not supported");
  for (const OnnxTensor &tensor : graph.initializers)
    addTensor(tensor, StringRef(tensor.name));
  collectFrom(graph.nodes);
}

void GraphImporter::collectFrom(const Nodes &nodes) {
  for (const OnnxNode &node : nodes) {
    bool isConstant = node.opType == "Constant" && node.outputs.size() == 1;
    // A function's Constant may take its tensor from the call.
    bool keepsTensors = isConstant || model.calledBy(node);
    StringRef name(node.outputs.empty() ? node.name : node.outputs.front());
    for (const OnnxAttribute &attribute : node.attributes) {
      if (attribute.graph)
        collectFrom(*attribute.graph);
      if (attribute.tensor && keepsTensors)
        addTensor(*attribute.tensor, name);
      else if (isConstant && attribute.name == "value" && !attribute.tensor &&
               attribute.reference.empty())
        (void)sink.error(DiagKind::IngressInvalidNode, {model.path},
                         "node '" + node.displayName() +
                             "' (Constant): 'value' is not a tensor");
    }
  }
}

LogicalResult GraphImporter::collectTensors() {
  unsigned before = sink.errorCount();
  collectFrom(model.graph);
  for (const auto &[callee, visit] : functions) {
    collectFrom(callee->nodes);
    for (const OnnxAttribute &attribute : callee->defaults)
      if (attribute.tensor)
        addTensor(*attribute.tensor, StringRef(attribute.name));
  }
  return llvm::success(sink.errorCount() == before);
}
