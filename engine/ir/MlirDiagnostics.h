// What MLIR says during a step, as the engine's own diagnostics.
#ifndef LH_IR_MLIRDIAGNOSTICS_H
#define LH_IR_MLIRDIAGNOSTICS_H

#include "support/Diagnostic.h"

#include "mlir/IR/Diagnostics.h"

#include <map>
#include <tuple>

namespace lh {

/// The first file position in a location, looking through names, call sites
/// and fusions; unknown when it has none.
SourceSpan spanOf(mlir::Location location);

/// The names in a location (ONNX nodes), such as "'conv1'"; empty without.
std::string namesIn(mlir::Location location);

/// The text of the remarks by which an instrumented schedule says how many
/// operations a match found.
inline constexpr StringRef matchedRemark = "lh.matched";

/// Catches MLIR's diagnostics while it lives. Errors become `errorKind`,
/// warnings and remarks `ir-message`; what has no place gets `fallback`.
class MlirDiagnostics {
public:
  MlirDiagnostics(mlir::MLIRContext &context, DiagKind errorKind,
                  SourceSpan fallback);

  bool hasErrors() const { return errors > 0; }

  /// Moves what was caught so far to `sink`.
  void flushTo(DiagnosticSink &sink);

  /// How often each match of an instrumented schedule found something, summed
  /// by its place: (file, line, column) -> operations.
  const std::map<std::tuple<std::string, unsigned, unsigned>, int64_t> &
  matches() const {
    return matched;
  }

private:
  void receive(mlir::Diagnostic &diagnostic);
  bool takeMatch(mlir::Diagnostic &diagnostic);

  DiagKind errorKind;
  SourceSpan fallback;
  unsigned errors = 0;
  std::vector<Diagnostic> caught;
  std::map<std::tuple<std::string, unsigned, unsigned>, int64_t> matched;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace lh

#endif // LH_IR_MLIRDIAGNOSTICS_H
