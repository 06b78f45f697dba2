// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a StableHLO program as an MLIR module of upstream's dialects.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_STABLEHLOIMPORTER_H
#define LH_COMPILER_INGRESS_STABLEHLO_STABLEHLOIMPORTER_H

#include "compiler/ingress/emit/BoundShape.h"
#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace lh {

/// Reads the program at `path`, text or portable artifact, as it is: its
/// operations are unregistered ones of `stablehlo` and `chlo`.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
readStablehlo(const std::string &path, mlir::MLIRContext &context,
              DiagnosticSink &sink);

/// The same of text that stands in the file `path` from `firstLine` on.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
readStablehloText(StringRef text, const std::string &path, unsigned firstLine,
                  mlir::MLIRContext &context, DiagnosticSink &sink);

/// Turns a program into `func.func @main(inputs...) -> outputs...` on tensors,
/// in linalg, tensor, arith, math and scf. Arguments and results carry
/// `lh.type`, and `lh.name` where the program names them; functions that @main
/// calls become part of it. Every operation and type that isn't supported is
/// reported. The entry is @main, or the only public function. `shapes` fix open
/// dimensions of its arguments.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importStablehlo(mlir::ModuleOp program, const std::string &path,
                const std::optional<BoundShapes> &shapes, DiagnosticSink &sink);

/// Both of them.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importStablehlo(const std::string &path,
                const std::optional<BoundShapes> &shapes,
                mlir::MLIRContext &context, DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_STABLEHLOIMPORTER_H
