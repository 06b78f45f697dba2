// The walk over a graph: arguments, constants, nodes, outputs.
#include "ingress/GraphImporter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace lh;
using namespace mlir;

GraphImporter::GraphImporter(const OnnxModel &model,
                             const OnnxImportOptions &options,
                             MLIRContext &context, DiagnosticSink &sink)
    : model(model), options(options), context(context), sink(sink),
      builder(&context), emit(builder), table(makeOpTable()) {}

Location GraphImporter::locationOf(StringRef name) {
  StringRef file = llvm::sys::path::filename(model.path);
  return NameLoc::get(builder.getStringAttr(name),
                      FileLineColLoc::get(&context, file, 0, 0));
}

LogicalResult GraphImporter::define(StringRef name, ImportedValue value) {
  if (values.try_emplace(name, std::move(value)).second)
    return success();
  return sink.error(DiagKind::IngressDuplicateValue, {model.path},
                    "'" + name +
                        "' is defined twice; a name may be given to "
                        "one value only");
}

/// Materialises the data of small initialisers at the function's start.
LogicalResult GraphImporter::materializeConstants() {
  for (const auto &[name, data] : constants) {
    FailureOr<DenseElementsAttr> attribute =
        constantOf(model, data, &context, sink);
    if (failed(attribute))
      return failure();
    emit.loc = locationOf(name);
    ImportedValue value;
    value.dtype = data.dtype;
    value.tensor = arith::ConstantOp::create(builder, emit.loc, *attribute);
    bool isIndexLike = data.shape.size() <= 1 && data.elementCount() <= 64 &&
                       isInteger(data.dtype) && !isPacked(data.dtype);
    if (isIndexLike) {
      value.isScalar = data.shape.empty();
      value.elements.emplace();
      for (const APInt &element : attribute->getValues<APInt>())
        value.elements->push_back(
            emit.index(isUnsigned(data.dtype)
                           ? static_cast<int64_t>(element.getZExtValue())
                           : element.getSExtValue()));
    }
    if (failed(define(name, value)))
      return failure();
  }
  return success();
}

DictionaryAttr GraphImporter::attributesOf(const Argument &argument) {
  StringAttr name = builder.getStringAttr(argument.name);
  NamedAttrList attributes;
  attributes.append("lh.name", name);
  attributes.append("lh.type",
                    builder.getStringAttr(dtypeName(argument.dtype)));
  if (const std::optional<TensorData> &weight = argument.weight) {
    attributes.append("lh.weight", name);
    attributes.append(
        "lh.data",
        builder.getArrayAttr({builder.getStringAttr(weight->file),
                              builder.getI64IntegerAttr(weight->offset),
                              builder.getI64IntegerAttr(weight->bytes)}));
  }
  return attributes.getDictionary(&context);
}

void GraphImporter::makeFunction() {
  Location loc = locationOf(StringRef(model.graph.name));
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  // At once: setting one argument's attributes rebuilds the list of all.
  SmallVector<DictionaryAttr> attributes;
  for (const Argument &argument : arguments) {
    types.push_back(argument.type);
    attributes.push_back(attributesOf(argument));
  }
  auto main = func::FuncOp::create(builder, loc, "main",
                                   builder.getFunctionType(types, {}));
  main.setAllArgAttrs(attributes);
  function = main;
  builder.setInsertionPointToEnd(main.addEntryBlock());
}

FailureOr<std::vector<ImportedValue *>>
GraphImporter::inputsOf(const OnnxNode &node, bool &isPoisoned) {
  std::vector<ImportedValue *> inputs;
  for (std::string_view input : node.inputs) {
    StringRef name(input);
    auto found = values.find(name);
    if (name.empty() || found != values.end()) {
      inputs.push_back(name.empty() ? nullptr : &found->second);
      continue;
    }
    isPoisoned |= poisoned.contains(name);
    if (!poisoned.contains(name))
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

LogicalResult lh::checkRules(NodeContext &node, const OpRow &row) {
  if (node.outputCount() == 0)
    return node.error("it has no outputs; every op gives at least one");
  for (size_t i = 0; i < row.minInputs; ++i)
    if (!node.has(i))
      return node.error("input " + Twine(i) + " is missing; " + node.opType() +
                        " takes at least " + Twine(row.minInputs));
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

LogicalResult GraphImporter::keepResults(const OnnxNode &node,
                                         NodeContext &context,
                                         std::optional<DType> half) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    StringRef name(node.outputs[i]);
    if (name.empty())
      continue;
    if (!context.results[i])
      return context.error("output " + Twine(i) + " ('" + name +
                               "') is not supported",
                           DiagKind::IngressUnsupportedOp);
    ImportedValue value = *context.results[i];
    if (half && value.dtype == DType::Float32) {
      value.tensor = emit.convert(value.tensor, DType::Float32, *half);
      value.dtype = *half;
    }
    if (failed(define(name, value)))
      return failure();
  }
  return success();
}

/// float16 inputs of operators that compute are widened to float32 first.
static std::optional<DType> widenInputs(std::vector<ImportedValue *> &inputs,
                                        std::vector<ImportedValue> &storage,
                                        Emitter &emit) {
  std::optional<DType> half;
  storage.reserve(inputs.size());
  for (ImportedValue *&input : inputs) {
    if (!input ||
        (input->dtype != DType::Float16 && input->dtype != DType::BFloat16))
      continue;
    if (!half)
      half = input->dtype;
    storage.push_back(
        ImportedValue{emit.convert(input->tensor, input->dtype, DType::Float32),
                      DType::Float32, std::nullopt, false});
    input = &storage.back();
  }
  return half;
}

LogicalResult GraphImporter::convertNode(const OnnxNode &node) {
  bool isPoisoned = false;
  FailureOr<std::vector<ImportedValue *>> inputs = inputsOf(node, isPoisoned);
  if (failed(inputs) || isPoisoned)
    return failure();
  emit.loc = locationOf(node.displayName());
  const OpRow *row = table.find(StringRef(node.opType), model.opset);
  std::vector<ImportedValue> storage;
  std::optional<DType> half;
  if (failed(checkRules(
          *std::make_unique<NodeContext>(model, node, emit, *inputs, sink),
          *row)))
    return failure();
  if (row->rules & OpRule::WidenHalf)
    half = widenInputs(*inputs, storage, emit);
  NodeContext context(model, node, emit, *inputs, sink);
  if (failed(row->convert(context)))
    return failure();
  return keepResults(node, context, half);
}

LogicalResult GraphImporter::convertNodes() {
  unsigned before = sink.errorCount();
  for (const OnnxNode &node : model.graph.nodes) {
    bool isTensor = node.opType == "Constant" && node.outputs.size() == 1 &&
                    node.find("value");
    if (isTensor) // already an argument or a constant
      continue;
    if (succeeded(convertNode(node)))
      continue;
    for (std::string_view output : node.outputs)
      if (!values.contains(StringRef(output)))
        poisoned[StringRef(output)] = true;
  }
  return success(sink.errorCount() == before);
}

/// The declared type must agree with what the nodes give; what is static on
/// either side is static in the result.
FailureOr<Value> GraphImporter::finishOutput(const OnnxValueInfo &output,
                                             ImportedValue &value) {
  Value tensor = materialize(value, emit);
  RankedTensorType type = tensorTypeOf(tensor);
  std::string name(output.name);
  if (output.elementType != 0 && dtypeOfOnnx(output.elementType) != value.dtype)
    return sink.error(DiagKind::IngressShapeMismatch, {model.path},
                      "output '" + name + "' is declared as '" +
                          onnxTypeName(output.elementType) +
                          "', but the nodes give '" + dtypeName(value.dtype) +
                          "'");
  if (!output.shape)
    return tensor;
  SmallVector<int64_t> shape(type.getShape());
  bool fits = output.shape->size() == shape.size();
  for (size_t dim = 0; fits && dim < shape.size(); ++dim) {
    std::optional<int64_t> declared = (*output.shape)[dim].size;
    if (!declared || *declared < 0 || shape[dim] == *declared)
      continue;
    fits = ShapedType::isDynamic(shape[dim]);
    shape[dim] = *declared;
  }
  if (fits)
    return emit.castTo(tensor,
                       RankedTensorType::get(shape, type.getElementType()));
  // With bound shapes the declaration may speak of other sizes.
  if (options.bindShapes)
    return tensor;
  return sink.error(DiagKind::IngressShapeMismatch, {model.path},
                    "output '" + name + "' has shape " + shapeText(tensor) +
                        ", which is not the declared one");
}

LogicalResult GraphImporter::finish() {
  auto main = cast<func::FuncOp>(function);
  SmallVector<Value> results;
  emit.loc = main.getLoc();
  std::vector<std::pair<std::string, DType>> names;
  for (const OnnxValueInfo &output : model.graph.outputs) {
    auto found = values.find(StringRef(output.name));
    if (found == values.end()) {
      if (poisoned.contains(StringRef(output.name)))
        return failure();
      return sink.error(DiagKind::IngressUndefinedValue, {model.path},
                        "output '" + StringRef(output.name) +
                            "' is defined by no node");
    }
    FailureOr<Value> value = finishOutput(output, found->second);
    if (failed(value))
      return failure();
    results.push_back(*value);
    names.emplace_back(std::string(output.name), found->second.dtype);
  }
  func::ReturnOp::create(builder, main.getLoc(), results);
  main.setFunctionType(builder.getFunctionType(
      main.getFunctionType().getInputs(), TypeRange(ValueRange(results))));
  for (auto [position, name] : llvm::enumerate(names)) {
    auto at = static_cast<unsigned>(position);
    main.setResultAttr(at, "lh.name", builder.getStringAttr(name.first));
    main.setResultAttr(at, "lh.type",
                       builder.getStringAttr(dtypeName(name.second)));
  }
  eraseDeadOperations();
  return success();
}

/// Shape arithmetic leaves operations behind that nobody uses.
void GraphImporter::eraseDeadOperations() {
  Block &body = cast<func::FuncOp>(function).getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
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

FailureOr<OwningOpRef<ModuleOp>> GraphImporter::run() {
  // Every check of the model runs, so that all that is wrong is reported.
  bool good = succeeded(checkOperators());
  good &= succeeded(collectInputs());
  good &= succeeded(collectTensors());
  if (!good)
    return failure();
  makeFunction();
  Block &body = cast<func::FuncOp>(function).getBody().front();
  llvm::StringMap<Value> symbolSizes;
  for (auto [position, argument] : llvm::enumerate(arguments)) {
    Value value = body.getArgument(static_cast<unsigned>(position));
    emit.loc = locationOf(argument.name);
    Sizes sizes = emit.sizesOf(value);
    for (auto [dim, symbol] : llvm::enumerate(argument.symbols)) {
      if (symbol.empty() || emit.known(sizes[dim]))
        continue;
      auto [entry, isNew] =
          symbolSizes.try_emplace(symbol, emit.asValue(sizes[dim]));
      sizes[dim] = entry->second;
    }
    emit.remember(value, sizes);
    DType dtype = argument.dtype;
    if (argument.weight && isPacked(argument.weight->dtype)) {
      dtype = argument.weight->dtype;
      value = unpacked(emit, value, *argument.weight);
    }
    if (failed(define(argument.name,
                      ImportedValue{value, dtype, std::nullopt, false})))
      return failure();
  }
  if (failed(materializeConstants()) || failed(convertNodes()) ||
      failed(finish()))
    return failure();
  return std::move(module);
}
