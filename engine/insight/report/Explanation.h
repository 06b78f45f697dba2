// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happened on a path, bubble by bubble.
#ifndef LH_INSIGHT_REPORT_EXPLANATION_H
#define LH_INSIGHT_REPORT_EXPLANATION_H

#include "core/plan/RunRecord.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

/// What is to be explained of a run; without `bubble`, `op` and `node` a
/// summary of each step.
struct ExplainRequest {
  std::string bubble, op, node;
  bool asJson = false;
  std::string folder; ///< what was kept of the modules (compiler/session/Inspect.h)
};

/// Reports it when what is asked for isn't on any path that ran.
LogicalResult explain(const RunRecord &record, const ExplainRequest &request,
                      llvm::raw_ostream &stream, DiagnosticSink &sink);

/// Where the time went: bubbles, in them passes and ops of schedules, each with
/// its share of the path's. Equal ones in one node are added up.
void printTimes(const RunRecord &record, llvm::raw_ostream &stream);

/// The whole run for chrome://tracing and Perfetto: a thread for each worker,
/// in it steps, in these passes.
std::string traceJson(const RunRecord &record);

} // namespace lh

#endif // LH_INSIGHT_REPORT_EXPLANATION_H
