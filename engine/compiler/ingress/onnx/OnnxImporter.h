// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads an ONNX model as an MLIR module.
#ifndef LH_COMPILER_INGRESS_ONNX_ONNXIMPORTER_H
#define LH_COMPILER_INGRESS_ONNX_ONNXIMPORTER_H

#include "compiler/ingress/emit/BoundShape.h"
#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace lh {

struct OnnxModel;

struct OnnxImportOptions {
  std::string path;
  /// Fixes the model's dynamic dimensions to these shapes.
  std::optional<BoundShapes> bindShapes;
};

/// Reads the model at `options.path` as `func.func @main(inputs..., weights...)
/// -> outputs...` on tensors. Arguments carry `lh.name` and `lh.type`; weights
/// stay in the file and carry `lh.weight` and `lh.data` too. Loads the dialects
/// it uses into `context`. Every unsupported operator is reported. A sequence
/// at the model's border is as many tensors, named "x[0]", "x[1]", ...; it
/// needs bound shapes.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnx(const OnnxImportOptions &options, mlir::MLIRContext &context,
           DiagnosticSink &sink);

/// The same of a model in memory; `options.path` is what diagnostics and
/// weights name.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnxBytes(StringRef bytes, const OnnxImportOptions &options,
                mlir::MLIRContext &context, DiagnosticSink &sink);

/// The same of a model that was read already.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importModel(const OnnxModel &model, const OnnxImportOptions &options,
            mlir::MLIRContext &context, DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_ONNXIMPORTER_H
