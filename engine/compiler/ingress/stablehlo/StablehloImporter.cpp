// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The importer's entry: read, convert, verify; and what other files are.
#include "compiler/ingress/stablehlo/StablehloImporter.h"

#include "compiler/ingress/mlir/MlirImporter.h"
#include "compiler/ingress/stablehlo/Dialects.h"
#include "compiler/ingress/stablehlo/ProgramImporter.h"
#include "compiler/ingress/stablehlo/VhloReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

namespace {
/// Foreign attributes (`mhlo.num_partitions`) may stand on what is read.
class UnregisteredAllowed {
public:
  explicit UnregisteredAllowed(mlir::MLIRContext &context)
      : context(context), before(context.allowsUnregisteredDialects()) {
    context.allowUnregisteredDialects(true);
  }
  ~UnregisteredAllowed() { context.allowUnregisteredDialects(before); }

private:
  mlir::MLIRContext &context;
  bool before;
};

/// Dialects whose operations stand in such files too.
struct ForeignDialect {
  StringRef prefix, remedy;
};
} // namespace

static constexpr ForeignDialect foreignDialects[] = {
    {"sdy.", "a program for several devices (Shardy's dialect); export it for "
             "one"},
    {"mhlo.", "XLA's own dialect; convert it to StableHLO "
              "(mlir-hlo-opt --hlo-legalize-to-stablehlo)"},
    {"vhlo.", "the text of a portable artifact; give its bytecode, or convert "
              "it (stablehlo-opt --vhlo-legalize-to-stablehlo)"},
    {"torch.", "torch-mlir's own dialect; lower it to StableHLO, linalg or "
               "TOSA there"},
};

/// The operation that a line of text begins with, its results taken off.
static StringRef operationOf(StringRef line) {
  line = line.ltrim();
  if (line.starts_with("%"))
    line = line.split('=').second.ltrim();
  line.consume_front("\"");
  return line;
}

/// Text that MLIR's parser has no good word for.
static LogicalResult checkKind(StringRef contents, const std::string &path,
                               DiagnosticSink &sink) {
  if (contents.starts_with("ML\xefR"))
    return success();
  size_t artifact = contents.find("ML\xefR");
  if (artifact != StringRef::npos && contents.contains("StableHLO_v"))
    return sink.error(
        DiagKind::IngressInvalidMlir, {path},
        "this is what jax.export's serialize() makes; give the "
        "program that is in it (exported.mlir_module_serialized)");
  unsigned number = 0;
  for (StringRef line : llvm::split(contents, '\n')) {
    ++number;
    StringRef operation = operationOf(line);
    for (const ForeignDialect &foreign : foreignDialects)
      if (operation.starts_with(foreign.prefix)) {
        StringRef name = operation.take_until(
            [](char c) { return c == ' ' || c == '(' || c == '"'; });
        return sink.error(DiagKind::IngressUnsupportedOp, {path, number, 1, 0},
                          "'" + name + "' is of " + foreign.remedy);
      }
  }
  return success();
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lh::readStablehlo(const std::string &path, mlir::MLIRContext &context,
                  DiagnosticSink &sink) {
  if (auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false))
    if (failed(checkKind((*file)->getBuffer(), path, sink)))
      return failure();
  loadStablehlo(context);
  UnregisteredAllowed allowed(context);
  auto program = importMlir(path, context, sink);
  if (failed(program))
    return failure();
  renameVhlo(**program);
  return program;
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lh::readStablehloText(StringRef text, const std::string &path,
                      unsigned firstLine, mlir::MLIRContext &context,
                      DiagnosticSink &sink) {
  loadStablehlo(context);
  UnregisteredAllowed allowed(context);
  return importMlirText(text, path, firstLine, context, sink);
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lh::importStablehlo(mlir::ModuleOp program, const std::string &path,
                    const std::optional<BoundShapes> &shapes,
                    DiagnosticSink &sink) {
  mlir::MLIRContext &context = *program.getContext();
  context.loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                      mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  // What MLIR's verifiers say about a program is the user's to see.
  std::string message;
  SourceSpan where{path};
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (message.empty()) {
          message = diagnostic.str();
          if (SourceSpan place = spanOf(diagnostic.getLocation());
              place.isKnown())
            where = place;
        }
        return llvm::success();
      });
  auto module = ProgramImporter(program, path, shapes, sink).run();
  if (failed(module))
    return failure();
  if (failed(mlir::verify(**module)))
    return sink.error(DiagKind::IngressInvalidNode, where,
                      "the program gives invalid operations: " + message);
  return module;
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lh::importStablehlo(const std::string &path,
                    const std::optional<BoundShapes> &shapes,
                    mlir::MLIRContext &context, DiagnosticSink &sink) {
  auto program = readStablehlo(path, context, sink);
  if (failed(program))
    return failure();
  return importStablehlo(**program, path, shapes, sink);
}
