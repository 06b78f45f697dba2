// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run comes to, in a few numbers.
#ifndef LH_INSIGHT_REPORT_SUMMARY_H
#define LH_INSIGHT_REPORT_SUMMARY_H

#include "core/plan/RunRecord.h"

namespace lh {

struct Summary {
  size_t passed = 0, emitted = 0, failed = 0, skipped = 0, unverified = 0;
  size_t notApplicable = 0, expectedFailures = 0;
};

Summary summarize(const RunRecord &record);

/// A match that found nothing, an empty handle or a bubble that changed
/// nothing, where nobody has said that it may: an error with --strict.
bool isIdleness(const Step &step, const Diagnostic &diagnostic);

/// 0: all that ran passed, or failed as announced; 1: something failed or is
/// unverified though the manifest doesn't allow that, the run was interrupted,
/// or (with `strict`) a step warned or was idle; 77: nothing could run here.
int exitCode(const RunRecord &record, bool strict);

/// "3 passed, 1 failed, 0 skipped, 0 unverified", and what else there is.
std::string countsText(const RunRecord &record);

/// Nothing where there are no values.
std::optional<double> medianOf(std::vector<double> values);

/// "digits/1 optimized x86-avx512 vl_bytes=16"; parts that say nothing are
/// left out.
std::string resultName(const ResultKey &key);

/// What a result's path and comparisons come to.
struct ResultFigures {
  std::optional<double> runSeconds; ///< median over the repetitions
  double worstAbsolute = 0, worstRelative = 0;
  bool hasErrors = false; ///< elements were compared one by one
  bool wasCompared = false;
  /// What a call of its code computes, where that was counted.
  std::optional<ArithmeticCount> arithmetic;
  /// On a GPU: the boundary between steps where most had a matrix kernel.
  std::optional<KernelShare> kernels;
};

ResultFigures figuresOf(const RunRecord &record, size_t result);

/// "xsmm_gemm, xsmm_relu": whose arithmetic isn't known; "" for none.
std::string unknownCallees(const ArithmeticCount &count);
/// "wgmma-f16, simt", the most used one first; "" for none.
std::string kernelNames(const KernelShare &share);

/// The seed of the inputs that the result's run generates.
std::optional<uint64_t> seedOf(const RunRecord &record, size_t result);

/// The command that does this result again with the same inputs; "" when it
/// generates none.
std::string reproducingCommand(const RunRecord &record, size_t result);

/// The command that finds the step which spoils a result's numbers; "" where
/// none is known to be wrong.
std::string bisectingCommand(const RunRecord &record, size_t result);

/// The steps of a result's path; none when it wasn't planned.
std::vector<StepId> pathOf(const RunRecord &record, size_t result);

} // namespace lh

#endif // LH_INSIGHT_REPORT_SUMMARY_H
