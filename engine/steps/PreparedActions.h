// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes, schedules and check files, parsed before anything runs.
#ifndef LH_STEPS_PREPAREDACTIONS_H
#define LH_STEPS_PREPAREDACTIONS_H

#include "compiler/session/PassPipeline.h"
#include "compiler/session/Patterns.h"
#include "compiler/session/Schedule.h"
#include "core/exec/StepRunner.h"

#include <map>
#include <set>

namespace lh {

/// Of a step's actions, by text and place: steps that come from one bubble
/// share an entry.
class PreparedActions {
public:
  /// `translate` runs the program that translates PDLL; none: nothing may run.
  PreparedActions(mlir::MLIRContext &context, bool timing,
                  KernelCodeFunction kernelCode, CommandFunction translate)
      : context(context), store(context, timing, std::move(kernelCode)),
        translate(std::move(translate)) {}

  /// Parses what the step needs and reads what it is checked against; reports
  /// all errors, each only once for all steps that share it.
  LogicalResult prepare(const Step &step, DiagnosticSink &sink);

  /// Null where preparing failed (and was reported).
  const PassPipeline *passes(const PassesAction &action, DiagnosticSink &sink);
  const Schedule *schedule(const ScheduleAction &action, DiagnosticSink &sink);
  const Patterns *patterns(const PatternsAction &action, DiagnosticSink &sink);

private:
  LogicalResult prepareSchedule(const ScheduleAction &action, const Step &step,
                                DiagnosticSink &sink);
  LogicalResult prepareChecks(const Step &step, DiagnosticSink &sink);

  mlir::MLIRContext &context;
  ScheduleStore store;
  CommandFunction translate;
  std::map<std::string, std::optional<PassPipeline>> pipelines;
  std::map<std::string, std::unique_ptr<Schedule>> schedules;
  std::map<std::string, std::unique_ptr<Patterns>> patternFiles;
  std::set<std::string> checksRead;  ///< check files, with their prefixes
  std::set<std::string> fitsChecked; ///< schedules, with the contract's place
};

} // namespace lh

#endif // LH_STEPS_PREPAREDACTIONS_H
