// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one MLIR context of a process and everything registered with it.
#ifndef LH_COMPILER_SESSION_MLIRSESSION_H
#define LH_COMPILER_SESSION_MLIRSESSION_H

#include "core/support/Diagnostic.h"

#include <map>
#include <memory>
#include <vector>

namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace lh {

/// Owns the context. It is single-threaded, so that workers may fork; dialects
/// load when something names them, until loadAll().
class MlirSession {
public:
  /// Registers all upstream dialects, extensions, passes and translations to
  /// LLVM IR, and our gap passes; loads nothing.
  MlirSession();
  ~MlirSession();

  /// Loads the dialects and passes of a plugin library. A library with
  /// neither entry point, or of another plugin API, is an error.
  LogicalResult loadPlugin(StringRef path, DiagnosticSink &sink);

  /// Loads the dialects that a file of IRDL declares, once for one text; their
  /// names. A dialect of a name that is taken is an error.
  FailureOr<std::vector<std::string>>
  declareDialects(const Located<std::string> &file, DiagnosticSink &sink);

  /// The files that were declared, in order.
  ArrayRef<std::string> dialectFiles() const { return declaredFiles; }

  /// Loads every dialect. Call before the first fork, so that no worker pays
  /// for it again; `check` doesn't need it.
  void loadAll();

  mlir::MLIRContext &context();

  /// Where the gaps lie as a plugin, for mlir-opt.
  StringRef gapsPlugin() const { return gapsPluginFile; }
  void setGapsPlugin(std::string file) { gapsPluginFile = std::move(file); }

private:
  struct State;
  std::unique_ptr<State> state;
  std::vector<std::string> declaredFiles;
  std::map<std::string, std::vector<std::string>, std::less<>> dialectsByText;
  std::string gapsPluginFile = "lighthouse-gaps.so";
};

} // namespace lh

#endif // LH_COMPILER_SESSION_MLIRSESSION_H
