// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jobs in the forms that CI systems read.
#ifndef LH_INSIGHT_CI_FORMAT_H
#define LH_INSIGHT_CI_FORMAT_H

#include "insight/ci/Job.h"

namespace lh {

/// What every job's command has in common.
struct CommandOptions {
  std::string program = "lh-run";
  std::vector<std::string> flags; ///< "--library", "lib", ...
  std::string resultsDir = "lh-results";
  std::string workingDirectory; ///< where the manifests' paths begin
};

/// The words that run `job`, and write no report.
std::vector<std::string> runCommand(const Job &job,
                                    const CommandOptions &options);

/// The words that run `job` and write its reports.
std::vector<std::string> commandOf(const Job &job,
                                   const CommandOptions &options);

/// A line for sh that runs all of `portion`, each whatever became of the
/// others; it exits with 77 when none could run, else with the worst code.
std::string shellCommand(ArrayRef<Job> portion, const CommandOptions &options);

/// What people see of a portion: its one job, or how many it has.
std::string portionTitle(ArrayRef<Job> portion, size_t index);

/// All jobs, also those that no runner takes, for programs.
std::string jobsJson(ArrayRef<Job> jobs, const CommandOptions &options);

using Portions = ArrayRef<std::vector<Job>>;

constexpr size_t mostGithubJobs = 256;
constexpr size_t mostGithubBytes = 1 << 20;
/// The value of `strategy.matrix`, on one line. Without portions it has one
/// entry that does nothing, since GitHub takes no empty matrix.
std::string githubMatrix(Portions portions, const CommandOptions &options);

constexpr size_t mostGitlabBytes = 5 << 20;
/// A child pipeline.
std::string gitlabPipeline(Portions portions, const CommandOptions &options);

constexpr size_t mostBuildkiteJobs = 500;
/// Steps to upload.
std::string buildkitePipeline(Portions portions, const CommandOptions &options);

/// A CTestTestfile.cmake. Jobs without a runner are disabled tests.
std::string ctestFile(ArrayRef<Job> jobs, const CommandOptions &options);

} // namespace lh

#endif // LH_INSIGHT_CI_FORMAT_H
