// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's file by itself: what form it is in, and what its entry takes.
#include "compiler/session/ModelFile.h"

#include "compiler/gaps/Marks.h"
#include "compiler/ingress/mlir/MlirImporter.h"
#include "compiler/ingress/onnx/OnnxImporter.h"
#include "compiler/ingress/stablehlo/StablehloImporter.h"
#include "compiler/session/FormGatherer.h"
#include "compiler/session/MlirDiagnostics.h"
#include "core/graph/ModelSniffing.h"
#include "core/manifest/Words.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

static mlir::FunctionOpInterface entryOf(mlir::ModuleOp module) {
  mlir::FunctionOpInterface entry;
  for (auto function : module.getOps<mlir::FunctionOpInterface>()) {
    if (function.isExternal() || !function.isPublic())
      continue;
    if (function.getName() == "main")
      return function;
    if (!entry)
      entry = function;
  }
  return entry;
}

static EntryInput inputOf(mlir::FunctionOpInterface function, unsigned index) {
  EntryInput input;
  auto name = function.getArgAttrOfType<mlir::StringAttr>(index, nameMark);
  input.name = name ? name.str() : "arg" + std::to_string(index);
  if (auto type =
          llvm::dyn_cast<mlir::ShapedType>(function.getArgumentTypes()[index]))
    if (type.hasRank())
      for (int64_t size : type.getShape())
        input.shape.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
  if (auto symbols =
          function.getArgAttrOfType<mlir::ArrayAttr>(index, symbolsMark))
    for (auto symbol : symbols.getAsRange<mlir::StringAttr>())
      input.sizeNames.push_back(symbol.str());
  return input;
}

static ModelEntry describeEntry(mlir::ModuleOp module) {
  ModelEntry entry;
  mlir::FunctionOpInterface function = entryOf(module);
  if (!function)
    return entry;
  entry.name = function.getName().str();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (!function.getArgAttr(i, weightMark))
      entry.inputs.push_back(inputOf(function, i));
  return entry;
}

static std::optional<SniffedFile> sniffFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  return sniffModel(path, file ? (*file)->getBuffer() : StringRef());
}

LogicalResult lh::checkModelKind(const std::string &path, IngressKind kind,
                                 DiagnosticSink &sink) {
  if (path == "-")
    return success();
  std::optional<SniffedFile> sniffed = sniffFile(path);
  if (!sniffed || sniffed->ingress == kind)
    return success();
  // A program of StableHLO may have none of its operations.
  if (sniffed->ingress == IngressKind::Mlir && kind == IngressKind::Stablehlo)
    return success();
  std::string remedy =
      sniffed->ingress
          ? "'ingress: " + wordOf(*sniffed->ingress).str() + "' reads it"
          : sniffed->remedy;
  return sink.error(DiagKind::IngressOtherKind, {path},
                    "this is " + sniffed->kind + ", which 'ingress: " +
                        wordOf(kind) + "' doesn't read; " + remedy);
}

IngressKind lh::kindOfModel(const std::string &path) {
  std::optional<SniffedFile> sniffed = sniffFile(path);
  return sniffed && sniffed->ingress ? *sniffed->ingress : IngressKind::Mlir;
}

FailureOr<ModelFile> lh::readModelFile(const std::string &path,
                                       MlirSession &session,
                                       DiagnosticSink &sink) {
  mlir::MLIRContext &context = session.context();
  MlirDiagnostics caught(context, DiagKind::IngressInvalidMlir, {path});
  FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> module = failure();
  switch (kindOfModel(path)) {
  case IngressKind::Onnx: {
    OnnxImportOptions onnx;
    onnx.path = path;
    module = importOnnx(onnx, context, sink);
    break;
  }
  case IngressKind::Stablehlo:
    module = importStablehlo(path, std::nullopt, context, sink);
    break;
  default:
    module = importMlir(path, context, sink);
  }
  caught.flushTo(sink);
  if (failed(module))
    return failure();
  return ModelFile{gatherForm(**module), describeEntry(**module)};
}
