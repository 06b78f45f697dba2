// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happened: per step, per result, per compared output.
#ifndef LH_CORE_PLAN_RUNRECORD_H
#define LH_CORE_PLAN_RUNRECORD_H

#include "core/numerics/Comparator.h"
#include "core/plan/ArithmeticCount.h"
#include "core/plan/CallProfile.h"
#include "core/plan/Plan.h"
#include "core/support/EnumNames.h"

namespace lh {

enum class StepStatus {
  NotRun,
  Passed,
  Failed,
  Crashed,
  TimedOut,
  OutOfMemory,
  NotApplicable ///< of a run: its data set has no meaning here
};

inline ArrayRef<StringRef> enumNames(StepStatus) {
  static constexpr StringRef names[] = {
      "not run",   "passed",        "failed",        "crashed",
      "timed out", "out of memory", "not applicable"};
  return names;
}

/// Operations in products and convolutions of any type, per unit of the dynamic
/// dimensions: by the name of the matrix kernel that a schedule for GPUs has
/// chosen for them, and of those without one.
struct KernelShare {
  std::map<std::string, double> kernels = {};
  double withoutKernel = 0;

  /// What has a matrix kernel, from 0 to 1; nothing when there are none.
  std::optional<double> share() const {
    double inKernels = 0;
    for (const auto &[name, count] : kernels)
      inKernels += count;
    double all = inKernels + withoutKernel;
    return all > 0 ? std::optional(inKernels / all) : std::nullopt;
  }
};

/// Operations in contractions and convolutions, by the type of what they
/// multiply ("float32", "int8", ...); a multiply-add is two.
struct ContractionWork {
  std::map<std::string, double> operations;
  /// A size or a trip count isn't known: then these are not all.
  bool isOpen = false;
};

/// A tensor that a `run` step left behind.
struct OutputFile {
  std::string name, path, dtype;
  bool isDrawn = false; ///< it depends on numbers that the model draws
};

/// How many operations a search of a schedule found, in all its runs.
struct MatchCount {
  SourceSpan where;
  int64_t operations = 0;
  std::string op = {};     ///< "transform.structured.match"
  bool isOptional = false; ///< it may find none, as the schedule says
};

/// How an op is to be computed: what a bubble wrote into its `lh.choice`.
struct OpChoice {
  std::string op = {};   ///< "linalg.matmul"
  std::string name = {}; ///< of the node it comes from, in quotes; may be empty
  std::string sizes = {}; ///< of its loops, "127 x ? x 259"; may be empty
  SourceSpan where = {};
  std::string strategy = {}, rule = {};
  std::map<std::string, std::string> numbers = {}; ///< the strategy's own
};

/// A product, and which strategies can compute it.
struct OpCandidates {
  std::string op = {}; ///< "linalg.matmul"
  /// The nodes that it comes from, or places of the source.
  std::vector<std::string> origins = {};
  ProductKey product = {};
  OpChoice choice = {}; ///< its strategy is empty: there is none yet
  /// By name; with why it can't, "" where it can.
  std::vector<std::pair<std::string, std::string>> strategies = {};
};

/// What a module holds.
struct ModuleCount {
  std::map<std::string, int64_t> operations; ///< by dialect
  int64_t constantBytes = 0; ///< of constants with more than 16 elements

  int64_t total() const {
    int64_t sum = 0;
    for (const auto &[dialect, count] : operations)
      sum += count;
    return sum;
  }
};

/// One pass of a step, or one op of its schedule.
struct PassTime {
  std::string name;   ///< "canonicalize", "transform.structured.tile_using_for"
  unsigned depth = 0; ///< in the tree whose nodes these are, in preorder
  double begin = 0;   ///< seconds after the step's
  double seconds = 0;
};

/// What the cache of steps had to do with one.
enum class CacheUse {
  None,    ///< it ran, and nothing of it was kept
  Found,   ///< it didn't run: what it had done is known
  Unneeded ///< it didn't run: what comes after it is known
};

inline ArrayRef<StringRef> enumNames(CacheUse) {
  static constexpr StringRef names[] = {"none", "found", "unneeded"};
  return names;
}

/// What one step did. Crosses a process border, so it is plain data.
struct StepOutcome {
  StepId step = 0;
  StepStatus status = StepStatus::NotRun;
  std::string reason; ///< one line; empty when passed
  std::vector<Diagnostic> diagnostics;
  double begin = 0; ///< seconds after the run's
  double seconds = 0;
  /// Which process did it: they count from 0 as they begin.
  unsigned worker = 0;
  int64_t peakBytes = 0; ///< the worker's peak resident memory after it
  bool changedModule = true;
  std::vector<MatchCount> matches; ///< of a schedule, by place
  std::vector<OpChoice> choices;   ///< that it made
  /// Of all products, behind a schedule that chooses; where that was asked for.
  std::vector<OpCandidates> candidates;
  std::string codeHash; ///< of what it compiled, where that was asked for
  std::optional<ModuleCount> before, after;
  std::vector<PassTime> passes; ///< where times were asked for
  /// Gaps that changed the module or matched, where that was asked for.
  std::vector<std::string> gaps;
  CacheUse cache = CacheUse::None;
  std::string cacheNote; ///< why the cache didn't have it, where asked for
  /// The folder with what repeats its failure; empty: none was written.
  std::string reproducer;
  /// The file of the module's text after it, where one was asked for and the
  /// step changed the module; else empty.
  std::string snapshot;
  std::optional<KernelShare> kernels;
  std::optional<ContractionWork> work; ///< of what was imported
  std::vector<double> runSeconds;      ///< per repetition, `run` steps only
  std::optional<ArithmeticCount> arithmetic; ///< where a run counted it
  std::optional<CallProfile> profile; ///< of a run, where that was asked for
  std::vector<NodeWork>
      nodes; ///< of what was imported, where runs are profiled
  std::vector<OutputFile> outputs;
  std::vector<OutputFile> inputs; ///< where a runner was asked to keep them
  /// What it wrote to standard error (a worker's is caught); seldom anything.
  std::string log;
};

enum class ResultStatus {
  Passed,
  Emitted, ///< written as the path ends in `emit:`; nothing ran
  Failed,
  Skipped,
  Unverified,
  NotApplicable,
  ExpectedFailure ///< failed as the manifest announces
};

inline ArrayRef<StringRef> enumNames(ResultStatus) {
  static constexpr StringRef names[] = {
      "passed",     "emitted",        "failed",          "skipped",
      "unverified", "not applicable", "expected failure"};
  return names;
}

/// How a comparison was decided, strongest first (docs/numerics.md).
enum class Criterion { Exact, Bound, Ratio, Tolerance, Distribution };

inline ArrayRef<StringRef> enumNames(Criterion) {
  static constexpr StringRef names[] = {"exact", "bound", "ratio", "tolerance",
                                        "distribution"};
  return names;
}

/// Whether elements were compared one by one, so that there is a worst error.
inline bool isElementwise(Criterion criterion) {
  return criterion != Criterion::Distribution;
}

/// One reference, one output.
struct OutputComparison {
  std::string output;
  std::string against;
  CompareResult result;
  Criterion criterion = Criterion::Tolerance;
  /// How the decision was reached, a line each: what --explain-tolerance says.
  std::vector<std::string> basis = {};
  /// What makes a pass worth less than it seems; errors under --strict.
  std::vector<std::string> warnings = {};
};

/// Rows whose largest score is the label, of all.
struct Classified {
  int64_t rightly = 0, of = 0;
};

struct ResultRecord {
  ResultKey key;
  ResultStatus status = ResultStatus::Unverified;
  std::string reason;
  std::vector<OutputComparison> comparisons;
  /// What the manifest announces about it and isn't so, and why it fails the
  /// run although nothing in it failed: see failsRun().
  std::vector<Diagnostic> diagnostics;
  /// It passed though a failure is announced, and has failed for that.
  bool passedUnexpectedly = false;
  std::optional<Classified> classifiedRightly; ///< of a case with labels

  /// It failed, or it is unverified and the manifest doesn't allow that.
  bool failsRun() const {
    return status == ResultStatus::Failed ||
           (status == ResultStatus::Unverified && !diagnostics.empty());
  }
};

struct RunRecord {
  Plan plan;
  std::vector<StepOutcome> outcomes; ///< by StepId
  std::vector<ResultRecord> results; ///< by index into plan.results
  bool interrupted = false;
  double seconds = 0;
};

} // namespace lh

#endif // LH_CORE_PLAN_RUNRECORD_H
