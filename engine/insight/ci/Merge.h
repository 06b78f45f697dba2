// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What became of the jobs of a plan: one record of many.
#ifndef LH_INSIGHT_CI_MERGE_H
#define LH_INSIGHT_CI_MERGE_H

#include "core/json/Fields.h"
#include "core/support/SourceStore.h"
#include "insight/ci/WorkFolder.h"
#include "insight/report/SavedRun.h"

namespace lh {

enum class JobState {
  Passed,
  Failed,
  Unsupported, ///< its machine couldn't run it
  Skipped,     ///< no machine takes it
  Lost,        ///< it was begun again and again, and never ended
  Missing,     ///< it has not ended
  Damaged      ///< what it left can't be read
};

inline ArrayRef<StringRef> enumNames(JobState) {
  static constexpr StringRef names[] = {"passed",  "failed", "unsupported",
                                        "skipped", "lost",   "missing",
                                        "damaged"};
  return names;
}

/// A job that a plan lists.
struct ExpectedJob {
  std::string title, manifest, caseName, pipeline, target;
  std::string folder; ///< the last part of where its results go
  std::vector<std::string> labels;
  std::string runner;
  std::string skipped; ///< why no machine takes it; empty: one does
};

/// The jobs in what `lh-run ci --format json` wrote, which plan.json is too.
/// Fails with an error in the file.
FailureOr<std::vector<ExpectedJob>>
readExpected(StringRef path, SourceStore &sources, DiagnosticSink &sink);

/// A comparison of a result, as far as many runs are told of.
struct MergedOutput {
  std::string output, against;
  Criterion criterion = Criterion::Tolerance;
  bool passed = false;
  double maxAbs = 0;
};

struct MergedResult {
  ResultKey key;
  ResultStatus status = ResultStatus::Unverified;
  std::string code; ///< of lit's
  std::string reason;
  size_t bubbles = 0; ///< of the run's that it got through, or failed in
  std::optional<double> runSeconds;
  std::vector<MergedOutput> outputs;
};

/// What is kept of a job's run.
struct MergedRun {
  std::string manifest;
  /// Of the job's pipeline, in its order, as far as a result got: seconds of
  /// all steps.
  NamedList<double> bubbles;
  std::vector<MergedResult> results;
};

struct MergedJob {
  const ExpectedJob *job = nullptr;
  JobState state = JobState::Missing;
  std::string reason; ///< one line; empty: it passed
  std::optional<JobEnd> end;
  std::string record; ///< the file that counts; empty: there is none
  std::string log;    ///< what it printed; empty: there is none
  size_t others = 0;  ///< further results of the same job, which don't count
  std::optional<MergedRun> run;
};

/// Finds jobs' results.
class Merger {
public:
  /// Both are borrowed. `planFolder` holds tasks/, where there are such.
  Merger(ArrayRef<ExpectedJob> jobs, std::string planFolder)
      : jobs(jobs), planFolder(std::move(planFolder)) {}

  /// Looks for jobs' folders in `root` and the folders in it, and no further
  /// than these.
  void addResults(StringRef root);

  /// What became of the job: of several results the newest that is whole.
  MergedJob look(const ExpectedJob &job) const;

  /// Records that were found outside of any expected job's folder.
  ArrayRef<std::string> strangers() const { return unexpected; }

private:
  MergedJob unfinished(const ExpectedJob &job) const;

  ArrayRef<ExpectedJob> jobs;
  std::string planFolder;
  std::map<std::string, std::vector<std::string>, std::less<>> folders;
  std::vector<std::string> unexpected;
};

/// How a file of `lh-run merge --json` begins.
inline constexpr StringRef mergedHead = "{\"schema\": 1, \"merged\": [\n";

using JobCounts = std::map<JobState, size_t>;

/// "38 passed, 1 failed, 1 missing".
std::string countsText(const JobCounts &counts);

/// 0 when all that ran passed and nothing is missing; 77 when nothing ran;
/// else 1.
int exitCode(const JobCounts &counts);

/// The job in one line of JSON.
Json mergedJson(const MergedJob &merged);

/// Visits the run record `place`, all in the folder of that name and those in
/// it, or what is kept of all in a file that `lh-run merge --json` wrote. Fails
/// with errors about what is none; the others are visited all the same.
LogicalResult forEachRun(StringRef place, SourceStore &sources,
                         DiagnosticSink &sink,
                         llvm::function_ref<void(const SavedRun &)> visit);

/// A test suite of JUnit's XML.
std::string mergedSuite(const MergedJob &merged);

/// A row of a page or summary.
struct MergedRow {
  JobState state = JobState::Missing;
  std::string manifest, title, reason, host;
  std::string target;
  double seconds = 0;
  std::string record, log; ///< links; may be empty
  std::string page;        ///< the job's own; may be empty
};

/// A page whose size grows by some 200 bytes a job: what is wrong first, then a
/// table of manifests and targets, then all jobs by manifest, folded.
std::string mergedPage(StringRef title, ArrayRef<MergedRow> rows,
                       const JobCounts &counts);

/// The same as Markdown of at most `limit` bytes: counts, and what is wrong.
std::string mergedMarkdown(ArrayRef<MergedRow> rows, const JobCounts &counts,
                           size_t limit = 1 << 20);

} // namespace lh

#endif // LH_INSIGHT_CI_MERGE_H
