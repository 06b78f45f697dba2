// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @main round the operations: arguments, results, their names and types.
#include "compiler/ingress/stablehlo/ProgramImporter.h"

#include "compiler/gaps/Marks.h"
#include "compiler/ingress/stablehlo/Quantisation.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/StringSet.h"

using namespace lh;
using namespace mlir;

ProgramImporter::ProgramImporter(ModuleOp program, const std::string &path,
                                 const std::optional<BoundShapes> &shapes,
                                 DiagnosticSink &sink)
    : program(program), path(path), shapes(shapes), sink(sink),
      builder(program.getContext()), emit(builder) {}

func::FuncOp ProgramImporter::findEntry() {
  SmallVector<func::FuncOp> candidates;
  for (auto function : program.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.getName() == "main")
      return function;
    if (function.isPublic())
      candidates.push_back(function);
  }
  if (candidates.size() == 1)
    return candidates.front();
  (void)sink.error(DiagKind::IngressInvalidNode, {path},
                   candidates.empty()
                       ? "the program has no function that can be called"
                       : "the program has no @main, and " +
                             std::to_string(candidates.size()) +
                             " other public functions");
  return {};
}

/// How values of a type cross the boundary of @main: quantised ones as the
/// integers that store them.
static std::pair<RankedTensorType, DType> boundaryType(Type type,
                                                       Emitter &emit) {
  auto tensor = cast<RankedTensorType>(type);
  quant::QuantizedType quantised = quantisedTypeOf(type);
  DType dtype = quantised ? *dtypeOfStorage(quantised)
                          : *dtypeOf(tensor.getElementType());
  return {RankedTensorType::get(tensor.getShape(), emit.typeOf(dtype)), dtype};
}

/// Tensors alone can be handed in and out.
bool ProgramImporter::checkSignature(func::FuncOp entry) {
  auto check = [&](TypeRange types, StringRef what) {
    bool fits = true;
    for (auto [i, type] : llvm::enumerate(types))
      if (!isa<RankedTensorType>(type)) {
        fits = false;
        (void)sink.error(DiagKind::IngressUnsupportedType,
                         spanOf(entry.getLoc()),
                         what + " " + Twine(i) + " of @" + entry.getName() +
                             " is no tensor");
      }
    return fits;
  };
  bool inputs = check(entry.getArgumentTypes(), "argument");
  bool results = check(entry.getResultTypes(), "result");
  return inputs && results;
}

/// Names that the program gives; empty ones where it gives none, or one twice.
static std::vector<std::string> distinct(std::vector<std::string> names) {
  llvm::StringSet<> seen;
  for (const std::string &name : names)
    if (!name.empty() && !seen.insert(name).second)
      return std::vector<std::string>(names.size());
  return names;
}

/// `loc("x")` behind an argument, as JAX prints it with its debug information.
static std::string nameOf(BlockArgument argument) {
  if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
    return name.getName().str();
  return "";
}

static std::string nameOfResult(func::FuncOp entry, unsigned i) {
  auto info = entry.getResultAttrOfType<StringAttr>(i, "jax.result_info");
  return info ? info.str() : "";
}

static DictionaryAttr marksOf(Builder &b, StringRef name, DType dtype) {
  NamedAttrList marks;
  if (!name.empty())
    marks.append(nameMark, b.getStringAttr(name));
  marks.append(typeMark, b.getStringAttr(dtypeName(dtype)));
  return marks.getDictionary(b.getContext());
}

/// The declared type with the sizes that the case gives.
FailureOr<RankedTensorType>
ProgramImporter::boundType(BlockArgument argument, StringRef name,
                           RankedTensorType declared) {
  unsigned position = argument.getArgNumber();
  // What has no name is called by its position.
  const BoundShape *bound = boundTo(
      shapes, name.empty() ? "arg" + std::to_string(position) : name.str(),
      position);
  if (!bound || declared.hasStaticShape())
    return declared;
  bool fits = bound->shape.size() == static_cast<size_t>(declared.getRank());
  for (auto [own, given] : llvm::zip(declared.getShape(), bound->shape))
    fits &= own == given || ShapedType::isDynamic(own);
  if (fits)
    return RankedTensorType::get(bound->shape, declared.getElementType());
  return sink.error(DiagKind::IngressShapeMismatch, spanOf(argument.getLoc()),
                    "argument " + Twine(position) + " has shape " +
                        sizesText(declared.getShape()) + ", but is bound to " +
                        sizesText(bound->shape));
}

LogicalResult ProgramImporter::makeMain(func::FuncOp entry) {
  module = ModuleOp::create(program.getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> marks;
  std::vector<std::string> names;
  for (BlockArgument argument : entry.getArguments())
    names.push_back(nameOf(argument));
  names = distinct(std::move(names));
  for (auto [argument, name] : llvm::zip(entry.getArguments(), names)) {
    auto [type, dtype] = boundaryType(argument.getType(), emit);
    FailureOr<RankedTensorType> bound = boundType(argument, name, type);
    if (failed(bound))
      return failure();
    types.push_back(*bound);
    marks.push_back(marksOf(builder, name, dtype));
  }
  main = func::FuncOp::create(builder, entry.getLoc(), "main",
                              builder.getFunctionType(types, {}));
  main.setAllArgAttrs(marks);
  builder.setInsertionPointToEnd(main.addEntryBlock());
  return success();
}

FailureOr<std::vector<HloValue>>
ProgramImporter::argumentsOf(func::FuncOp entry) {
  std::vector<HloValue> arguments;
  emit.loc = entry.getLoc();
  for (auto [own, made] :
       llvm::zip(entry.getArguments(), main.getArguments())) {
    Value tensor = emit.castTo(made, boundaryType(own.getType(), emit).first);
    if (quant::QuantizedType quantised = quantisedTypeOf(own.getType()))
      tensor = emitDequantised(emit, tensor, quantised);
    auto type = cast<RankedTensorType>(own.getType());
    arguments.push_back({tensor, *dtypeOf(type.getElementType())});
  }
  return arguments;
}

/// What the function returns must have the types that it declares: nothing has
/// verified it where it ends with an operation of StableHLO.
LogicalResult ProgramImporter::checkResults(func::FuncOp entry,
                                            ArrayRef<HloValue> results) {
  bool fits = results.size() == entry.getNumResults();
  for (size_t i = 0; fits && i < results.size(); ++i) {
    auto type = cast<RankedTensorType>(entry.getResultTypes()[i]);
    Value tensor = results[i].tensor;
    fits = tensor && rankOf(tensor) == type.getRank() &&
           dtypeOf(type.getElementType()) == results[i].dtype;
    for (int64_t dim = 0; fits && dim < type.getRank(); ++dim) {
      int64_t a = type.getDimSize(static_cast<unsigned>(dim));
      int64_t b = tensorTypeOf(tensor).getDimSize(static_cast<unsigned>(dim));
      fits = a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
    }
  }
  if (fits)
    return success();
  return sink.error(DiagKind::IngressShapeMismatch, spanOf(entry.getLoc()),
                    "@" + entry.getName() +
                        " doesn't return values of the types that it declares");
}

LogicalResult ProgramImporter::finish(func::FuncOp entry,
                                      std::vector<HloValue> results) {
  if (failed(checkResults(entry, results)))
    return failure();
  SmallVector<Value> tensors;
  SmallVector<DictionaryAttr> marks;
  std::vector<std::string> names;
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    names.push_back(nameOfResult(entry, i));
  names = distinct(std::move(names));
  emit.loc = main.getLoc();
  for (auto [i, result] : llvm::enumerate(results)) {
    Type declared = entry.getResultTypes()[i];
    auto [type, dtype] = boundaryType(declared, emit);
    Value tensor = result.tensor;
    if (quant::QuantizedType quantised = quantisedTypeOf(declared))
      tensor = emitQuantised(emit, tensor, quantised);
    emit.node = "result " + std::to_string(i);
    tensors.push_back(emit.castTo(tensor, type));
    marks.push_back(marksOf(builder, names[i], dtype));
  }
  func::ReturnOp::create(builder, main.getLoc(), tensors);
  main.setFunctionType(builder.getFunctionType(
      main.getFunctionType().getInputs(), TypeRange(ValueRange(tensors))));
  main.setAllResultAttrs(marks);
  eraseDeadOperations();
  return success();
}

void ProgramImporter::eraseDeadOperations() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(main.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

FailureOr<OwningOpRef<ModuleOp>> ProgramImporter::run() {
  func::FuncOp entry = findEntry();
  if (!entry)
    return failure();
  bool fits = succeeded(checkProgram(program, entry, sink));
  fits &= checkSignature(entry);
  if (!fits)
    return failure();
  if (failed(makeMain(entry)))
    return failure();
  auto arguments = argumentsOf(entry);
  calls.push_back(entry.getName().str());
  auto results = importRegion(entry.getBody(), *arguments);
  if (failed(results) || failed(finish(entry, std::move(*results))))
    return failure();
  return std::move(module);
}
