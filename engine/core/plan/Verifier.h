// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges what came out of a run.
#ifndef LH_CORE_PLAN_VERIFIER_H
#define LH_CORE_PLAN_VERIFIER_H

#include "core/plan/Exhibits.h"
#include "core/plan/Judge.h"
#include "core/plan/RunRecord.h"

#include <map>

namespace lh {

/// Turns outcomes into results. The plan is borrowed.
class Verifier {
public:
  explicit Verifier(const Plan &plan);

  /// The verdict on one result, once its own leaf and the leaves it is
  /// compared with have ended (`outcomes` is by StepId). Reads output files.
  /// Without `execute` in the path, what ran through has passed, or is emitted
  /// where the path ends so; with it, and with nothing to compare or a
  /// tolerance that would let zeros pass, it is unverified. That is an error of
  /// the result unless the manifest says `verify: none`, or others are compared
  /// with this very result.
  ResultRecord verify(size_t result, ArrayRef<StepOutcome> outcomes) const;

  /// The leaves that must have ended before verify(result) makes sense.
  std::vector<StepId> neededLeaves(size_t result) const;

private:
  /// Why there is no reference, when a step of its own failed; else empty.
  std::string referenceFailure(const PlannedComparison &comparison,
                               ArrayRef<StepOutcome> outcomes) const;
  void compare(const PlannedComparison &comparison,
               ArrayRef<StepOutcome> outcomes, ResultRecord &record) const;
  std::optional<NamedFiles> expectedFiles(const PlannedComparison &comparison,
                                          ArrayRef<StepOutcome> outcomes,
                                          ResultRecord &record) const;
  void compareOutput(const PlannedComparison &comparison,
                     ArrayRef<StepOutcome> outcomes,
                     const std::pair<std::string, std::string> &actual,
                     const std::string &expected, ResultRecord &record) const;
  Judgement judgeOutput(const PlannedComparison &comparison,
                        ArrayRef<StepOutcome> outcomes, const std::string &name,
                        const Tensor &actual, const Tensor &expected) const;
  void classify(size_t result, ArrayRef<StepOutcome> outcomes,
                ResultRecord &record) const;
  std::optional<int64_t> rightInGolden(size_t result,
                                       ArrayRef<StepOutcome> outcomes,
                                       const Tensor &labels) const;
  void demandLabels(size_t result, std::optional<int64_t> golden,
                    ResultRecord &record) const;
  void blameUnverified(size_t result, ResultRecord &record) const;
  /// Where the manifest says what the result is compared with; where it doesn't
  /// say, what runs it.
  SourceSpan placeOfVerify(size_t result) const;

  std::vector<StepId> leavesOf(size_t result) const;
  StepId blamed(size_t result, StepId failed,
                ArrayRef<StepOutcome> outcomes) const;
  void distrustUnwritten(size_t result, ArrayRef<StepOutcome> outcomes,
                         ResultRecord &record) const;

  const Plan &plan;
  std::vector<std::vector<size_t>> comparisonsOf;  ///< by result
  std::map<StepId, std::vector<StepId>> firstRuns; ///< by what loads code
};

} // namespace lh

#endif // LH_CORE_PLAN_VERIFIER_H
