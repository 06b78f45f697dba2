// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts a kernel's functions and its body into modules, and finds bodies there.
#include "compiler/session/ModuleKernels.h"

#include "compiler/gaps/Marks.h"
#include "compiler/ingress/mlir/TextDepth.h"
#include "compiler/session/KernelFunctions.h"
#include "compiler/session/MlirDiagnostics.h"
#include "core/manifest/KernelParser.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"

#include <set>

using namespace lh;

static constexpr StringRef formWords[] = {"unknown", "bitcode", "object",
                                          "library"};
static constexpr StringRef formKey = "form", bytesKey = "bytes",
                           pathKey = "path", functionsKey = "functions";

static mlir::Attribute resourceOf(StringRef name, StringRef bytes,
                                  mlir::MLIRContext &context) {
  mlir::AsmResourceBlob blob =
      mlir::HeapAsmResourceBlob::allocateAndCopyInferAlign(
          llvm::ArrayRef<char>(bytes.data(), bytes.size()));
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(bytes.size())},
                                          mlir::IntegerType::get(&context, 8));
  return mlir::DenseI8ResourceElementsAttr::get(type, name, std::move(blob));
}

/// What one entry of the mark holds.
static mlir::Attribute attributeOf(const KernelSpec &kernel,
                                   const KernelCode &code,
                                   mlir::Builder builder) {
  llvm::SmallVector<mlir::NamedAttribute> facts;
  auto add = [&](StringRef key, mlir::Attribute value) {
    facts.push_back(builder.getNamedAttr(key, value));
  };
  add(formKey,
      builder.getStringAttr(formWords[static_cast<size_t>(code.form)]));
  std::set<std::string> symbols;
  for (const auto &[pattern, symbol] : kernel.functions)
    symbols.insert(kernelSymbol(kernel, symbol.value));
  llvm::SmallVector<StringRef> names(symbols.begin(), symbols.end());
  add(functionsKey, builder.getStrArrayAttr(names));
  if (code.path.empty())
    add(bytesKey, resourceOf(kernel.name, code.bytes, *builder.getContext()));
  else
    add(pathKey, builder.getStringAttr(code.path));
  return builder.getDictionaryAttr(facts);
}

/// The functions of a body of MLIR text, with names that no other kernel has.
static LogicalResult addBody(mlir::ModuleOp schedule, const KernelSpec &kernel,
                             DiagnosticSink &sink) {
  const Located<std::string> &file = bodyFile(kernel);
  mlir::MLIRContext &context = *schedule.getContext();
  MlirDiagnostics caught(context, DiagKind::BackendBadKernel, file.where);
  mlir::OwningOpRef<mlir::ModuleOp> body;
  if (succeeded(checkTextDepth(file.value, sink)))
    body = mlir::parseSourceFile<mlir::ModuleOp>(file.value, &context);
  caught.flushTo(sink);
  if (!body)
    return failure();
  LogicalResult result = success();
  auto fail = [&](const Located<std::string> &symbol, const Twine &message) {
    result = sink.error(DiagKind::BackendBadKernel, symbol.where,
                        "kernel '" + kernel.name + "': " + message);
  };
  for (const auto &[pattern, symbol] : kernel.functions) {
    auto function = body->lookupSymbol<mlir::func::FuncOp>(symbol.value);
    if (!function || function.isExternal()) {
      fail(symbol, "its body has no function '" + symbol.value + "'");
      continue;
    }
    std::string own;
    llvm::raw_string_ostream(own) << function.getFunctionType();
    std::string wanted = typeOnBuffers(kernel, pattern);
    if (function.getFunctionType() != mlir::parseType(wanted, &context))
      fail(symbol, "'" + symbol.value + "' is '" + own + "'; a function for '" +
                       pattern + "' is called as '" + wanted +
                       "' (docs/kernels.md)");
  }
  if (failed(result))
    return failure();
  mlir::SymbolTable symbols(*body);
  for (mlir::Operation &op : llvm::make_early_inc_range(*body->getBody())) {
    if (!mlir::isa<mlir::SymbolOpInterface>(op))
      continue;
    StringRef name = mlir::SymbolTable::getSymbolName(&op).getValue();
    (void)symbols.rename(&op, kernelSymbol(kernel, name));
    op.setAttr(kernelCallMark, mlir::DictionaryAttr::get(&context));
    op.moveBefore(schedule.getBody(), schedule.getBody()->end());
  }
  return success();
}

LogicalResult lh::addKernel(mlir::ModuleOp schedule, const KernelSpec &kernel,
                            const KernelCode &code, DiagnosticSink &sink) {
  mlir::MLIRContext &context = *schedule.getContext();
  if (std::holds_alternative<MlirCode>(kernel.body) &&
      failed(addBody(schedule, kernel, sink)))
    return failure();
  // A body of MLIR text, which they call, is beside them only now.
  auto functions = mlir::parseSourceString<mlir::ModuleOp>(
      kernelFunctions(kernel),
      mlir::ParserConfig(&context, /*verifyAfterParse=*/false));
  for (mlir::Operation &function :
       llvm::make_early_inc_range(*functions->getBody()))
    function.moveBefore(schedule.getBody(), schedule.getBody()->end());
  if (code.form == KernelCode::Form::Unknown)
    return success();
  mlir::Builder builder(&context);
  schedule->setAttr(kernelCodeMark,
                    builder.getDictionaryAttr({builder.getNamedAttr(
                        kernel.name, attributeOf(kernel, code, builder))}));
  return success();
}

/// One entry of the mark; nothing where it isn't one.
static std::optional<KernelBody> bodyOf(mlir::NamedAttribute entry) {
  auto facts = llvm::dyn_cast<mlir::DictionaryAttr>(entry.getValue());
  if (!facts)
    return std::nullopt;
  KernelBody body{entry.getName().str(), {}, {}};
  if (auto form = facts.getAs<mlir::StringAttr>(formKey))
    if (const auto *word = llvm::find(formWords, form.getValue());
        word != std::end(formWords))
      body.code.form = static_cast<KernelCode::Form>(word - formWords);
  if (auto path = facts.getAs<mlir::StringAttr>(pathKey))
    body.code.path = path.str();
  auto bytes = facts.getAs<mlir::DenseI8ResourceElementsAttr>(bytesKey);
  mlir::AsmResourceBlob *blob =
      bytes ? bytes.getRawHandle().getBlob() : nullptr;
  if (blob)
    body.code.bytes.assign(blob->getData().begin(), blob->getData().end());
  if (auto functions = facts.getAs<mlir::ArrayAttr>(functionsKey))
    for (StringRef name : functions.getAsValueRange<mlir::StringAttr>())
      body.functions.push_back(name.str());
  return body;
}

std::vector<KernelBody> lh::kernelBodies(mlir::ModuleOp module) {
  std::vector<KernelBody> bodies;
  if (auto mark = module->getAttrOfType<mlir::DictionaryAttr>(kernelCodeMark))
    for (mlir::NamedAttribute entry : mark)
      if (std::optional<KernelBody> body = bodyOf(entry))
        bodies.push_back(std::move(*body));
  return bodies;
}
