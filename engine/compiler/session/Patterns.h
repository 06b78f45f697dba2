// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rewrites of a file of `patterns:`, ready to be applied.
#ifndef LH_COMPILER_SESSION_PATTERNS_H
#define LH_COMPILER_SESSION_PATTERNS_H

#include "core/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

#include <functional>
#include <memory>

namespace lh {

/// Runs an external tool with `input` on its standard input and returns its
/// standard output, or reports why not.
using CommandFunction = std::function<FailureOr<std::string>(
    ArrayRef<std::string> words, StringRef input, DiagnosticSink &sink)>;

/// PDL patterns, and functions that what they make may call.
class Patterns {
public:
  /// Reports what can't be parsed, what is neither a `pdl.pattern` nor a
  /// symbol, and patterns that call native functions: there are none.
  /// `translate` runs `mlir-pdll` for PDLL; without it that is an error.
  static FailureOr<std::unique_ptr<Patterns>>
  read(const PatternsAction &action, mlir::MLIRContext &context,
       const CommandFunction &translate, DiagnosticSink &sink);

  /// Brings the functions into `module`, private, and rewrites it until no
  /// pattern fits. Nothing else changes: no folding, no removal of dead code.
  /// Fails after 10,000 rewrites and 100 more for each operation, and where
  /// `module` has one of the functions already.
  LogicalResult applyTo(mlir::ModuleOp module, DiagnosticSink &sink) const;

private:
  LogicalResult addFunctions(mlir::ModuleOp module, DiagnosticSink &sink) const;

  SourceSpan where;                            ///< in the manifest
  mlir::OwningOpRef<mlir::ModuleOp> functions; ///< and nothing else
  mlir::FrozenRewritePatternSet rewrites;
};

} // namespace lh

#endif // LH_COMPILER_SESSION_PATTERNS_H
