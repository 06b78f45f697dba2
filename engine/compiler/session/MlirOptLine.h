// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mlir-opt commands that do what steps do.
#ifndef LH_COMPILER_SESSION_MLIROPTLINE_H
#define LH_COMPILER_SESSION_MLIROPTLINE_H

#include "compiler/session/MlirSession.h"
#include "core/plan/Plan.h"

#include <map>
#include <memory>

namespace lh {

class ScheduleStore;

/// The commands of one plan's steps. Steps that do the same are looked at once.
class MlirOptLines {
public:
  /// With `schedules`, a folder, lines name copies of the schedules there,
  /// linked and with all values in place.
  explicit MlirOptLines(MlirSession &session, std::string schedules = "");
  ~MlirOptLines();

  /// The command that does the same as a passes or schedule step, with a `#`
  /// comment for what mlir-opt can't do; empty for other steps. It loads the
  /// gaps where `loadsGaps` says so or the step needs them. Fails, and reports
  /// why, where a schedule can't be written.
  FailureOr<std::string> line(const Step &step, bool loadsGaps,
                              DiagnosticSink &sink);

  /// Whether the step runs gap passes, or functions of a schedule: what these
  /// make, upstream's dialects alone don't say enough of.
  bool needsGaps(const Step &step);

private:
  /// What a schedule asks of who runs it.
  struct Needs {
    bool gapPasses = false, kernels = false;
    std::string copy; ///< where it was written; empty: nowhere yet
  };
  /// Of a step with a schedule.
  Needs &needsOf(const Step &step);
  std::string lineFor(const PassesAction &action, bool loadsGaps);
  FailureOr<std::string> lineFor(const ScheduleAction &action, const Step &step,
                                 bool loadsGaps, DiagnosticSink &sink);

  MlirSession &session;
  std::string schedules;
  std::unique_ptr<ScheduleStore> store;
  std::map<std::string, Needs> seen; ///< by what the schedule does
};

/// The line of one step by itself, with schedules where they are.
std::string mlirOptLine(const Step &step, MlirSession &session);

} // namespace lh

#endif // LH_COMPILER_SESSION_MLIROPTLINE_H
