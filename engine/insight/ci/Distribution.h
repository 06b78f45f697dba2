// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which machines take which jobs, and in what portions.
#ifndef LH_INSIGHT_CI_DISTRIBUTION_H
#define LH_INSIGHT_CI_DISTRIBUTION_H

#include "insight/ci/Job.h"

namespace lh {

/// A kind of machine that a CI system has, by what it calls it.
struct Runner {
  std::string name;
  std::vector<std::string> labels;
};

/// "ubuntu-24.04=linux,x86"; nothing when it isn't of this form.
std::optional<Runner> parseRunner(StringRef text);

/// Gives each job the runner with the fewest labels among those that have all
/// of its own, and spreads them over runners with the same labels; an emulated
/// one runs natively where some runner can. What no runner can take has
/// `whyNot`. Without runners nothing changes.
void assignRunners(MutableArrayRef<Job> jobs, ArrayRef<Runner> runners);

/// "2/5": the second of five.
struct Shard {
  size_t index = 1, count = 1;
};

/// Nothing when it isn't 1/1 to N/N with N at most 10,000.
std::optional<Shard> parseShard(StringRef text);

/// `jobs` in `count` portions that take about as long as each other; some are
/// empty when there are fewer jobs. The same jobs and durations give the same
/// portions, in whatever order they come, and small changes of durations
/// change nothing.
std::vector<std::vector<Job>> portions(ArrayRef<Job> jobs, size_t count);

/// At most `limit` portions; those of one have the same runner and labels.
/// Jobs in a portion of their own where there is room for all. Fails, silently,
/// when there are more kinds of machine than `limit`.
FailureOr<std::vector<std::vector<Job>>> bundles(ArrayRef<Job> jobs,
                                                 size_t limit);

} // namespace lh

#endif // LH_INSIGHT_CI_DISTRIBUTION_H
