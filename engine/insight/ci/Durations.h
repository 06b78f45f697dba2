// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long jobs take, from the records of earlier runs.
#ifndef LH_INSIGHT_CI_DURATIONS_H
#define LH_INSIGHT_CI_DURATIONS_H

#include "insight/ci/Job.h"
#include "insight/report/SavedRun.h"

namespace lh {

/// Seconds of pipelines on cases, as run records have them.
class Durations {
public:
  /// Takes in a run; where several tell of one job, the last counts.
  void add(const SavedRun &run);

  /// Gives each job its recorded time; others the median of those, or a minute
  /// where nothing is known.
  void apply(MutableArrayRef<Job> jobs) const;

  bool isEmpty() const { return seconds.empty(); }

private:
  /// By manifest, case, pipeline and target.
  std::map<std::string, double> seconds;
};

} // namespace lh

#endif // LH_INSIGHT_CI_DURATIONS_H
