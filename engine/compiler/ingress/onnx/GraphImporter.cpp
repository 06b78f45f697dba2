// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @main round the nodes: arguments, outputs, their names and types.
#include "compiler/ingress/onnx/GraphImporter.h"

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace lh;
using namespace mlir;

GraphImporter::GraphImporter(const OnnxModel &model,
                             const OnnxImportOptions &options,
                             MLIRContext &context, DiagnosticSink &sink)
    : model(model), options(options), context(context), sink(sink),
      builder(&context), emit(builder), table(makeOpTable()) {}

/// The names of dynamic dimensions, for the engine to compare their sizes; null
/// when there are none.
ArrayAttr GraphImporter::symbolsOf(RankedTensorType type,
                                   ArrayRef<std::string> symbols) {
  SmallVector<StringRef> names;
  for (auto [dim, symbol] : llvm::enumerate(symbols))
    names.push_back(type.isDynamicDim(static_cast<unsigned>(dim))
                        ? StringRef(symbol)
                        : StringRef());
  bool isNamed = llvm::any_of(names, [](StringRef n) { return !n.empty(); });
  return isNamed ? builder.getStrArrayAttr(names) : ArrayAttr();
}

DictionaryAttr GraphImporter::attributesOf(const Argument &argument) {
  StringAttr name = builder.getStringAttr(argument.name);
  NamedAttrList attributes;
  attributes.append(nameMark, name);
  attributes.append(typeMark, builder.getStringAttr(dtypeName(argument.dtype)));
  if (ArrayAttr symbols = symbolsOf(argument.type, argument.symbols))
    attributes.append(symbolsMark, symbols);
  if (const std::optional<TensorData> &weight = argument.weight) {
    attributes.append(weightMark, name);
    attributes.append(
        dataMark,
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

/// The declared type must agree with what the nodes give; what is static on
/// either side is static in the result.
FailureOr<Value> GraphImporter::declaredOutput(const OnnxValueInfo &output,
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

bool GraphImporter::isOpen(StringRef symbol) const {
  return llvm::any_of(arguments, [&](const Argument &argument) {
    for (auto [dim, name] : llvm::enumerate(argument.symbols))
      if (name == symbol &&
          argument.type.isDynamicDim(static_cast<unsigned>(dim)))
        return true;
    return false;
  });
}

DictionaryAttr GraphImporter::attributesOf(const OnnxValueInfo &output,
                                           Value value, DType dtype) {
  NamedAttrList attributes;
  attributes.append(nameMark, builder.getStringAttr(StringRef(output.name)));
  attributes.append(typeMark, builder.getStringAttr(dtypeName(dtype)));
  std::vector<std::string> symbols;
  // With bound shapes the declaration may speak of other sizes, but for names
  // that inputs have left.
  if (output.shape)
    for (const OnnxDim &dim : *output.shape)
      symbols.emplace_back(!options.bindShapes || isOpen(StringRef(dim.symbol))
                               ? dim.symbol
                               : std::string_view());
  if (ArrayAttr names = symbolsOf(tensorTypeOf(value), symbols))
    attributes.append(symbolsMark, names);
  return attributes.getDictionary(&context);
}

LogicalResult
GraphImporter::finishOutput(const OnnxValueInfo &output, ImportedValue &value,
                            SmallVector<Value> &results,
                            SmallVector<DictionaryAttr> &attributes) {
  FailureOr<Leaves> leaves = leavesOf(output, value);
  if (failed(leaves))
    return failure();
  for (auto &[leaf, tensor] : *leaves) {
    emit.node = ("output '" + StringRef(leaf.name) + "'").str();
    FailureOr<Value> result = declaredOutput(leaf, tensor);
    if (failed(result))
      return failure();
    results.push_back(*result);
    attributes.push_back(attributesOf(leaf, *result, tensor.dtype));
  }
  return success();
}

LogicalResult GraphImporter::finish(Scope &scope) {
  auto main = cast<func::FuncOp>(function);
  SmallVector<Value> results;
  emit.loc = main.getLoc();
  SmallVector<DictionaryAttr> attributes;
  for (const OnnxValueInfo &output : model.graph.outputs) {
    std::optional<ImportedValue> *found = scope.find(StringRef(output.name));
    if (!found) {
      if (scope.isPoisoned(StringRef(output.name)))
        return failure();
      return sink.error(DiagKind::IngressUndefinedValue, {model.path},
                        "output '" + StringRef(output.name) +
                            "' is defined by no node");
    }
    if (failed(finishOutput(output, **found, results, attributes)))
      return failure();
  }
  func::ReturnOp::create(builder, main.getLoc(), results);
  main.setFunctionType(builder.getFunctionType(
      main.getFunctionType().getInputs(), TypeRange(ValueRange(results))));
  main.setAllResultAttrs(attributes);
  markDrawnResults();
  eraseDeadOperations();
  return success();
}

/// Operations that depend on `roots`: users, and what stands around or, where
/// an argument of a region may carry something, inside of one that does.
static DenseSet<Operation *> dependentOn(ArrayRef<Operation *> roots) {
  DenseSet<Operation *> found;
  SmallVector<Operation *> left(roots);
  while (!left.empty()) {
    Operation *op = left.pop_back_val();
    if (isa<func::FuncOp>(op) || !found.insert(op).second)
      continue;
    left.append(op->user_begin(), op->user_end());
    left.push_back(op->getParentOp());
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        left.append(argument.user_begin(), argument.user_end());
  }
  return found;
}

/// Says which results depend on drawn numbers; the operations that draw lose
/// their marks.
void GraphImporter::markDrawnResults() {
  auto main = cast<func::FuncOp>(function);
  SmallVector<Operation *> roots;
  main.walk([&](Operation *op) {
    if (op->removeDiscardableAttr(drawnMark))
      roots.push_back(op);
  });
  if (roots.empty())
    return;
  DenseSet<Operation *> dependent = dependentOn(roots);
  Operation *end = main.getBody().front().getTerminator();
  for (OpOperand &result : end->getOpOperands())
    if (dependent.contains(result.get().getDefiningOp()))
      main.setResultAttr(result.getOperandNumber(), drawnMark,
                         builder.getUnitAttr());
}

/// Shape arithmetic leaves operations behind that nobody uses.
void GraphImporter::eraseDeadOperations() {
  Block &body = cast<func::FuncOp>(function).getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Dimensions of one symbol share the size of the first.
ImportedValue
GraphImporter::importArgument(size_t position,
                              llvm::StringMap<Value> &symbolSizes) {
  const Argument &argument = arguments[position];
  Value value =
      cast<func::FuncOp>(function).getArgument(static_cast<unsigned>(position));
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
  ImportedValue imported{value, argument.dtype, std::nullopt, false};
  imported.bound = argument.values;
  return imported;
}

LogicalResult GraphImporter::importInputs(Scope &scope) {
  llvm::StringMap<Value> symbolSizes;
  size_t next = 0;
  for (auto [input, list] : llvm::zip(model.graph.inputs, inputLists)) {
    std::vector<ImportedValue> elements;
    for (size_t i = 0, count = list ? list->count : 1; i < count; ++i)
      elements.push_back(importArgument(next++, symbolSizes));
    if (failed(define(scope, StringRef(input.name),
                      list ? listOf(input, *list, std::move(elements))
                           : elements.front())))
      return failure();
  }
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> GraphImporter::run() {
  // Every check of the model runs, so that all that is wrong is reported.
  bool good = succeeded(checkOperators());
  good &= succeeded(collectInputs());
  good &= succeeded(collectTensors());
  if (!good)
    return failure();
  makeFunction();
  Scope scope(model.opsets);
  if (failed(importInputs(scope)) ||
      failed(importInitializers(model.graph, scope)) ||
      failed(importNodes(model.graph.nodes, scope)) || failed(finish(scope)))
    return failure();
  return std::move(module);
}
