// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module between steps: as text for reports, as bytecode to begin from.
#ifndef LH_COMPILER_SESSION_SNAPSHOT_H
#define LH_COMPILER_SESSION_SNAPSHOT_H

#include "compiler/session/MlirSession.h"
#include "core/plan/Plan.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// What was done to a module, a line for each step: its bubble, and a hash of
/// what it does, of the files that this is read from, and of the model (by its
/// size and time).
using ModuleHistory = std::vector<std::string>;

/// The line of one step; empty for steps that leave the module as it is.
std::string historyOf(const Step &step);

/// `<folder>/<step>-<bubble><ending>`, made safe for file systems.
std::string stepFile(const Step &step, StringRef folder, StringRef ending);

/// Writes `<folder>/<step>-<bubble>.mlir`, without what large constants hold,
/// and returns its path. What can't be written costs a warning, and gives "".
std::string writeSnapshot(mlir::ModuleOp module, const Step &step,
                          StringRef folder, DiagnosticSink &sink);

/// Writes `<folder>/<step>-<bubble>.mlirbc`: bytecode with `history` in it.
/// What large constants hold goes to `<folder>/constants`, once. What can't be
/// written costs a warning.
void writeResumable(mlir::ModuleOp module, const Step &step,
                    const ModuleHistory &history, StringRef folder,
                    DiagnosticSink &sink);

/// Makes of a module that was read from a snapshot at `path` the one that was
/// written, and returns its history; empty when it is no snapshot.
FailureOr<ModuleHistory> openSnapshot(mlir::ModuleOp module,
                                      const std::string &path,
                                      DiagnosticSink &sink);

/// The snapshot in `folder` of the module after a bubble whose path has this
/// history. Fails, with [ir-bad-snapshot] at `from`, when there is none, and
/// says what differs in those that are there.
FailureOr<std::string> findSnapshot(StringRef folder, const Step &step,
                                    const ModuleHistory &history,
                                    MlirSession &session, DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_SESSION_SNAPSHOT_H
