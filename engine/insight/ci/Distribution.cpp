// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which machines take which jobs, and in what portions.
#include "insight/ci/Distribution.h"

#include "core/support/Hash.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace lh;

std::optional<Runner> lh::parseRunner(StringRef text) {
  auto [name, list] = text.split('=');
  llvm::SmallVector<StringRef> labels;
  list.split(labels, ',', -1, /*KeepEmpty=*/false);
  if (name.empty() || labels.empty())
    return std::nullopt;
  Runner runner{name.str(), {}};
  for (StringRef label : labels)
    runner.labels.push_back(label.trim().str());
  return runner;
}

static bool suffices(const Runner &runner, ArrayRef<std::string> wanted) {
  return llvm::all_of(wanted, [&](const std::string &label) {
    return llvm::is_contained(runner.labels, label);
  });
}

/// The one with the fewest labels that has all of `wanted`. Among those with
/// the same labels the job's own key decides: they share the load, and a new
/// job moves no other.
static const Runner *leastThatSuffices(ArrayRef<Runner> runners,
                                       ArrayRef<std::string> wanted,
                                       const Job &job) {
  std::vector<const Runner *> least;
  for (const Runner &runner : runners) {
    if (!suffices(runner, wanted))
      continue;
    if (!least.empty() && runner.labels.size() < least[0]->labels.size())
      least.clear();
    if (least.empty() || (runner.labels.size() == least[0]->labels.size() &&
                          suffices(runner, least[0]->labels)))
      least.push_back(&runner);
  }
  if (least.empty())
    return nullptr;
  uint64_t hash = 0;
  StringRef(keyHex({job.key()})).take_front(8).getAsInteger(16, hash);
  return least[hash % least.size()];
}

void lh::assignRunners(MutableArrayRef<Job> jobs, ArrayRef<Runner> runners) {
  if (runners.empty())
    return;
  for (Job &job : jobs) {
    const Runner *runner = nullptr;
    if (!job.nativeLabels.empty())
      runner = leastThatSuffices(runners, job.nativeLabels, job);
    if (runner) {
      job.place = job.place == JobPlace::Simulated ? JobPlace::Device
                                                   : JobPlace::Native;
      job.labels = job.nativeLabels;
      job.tools.clear();
    } else {
      runner = leastThatSuffices(runners, job.labels, job);
    }
    if (runner)
      job.runner = runner->name;
    else
      job.whyNot = "no runner has the labels " + llvm::join(job.labels, ", ");
  }
}

std::optional<Shard> lh::parseShard(StringRef text) {
  auto [index, count] = text.split('/');
  Shard shard;
  constexpr size_t most = 10000;
  if (index.getAsInteger(10, shard.index) ||
      count.getAsInteger(10, shard.count) || shard.index < 1 ||
      shard.index > shard.count || shard.count > most)
    return std::nullopt;
  return shard;
}

/// Rounded to a power of the square root of two: noise makes no difference.
static double roughly(double seconds) {
  return std::exp2(std::round(2 * std::log2(std::max(seconds, 1e-3))) / 2);
}

std::vector<std::vector<Job>> lh::portions(ArrayRef<Job> jobs, size_t count) {
  struct Weighed {
    const Job *job;
    double weight;
    std::string hash;
  };
  std::vector<Weighed> order;
  for (const Job &job : jobs)
    order.push_back({&job, roughly(job.seconds), keyHex({job.key()})});
  // The longest first, each to where there is least so far.
  llvm::sort(order, [](const Weighed &left, const Weighed &right) {
    return std::tie(right.weight, left.hash) <
           std::tie(left.weight, right.hash);
  });
  std::vector<std::vector<Job>> result(count);
  std::vector<double> load(count, 0);
  for (const Weighed &one : order) {
    size_t least = size_t(llvm::min_element(load) - load.begin());
    load[least] += one.weight;
    result[least].push_back(*one.job);
  }
  for (std::vector<Job> &portion : result)
    llvm::sort(portion, [](const Job &left, const Job &right) {
      return left.key() < right.key();
    });
  return result;
}

FailureOr<std::vector<std::vector<Job>>> lh::bundles(ArrayRef<Job> jobs,
                                                     size_t limit) {
  std::vector<std::vector<Job>> result;
  if (jobs.size() <= limit) {
    for (const Job &job : jobs)
      result.push_back({job});
    return result;
  }
  std::map<std::string, std::vector<Job>> groups;
  double total = 0;
  for (const Job &job : jobs) {
    groups[llvm::join(job.labels, ",") + "\n" + job.runner].push_back(job);
    total += roughly(job.seconds);
  }
  if (groups.size() > limit)
    return failure();
  size_t spare = limit - groups.size();
  for (const auto &[machine, group] : groups) {
    double seconds = 0;
    for (const Job &job : group)
      seconds += roughly(job.seconds);
    size_t share = 1 + size_t(double(spare) * seconds / total);
    for (std::vector<Job> &portion :
         portions(group, std::min(share, group.size())))
      result.push_back(std::move(portion));
  }
  return result;
}
