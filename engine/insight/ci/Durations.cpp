// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long jobs take, from the records of earlier runs.
#include "insight/ci/Durations.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace lh;

/// A case of many folders is one job's, whatever folder a result is of.
static std::string keyOf(StringRef manifest, StringRef caseName,
                         StringRef pipeline, StringRef target) {
  return (manifest + "\n" + caseName.split('/').first + "\n" + pipeline + "\n" +
          target)
      .str();
}

void Durations::add(const SavedRun &run) {
  // Steps that several results share count once for each job.
  std::map<std::string, std::set<StepId>> stepsOf;
  for (const SavedResult &result : run.results)
    if (!result.steps.empty())
      stepsOf[keyOf(run.manifest, result.key.caseName, result.key.pipeline,
                    result.key.target)]
          .insert(result.steps.begin(), result.steps.end());
  for (const auto &[job, steps] : stepsOf) {
    double total = 0;
    for (StepId step : steps)
      total += run.steps[step].seconds;
    seconds[job] = total;
  }
}

void Durations::apply(MutableArrayRef<Job> jobs) const {
  constexpr double unknown = 60;
  std::vector<double> known;
  for (Job &job : jobs) {
    auto found = seconds.find(
        keyOf(job.manifestName, job.caseName, job.pipeline, job.target));
    if (found == seconds.end())
      continue;
    job.seconds = found->second;
    job.wasRecorded = true;
    known.push_back(found->second);
  }
  llvm::sort(known);
  double usual = known.empty() ? unknown : known[known.size() / 2];
  for (Job &job : jobs)
    if (!job.wasRecorded)
      job.seconds = usual;
}
