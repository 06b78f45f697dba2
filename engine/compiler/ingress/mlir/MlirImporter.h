// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads an MLIR file, text or bytecode; where its operations stand.
#ifndef LH_COMPILER_INGRESS_MLIR_MLIRIMPORTER_H
#define LH_COMPILER_INGRESS_MLIR_MLIRIMPORTER_H

#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace lh {

/// The first file position in a location, looking through names, call sites
/// and fusions; unknown when it has none.
SourceSpan spanOf(mlir::Location location);

/// Parses and verifies the module at `path` with the dialects of `context`.
/// Errors become diagnostics at the payload's own line and column.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importMlir(const std::string &path, mlir::MLIRContext &context,
           DiagnosticSink &sink);

/// The same of text at hand, which stands in the file `path` from its line
/// `firstLine` on.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importMlirText(StringRef text, const std::string &path, unsigned firstLine,
               mlir::MLIRContext &context, DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_INGRESS_MLIR_MLIRIMPORTER_H
