// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a runner didn't finish its job, as a diagnostic.
#ifndef LH_RUNTIME_EMULATED_OUTCOME_H
#define LH_RUNTIME_EMULATED_OUTCOME_H

#include "runtime/emulated/Job.h"
#include "runtime/emulated/Launch.h"

namespace lh {

/// What a diagnostic about a run tells of it.
struct RunnerContext {
  std::string entry;
  std::string target;   ///< its name
  std::string machine;  ///< the emulator's words; "" on this machine itself
  std::string features; ///< that the target's code uses, for messages
};

/// Success when the runner came to the end of its job; else one error with the
/// reason: code that can't be loaded, an instruction the machine doesn't have,
/// vectors of another length, memory, an assertion, a signal.
LogicalResult checkOutcome(const LaunchResult &launched, const LhJob &job,
                           const RunnerContext &context,
                           const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_EMULATED_OUTCOME_H
