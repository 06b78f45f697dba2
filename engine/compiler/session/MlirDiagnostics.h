// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What MLIR says during a step, as the engine's own diagnostics.
#ifndef LH_COMPILER_SESSION_MLIRDIAGNOSTICS_H
#define LH_COMPILER_SESSION_MLIRDIAGNOSTICS_H

#include "compiler/ingress/mlir/MlirImporter.h"
#include "core/support/Diagnostic.h"

#include "mlir/IR/Diagnostics.h"

#include <map>
#include <tuple>

namespace lh {

/// The names in a location (ONNX nodes), such as "'conv1'"; empty without.
std::string namesIn(mlir::Location location);

class PassClock;

/// What all runs of one search of a schedule come to.
struct MatchTally {
  std::string op;               ///< "transform.structured.match"
  int64_t given = 0, found = 0; ///< operations
  bool isOptional = false;      ///< it may find nothing
};

/// Catches MLIR's diagnostics while it lives. Errors become `errorKind`,
/// warnings and remarks `ir-message`; what has no place gets `fallback`.
class MlirDiagnostics {
public:
  MlirDiagnostics(mlir::MLIRContext &context, DiagKind errorKind,
                  SourceSpan fallback);

  /// `clock`, which must live as long, takes its remarks from now on.
  void setClock(PassClock *taker) { clock = taker; }

  bool hasErrors() const { return errors > 0; }

  /// Moves what was caught so far to `sink`.
  void flushTo(DiagnosticSink &sink);

  /// What the searches of an instrumented schedule found, by their place:
  /// (file, line, column).
  const std::map<std::tuple<std::string, unsigned, unsigned>, MatchTally> &
  matches() const {
    return matched;
  }

private:
  void receive(mlir::Diagnostic &diagnostic);
  bool takeMatch(mlir::Diagnostic &diagnostic);

  DiagKind errorKind;
  SourceSpan fallback;
  PassClock *clock = nullptr;
  unsigned errors = 0;
  std::vector<Diagnostic> caught;
  std::map<std::tuple<std::string, unsigned, unsigned>, MatchTally> matched;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace lh

#endif // LH_COMPILER_SESSION_MLIRDIAGNOSTICS_H
