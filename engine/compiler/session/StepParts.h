// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps taken apart, and what one of them did to a module: to find a fault.
#ifndef LH_COMPILER_SESSION_STEPPARTS_H
#define LH_COMPILER_SESSION_STEPPARTS_H

#include "core/plan/Plan.h"

namespace lh {

class MlirSession;

/// A pass of a pass string, or the operations of a schedule up to one.
struct StepPart {
  std::string name; ///< "canonicalize", "transform.structured.tile_using_for"
  SourceSpan where;
  StepAction action;
  /// Of a schedule's operation: the match that finds what it acts on.
  SourceSpan targetsFrom = {};
};

/// The passes of `action`, each as an action of its own.
std::vector<StepPart> passParts(const PassesAction &action,
                                MlirSession &session);

/// For each operation of the entry of `action`, in order: the schedule that
/// ends with it, written to `<folder>/<n>.mlir` with all parameters in place.
/// Each runs on what the whole schedule runs on.
FailureOr<std::vector<StepPart>> scheduleParts(const ScheduleAction &action,
                                               StringRef folder,
                                               MlirSession &session,
                                               DiagnosticSink &sink);

/// The schedule of `part`, one of scheduleParts(), written to `file`, whose
/// last operation takes only the first `count` operations of what its first
/// operand stands for. Nothing where it takes none, or the module itself.
FailureOr<std::optional<StepPart>>
withFewerTargets(const StepPart &part, unsigned count, StringRef file,
                 MlirSession &session, DiagnosticSink &sink);

/// How two modules differ, operation by operation.
struct ModuleChange {
  size_t gone = 0, came = 0;
  std::vector<std::string> goneOps, cameOps; ///< the first few, as text
  std::vector<std::string> names;            ///< in their locations: ONNX nodes
};

/// Compares what two files hold. An operation is known by its name, attributes,
/// types and where its operands come from. Fails when a file can't be read.
FailureOr<ModuleChange> changeBetween(const std::string &before,
                                      const std::string &after,
                                      MlirSession &session,
                                      DiagnosticSink &sink);

/// The text of the module in a file, with locations.
FailureOr<std::string> textWithPlaces(const std::string &file,
                                      MlirSession &session,
                                      DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_SESSION_STEPPARTS_H
