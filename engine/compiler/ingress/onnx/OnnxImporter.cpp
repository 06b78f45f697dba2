// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ONNX importer's entry: read, convert, verify.
#include "compiler/ingress/onnx/OnnxImporter.h"

#include "compiler/ingress/onnx/GraphImporter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lh::importModel(const OnnxModel &model, const OnnxImportOptions &options,
                mlir::MLIRContext &context, DiagnosticSink &sink) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                      mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect,
                      mlir::tensor::TensorDialect>();
  // What MLIR's verifiers say about a model's contents is the user's to see.
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (message.empty())
                                            message = diagnostic.str();
                                          return llvm::success();
                                        });
  GraphImporter importer(model, options, context, sink);
  auto module = importer.run();
  if (failed(module))
    return failure();
  if (failed(mlir::verify(**module)))
    return sink.error(DiagKind::IngressInvalidNode, {model.path},
                      "the model gives invalid operations: " + message);
  return module;
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lh::importOnnx(const OnnxImportOptions &options, mlir::MLIRContext &context,
               DiagnosticSink &sink) {
  FailureOr<OnnxModel> model = readOnnxModel(options.path, sink);
  if (failed(model))
    return failure();
  return importModel(*model, options, context, sink);
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lh::importOnnxBytes(StringRef bytes, const OnnxImportOptions &options,
                    mlir::MLIRContext &context, DiagnosticSink &sink) {
  auto file = llvm::MemoryBuffer::getMemBuffer(
      bytes, options.path, /*RequiresNullTerminator=*/false);
  FailureOr<OnnxModel> model =
      readOnnxModel(std::move(file), options.path, sink);
  if (failed(model))
    return failure();
  return importModel(*model, options, context, sink);
}
