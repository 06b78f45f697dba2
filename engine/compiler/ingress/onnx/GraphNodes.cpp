// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over nodes: scopes, calls of functions, subgraphs, converters.
#include "compiler/ingress/onnx/FunctionBody.h"
#include "compiler/ingress/onnx/GraphImporter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/SaveAndRestore.h"

#include <utility>

using namespace lh;
using namespace mlir;

/// Functions that call functions, and loops in loops, can unfold to any size.
static constexpr size_t maxUnfoldedNodes = 1 << 18;

Location GraphImporter::locationOf(StringRef name) {
  StringRef file = llvm::sys::path::filename(model.path);
  return NameLoc::get(builder.getStringAttr(name),
                      FileLineColLoc::get(&context, file, 0, 0));
}

LogicalResult GraphImporter::define(Scope &scope, StringRef name,
                                    std::optional<ImportedValue> value) {
  if (scope.define(name, std::move(value)))
    return success();
  return sink.error(DiagKind::IngressDuplicateValue, {model.path},
                    "'" + name +
                        "' is defined twice; a name may be given to "
                        "one value only");
}

/// Short integer vectors are kept as known elements too.
static void keepElements(ImportedValue &value, const TensorData &data,
                         DenseElementsAttr attribute, const Emitter &emit) {
  bool isIndexLike = data.shape.size() <= 1 && data.elementCount() <= 64 &&
                     isInteger(data.dtype) && !isPacked(data.dtype);
  if (!isIndexLike)
    return;
  value.isScalar = data.shape.empty();
  value.elements.emplace();
  for (const APInt &element : attribute.getValues<APInt>())
    value.elements->push_back(emit.index(
        isUnsigned(data.dtype) ? static_cast<int64_t>(element.getZExtValue())
                               : element.getSExtValue()));
}

/// A weight that the file packs is an argument of bytes, unpacked at run time.
static Value unpacked(Emitter &emit, Value bytes, const TensorData &weight) {
  DType dtype = weight.dtype;
  int64_t bits = storedBits(dtype), perByte = 8 / bits;
  Value flat = emit.generate(
      {emit.index(weight.elementCount())}, emit.builder.getI8Type(),
      [&](OpBuilder &b, Location loc, ValueRange indices) -> Value {
        Value count = indexConstant(b, loc, perByte);
        Value byte =
            extractElement(b, loc, bytes, indexDiv(b, loc, indices[0], count));
        Value places = indexMul(b, loc, indexRem(b, loc, indices[0], count),
                                indexConstant(b, loc, bits));
        Value low = arith::ShRUIOp::create(
            b, loc, byte, fromIndex(b, loc, places, DType::UInt8));
        // As a cast from a wider integer: the upper bits are dropped.
        return convertScalar(b, loc, low, DType::UInt8, dtype);
      });
  return emit.reshape(flat, emit.staticSizes(weight.shape));
}

FailureOr<ImportedValue> GraphImporter::importTensor(const OnnxTensor &tensor,
                                                     StringRef name) {
  auto kept = tensors.find(&tensor);
  assert(kept != tensors.end() && "collectTensors() saw every tensor");
  const auto &[data, argument] = kept->second;
  emit.loc = locationOf(name);
  ImportedValue value;
  value.dtype = data.dtype;
  if (argument) {
    value.tensor = cast<func::FuncOp>(function).getArgument(*argument);
    if (isPacked(data.dtype))
      value.tensor = unpacked(emit, value.tensor, data);
    return value;
  }
  FailureOr<DenseElementsAttr> attribute =
      constantOf(model, data, &context, sink);
  if (failed(attribute))
    return failure();
  value.tensor = arith::ConstantOp::create(builder, emit.loc, *attribute);
  keepElements(value, data, *attribute, emit);
  return value;
}

LogicalResult GraphImporter::importInitializers(const OnnxGraph &graph,
                                                Scope &scope) {
  for (const OnnxTensor &tensor : graph.initializers) {
    StringRef name(tensor.name);
    FailureOr<ImportedValue> value = importTensor(tensor, name);
    if (failed(value) || failed(define(scope, name, *value)))
      return failure();
  }
  return success();
}

FailureOr<std::vector<ImportedValue *>>
GraphImporter::inputsOf(const OnnxNode &node, Scope &scope, bool &isPoisoned) {
  std::vector<ImportedValue *> inputs;
  for (std::string_view input : node.inputs) {
    StringRef name(input);
    std::optional<ImportedValue> *found =
        name.empty() ? nullptr : scope.find(name);
    inputs.push_back(found && *found ? &**found : nullptr);
    if (name.empty() || found)
      continue;
    isPoisoned |= scope.isPoisoned(name);
    if (!scope.isPoisoned(name))
      return sink.error(DiagKind::IngressUndefinedValue, {model.path},
                        "node '" + node.displayName() + "' (" +
                            StringRef(node.opType) + ") uses '" + name +
                            "', which no input, initialiser or earlier node "
                            "defines");
  }
  return inputs;
}

/// The types of eight and four bits that are kept and moved, not computed on.
static bool isKeptOnly(DType dtype) {
  return isSmallFloat(dtype) || isPacked(dtype);
}

static LogicalResult checkSmallTypes(NodeContext &node) {
  for (size_t i = 0; i < node.inputCount(); ++i)
    if (node.has(i) && isKeptOnly(node.dtype(i)) &&
        !takesSmallTypes(node.opType()))
      return node.error("input " + Twine(i) + " has element type '" +
                            dtypeName(node.dtype(i)) +
                            "', which the op doesn't take; 'Cast' it first",
                        DiagKind::IngressUnsupportedType);
  return success();
}

static LogicalResult checkTensors(NodeContext &node) {
  for (size_t i = 0; i < node.inputCount(); ++i)
    if (node.has(i) && !node.raw(i).isTensor())
      return node.error("input " + Twine(i) +
                            " is a sequence or an optional, and the op takes "
                            "tensors",
                        DiagKind::IngressUnsupportedOp);
  return success();
}

LogicalResult lh::checkRules(NodeContext &node, const OpRow &row) {
  if (node.outputCount() == 0)
    return node.error("it has no outputs; every op gives at least one");
  for (size_t i = 0; i < row.minInputs; ++i)
    if (!node.has(i))
      return node.error("input " + Twine(i) + " is missing; " + node.opType() +
                        " takes at least " + Twine(row.minInputs));
  if (!(row.rules & OpRule::Sequences) && failed(checkTensors(node)))
    return failure();
  if (failed(checkSmallTypes(node)))
    return failure();
  if (row.minInputs == 0)
    return success();
  DType first = node.dtype(0);
  auto refuse = [&](const Twine &rule) {
    return node.error("input 0 has element type '" + dtypeName(first) + "'; " +
                      rule);
  };
  if ((row.rules & OpRule::Float) && !isFloat(first))
    return refuse("a float type is needed");
  if ((row.rules & OpRule::Integer) && !isInteger(first))
    return refuse("an integer type is needed");
  if ((row.rules & OpRule::Numeric) && first == DType::Bool)
    return refuse("a numeric type is needed");
  for (size_t i = 0; i < node.inputCount(); ++i) {
    if (!node.has(i))
      continue;
    if ((row.rules & OpRule::Bool) && node.dtype(i) != DType::Bool)
      return refuse("all inputs must be bool");
    if ((row.rules & OpRule::Same) && node.dtype(i) != first)
      return refuse("input " + Twine(i) + " has '" + dtypeName(node.dtype(i)) +
                    "'; all must have one type");
  }
  return success();
}

/// Dynamic dimensions are negative numbers.
static LogicalResult checkDimensions(NodeContext &node, size_t output,
                                     Value tensor) {
  for (int64_t size : tensorTypeOf(tensor).getShape())
    if (size > maxTensorSize)
      return node.error("output " + Twine(output) + " has the dimension " +
                            Twine(size) + ", more than any memory holds",
                        DiagKind::IngressShapeMismatch);
  return success();
}

/// Results that the node has no name for are dropped.
LogicalResult GraphImporter::finishResults(const OnnxNode &node,
                                           NodeContext &context,
                                           std::optional<DType> half) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    StringRef name(node.outputs[i]);
    std::optional<ImportedValue> &value = context.results[i];
    if (name.empty()) {
      value.reset();
      continue;
    }
    if (!value)
      return context.error("output " + Twine(i) + " ('" + name +
                               "') is not supported",
                           DiagKind::IngressUnsupportedOp);
    if (value->tensor && failed(checkDimensions(context, i, value->tensor)))
      return failure();
    if (half && value->dtype == DType::Float32) {
      value->tensor = emit.convert(value->tensor, DType::Float32, *half);
      value->dtype = *half;
    }
  }
  return success();
}

/// float16 and bfloat16 inputs of operators that compute are widened to float32
/// first. Returns the type the results go back to: the first float input's,
/// when that is a half type.
static std::optional<DType> widenInputs(std::vector<ImportedValue *> &inputs,
                                        std::vector<ImportedValue> &storage,
                                        Emitter &emit) {
  auto isHalf = [](const ImportedValue *input) {
    return input->dtype == DType::Float16 || input->dtype == DType::BFloat16;
  };
  auto first = llvm::find_if(inputs, [](const ImportedValue *input) {
    return input && isFloat(input->dtype);
  });
  std::optional<DType> half;
  if (first != inputs.end() && isHalf(*first))
    half = (*first)->dtype;
  storage.reserve(inputs.size());
  for (ImportedValue *&input : inputs) {
    if (!input || !isHalf(input))
      continue;
    storage.push_back(
        ImportedValue{emit.convert(input->tensor, input->dtype, DType::Float32),
                      DType::Float32, std::nullopt, false});
    input = &storage.back();
  }
  return half;
}

FailureOr<GraphImporter::Results>
GraphImporter::convert(const OnnxNode &node, const OnnxNode &user,
                       int64_t opset, std::vector<ImportedValue *> inputs) {
  const OpRow *row = table.find(node.fullName(), opset);
  auto contextOf = [&](std::vector<ImportedValue *> given) {
    return NodeContext(model, node, user, opset, emit, std::move(given), *this,
                       sink);
  };
  NodeContext asGiven = contextOf(inputs);
  if (!row)
    return asGiven.error("the importer has no such operator");
  if (failed(checkRules(asGiven, *row)))
    return failure();
  std::vector<ImportedValue> storage;
  std::optional<DType> half;
  if (row->rules & OpRule::WidenHalf)
    half = widenInputs(inputs, storage, emit);
  NodeContext context = contextOf(inputs);
  Operation *last = emit.lastOperation();
  std::string name =
      ("node '" + user.displayName() + "' (" + StringRef(user.opType) + ")")
          .str();
  emit.node = name;
  LogicalResult converted = row->function
                                ? FunctionBody(context, *row->function).run()
                                : row->convert(context);
  if (std::optional<std::string> mistake = std::exchange(emit.mistake, {}))
    return context.error(*mistake, DiagKind::IngressShapeMismatch);
  if (failed(converted))
    return failure();
  emit.node = name; // a subgraph's nodes have had theirs
  emit.requireLoopsSince(last);
  if (failed(finishResults(node, context, half)))
    return failure();
  return std::move(context.results);
}

FailureOr<GraphImporter::Results>
GraphImporter::applyOperator(const OnnxNode &inner, const NodeContext &outer,
                             std::vector<ImportedValue *> inputs) {
  int64_t opset = inner.domain.empty() ? newestOpset : 1;
  return convert(inner, outer.user, opset, std::move(inputs));
}

LogicalResult GraphImporter::importOperator(const OnnxNode &node,
                                            Scope &scope) {
  bool isPoisoned = false;
  FailureOr<std::vector<ImportedValue *>> inputs =
      inputsOf(node, scope, isPoisoned);
  if (failed(inputs) || isPoisoned)
    return failure();
  emit.loc = locationOf(node.displayName());
  llvm::SaveAndRestore<Scope *> here(current, &scope);
  FailureOr<Results> results =
      convert(node, node, opsetOf(node, *scope.opsets), std::move(*inputs));
  if (failed(results))
    return failure();
  for (auto [name, value] : llvm::zip(node.outputs, *results))
    if (!name.empty() && failed(define(scope, StringRef(name), value)))
      return failure();
  return success();
}

LogicalResult GraphImporter::countUnfolded(size_t nodes) {
  bool wasTooLarge = unfoldedNodes > maxUnfoldedNodes;
  unfoldedNodes += nodes;
  if (unfoldedNodes <= maxUnfoldedNodes)
    return success();
  if (wasTooLarge) // said already
    return failure();
  return sink.error(DiagKind::IngressMalformedModel, {model.path},
                    "the model's functions and subgraphs unfold to more than " +
                        Twine(maxUnfoldedNodes) + " nodes");
}

/// The node with the call's attributes where its own refer to them; those that
/// the call leaves out are left out.
static OnnxNode withoutReferences(const OnnxNode &node,
                                  const Attributes *given) {
  OnnxNode resolved = node;
  resolved.attributes.clear();
  for (const OnnxAttribute &attribute : node.attributes) {
    if (attribute.reference.empty()) {
      resolved.attributes.push_back(attribute);
      continue;
    }
    if (!given)
      continue;
    auto found = given->find(StringRef(attribute.reference));
    if (found == given->end())
      continue;
    resolved.attributes.push_back(found->second);
    resolved.attributes.back().name = attribute.name;
  }
  return resolved;
}

/// What the function's inputs are in this call.
LogicalResult
GraphImporter::bindInputs(const OnnxNode &node, const OnnxFunction &callee,
                          const std::vector<ImportedValue *> &given,
                          Scope &inner) {
  if (given.size() > callee.inputs.size() ||
      node.outputs.size() > callee.outputs.size())
    return sink.error(DiagKind::IngressInvalidNode, {model.path},
                      "node '" + node.displayName() + "' calls the function '" +
                          node.fullName() +
                          "' with more inputs or outputs than it has");
  for (auto [position, name] : llvm::enumerate(callee.inputs)) {
    std::optional<ImportedValue> value;
    if (position < given.size() && given[position])
      value = *given[position];
    if (failed(define(inner, StringRef(name), value)))
      return failure();
  }
  return success();
}

LogicalResult GraphImporter::keepOutputs(const OnnxNode &node,
                                         const OnnxFunction &callee,
                                         Scope &inner, Scope &scope) {
  for (auto [result, name] : llvm::zip(node.outputs, callee.outputs)) {
    std::optional<ImportedValue> *value = inner.find(StringRef(name));
    if (!value || !*value)
      return sink.error(DiagKind::IngressUndefinedValue, {model.path},
                        "output '" + StringRef(name) + "' of function '" +
                            node.fullName() + "' is defined by no node");
    if (!result.empty() && failed(define(scope, StringRef(result), *value)))
      return failure();
  }
  return success();
}

LogicalResult GraphImporter::importCall(const OnnxNode &node,
                                        const OnnxFunction &callee,
                                        Scope &scope) {
  bool isPoisoned = false;
  FailureOr<std::vector<ImportedValue *>> inputs =
      inputsOf(node, scope, isPoisoned);
  // What is wrong inside a function is said for its first call only.
  if (failed(inputs) || isPoisoned || failedFunctions.contains(&callee) ||
      failed(countUnfolded(callee.nodes.size())))
    return failure();
  Attributes attributes;
  for (const auto *list : {&callee.defaults, &node.attributes})
    for (const OnnxAttribute &attribute : *list)
      attributes[StringRef(attribute.name)] = attribute;
  Scope inner(callee.opsets, &attributes);
  if (failed(bindInputs(node, callee, *inputs, inner)))
    return failure();
  if (succeeded(importNodes(callee.nodes, inner)) &&
      succeeded(keepOutputs(node, callee, inner, scope)))
    return success();
  failedFunctions.insert(&callee);
  return failure();
}

LogicalResult GraphImporter::importNode(const OnnxNode &node, Scope &scope) {
  bool refers = llvm::any_of(node.attributes, [](const OnnxAttribute &each) {
    return !each.reference.empty();
  });
  if (refers)
    return importNode(withoutReferences(node, scope.attributes), scope);
  if (const OnnxFunction *callee = model.calledBy(node))
    return importCall(node, *callee, scope);
  const OnnxAttribute *value = node.find("value");
  if (node.opType != "Constant" || node.outputs.size() != 1 || !value ||
      !value->tensor)
    return importOperator(node, scope);
  StringRef name(node.outputs.front());
  FailureOr<ImportedValue> tensor = importTensor(*value->tensor, name);
  return failed(tensor) ? failure() : define(scope, name, *tensor);
}

LogicalResult GraphImporter::importNodes(const Nodes &nodes, Scope &scope) {
  unsigned before = sink.errorCount();
  for (const OnnxNode &node : nodes) {
    if (succeeded(importNode(node, scope)))
      continue;
    for (std::string_view output : node.outputs)
      if (!scope.defines(StringRef(output)))
        scope.poison(StringRef(output));
  }
  return success(sink.errorCount() == before);
}

FailureOr<std::vector<ImportedValue>>
GraphImporter::importBody(const OnnxGraph &body, ArrayRef<ImportedValue> inputs,
                          BodyOutputs allowed) {
  Scope scope(*current);
  if (failed(countUnfolded(body.nodes.size())))
    return failure();
  if (body.inputs.size() != inputs.size())
    return sink.error(DiagKind::IngressInvalidNode, {model.path},
                      "subgraph '" + StringRef(body.name) + "' takes " +
                          Twine(body.inputs.size()) + " inputs; its node " +
                          "gives " + Twine(inputs.size()));
  for (auto [info, value] : llvm::zip(body.inputs, inputs))
    if (failed(define(scope, StringRef(info.name), value)))
      return failure();
  if (failed(importInitializers(body, scope)) ||
      failed(importNodes(body.nodes, scope)))
    return failure();
  std::vector<ImportedValue> outputs;
  for (const OnnxValueInfo &output : body.outputs) {
    std::optional<ImportedValue> *value = scope.find(StringRef(output.name));
    if (!value || !*value)
      return sink.error(DiagKind::IngressUndefinedValue, {model.path},
                        "output '" + StringRef(output.name) +
                            "' of subgraph '" + StringRef(body.name) +
                            "' is defined by no node");
    if (!(*value)->isTensor() && allowed == BodyOutputs::Lists) {
      outputs.push_back(**value);
      continue;
    }
    if (!(*value)->isTensor())
      return sink.error(DiagKind::IngressUnsupportedOp, {model.path},
                        "output '" + StringRef(output.name) +
                            "' of subgraph '" + StringRef(body.name) +
                            "' is a sequence or an optional; only tensors "
                            "leave such a subgraph");
    materialize(**value, emit);
    outputs.push_back(**value);
  }
  return outputs;
}
