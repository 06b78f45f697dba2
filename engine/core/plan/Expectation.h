// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures that a manifest announces: which results they are of, and what they
// make of a verdict.
#ifndef LH_CORE_PLAN_EXPECTATION_H
#define LH_CORE_PLAN_EXPECTATION_H

#include "core/graph/ResolvedGraph.h"
#include "core/manifest/Expectations.h"
#include "core/plan/RunRecord.h"

namespace lh {

/// Whether the announcement is of results on this target in this pipeline.
bool concerns(const FailDecl &fail, StringRef target, StringRef pipeline);

/// What the bubbles of a path and the case announce for a result.
std::vector<ExpectedFailure> expectedFailures(const ResolvedGraph &graph,
                                              ArrayRef<size_t> path,
                                              const ResultKey &key,
                                              const Present &present);

/// By step: whether its failure is announced, and the run goes on after it.
std::vector<bool> stepsExpectedToFail(const Plan &plan);

/// Makes an expected failure of a verdict that failed as announced. Where the
/// announcement is over it stays a failure, and says so.
void applyExpectedFailures(const Plan &plan, size_t result,
                           ArrayRef<StepOutcome> outcomes,
                           ResultRecord &verdict);

/// An announced failure that none of a case's results on a target shows, though
/// they ran, is over: those that passed have failed for it.
void reportUnexpectedPasses(RunRecord &record);

} // namespace lh

#endif // LH_CORE_PLAN_EXPECTATION_H
