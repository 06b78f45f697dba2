// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The jobs that see most of the pipeline space in a given time.
#include "insight/ci/Cover.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

namespace {

/// What has been seen so far.
struct SeenValues {
  std::set<SpaceEdge> edges;
  std::set<std::pair<std::string, SpaceEdge>> onTargets;

  void add(const Job &job) {
    for (const SpaceEdge &edge : job.edges) {
      edges.insert(edge);
      onTargets.insert({job.target, edge});
    }
  }
};

/// What a job would add: edges, then edges on its target.
using Gain = std::pair<size_t, size_t>;

} // namespace

static Gain gainOf(const Job &job, const SeenValues &seen) {
  Gain gain;
  for (const SpaceEdge &edge : job.edges) {
    gain.first += !seen.edges.count(edge);
    gain.second += !seen.onTargets.count({job.target, edge});
  }
  return gain;
}

/// Whether `left` for `leftSeconds` is better than `right`.
static bool isBetter(Gain left, double leftSeconds, Gain right,
                     double rightSeconds) {
  double a = double(left.first) * rightSeconds;
  double b = double(right.first) * leftSeconds;
  if (a != b)
    return a > b;
  return double(left.second) * rightSeconds >
         double(right.second) * leftSeconds;
}

Cover lh::coverEdges(ArrayRef<Job> jobs, double seconds) {
  std::vector<const Job *> left;
  std::set<SpaceEdge> all;
  for (const Job &job : jobs) {
    left.push_back(&job);
    all.insert(job.edges.begin(), job.edges.end());
  }
  llvm::sort(left,
             [](const Job *a, const Job *b) { return a->key() < b->key(); });
  Cover cover;
  cover.allEdges = all.size();
  SeenValues seen;
  while (true) {
    const Job *best = nullptr;
    Gain most;
    for (const Job *job : left) {
      Gain gain = gainOf(*job, seen);
      if (gain == Gain() || cover.seconds + job->seconds > seconds)
        continue;
      if (!best || isBetter(gain, job->seconds, most, best->seconds)) {
        best = job;
        most = gain;
      }
    }
    if (!best)
      break;
    seen.add(*best);
    cover.jobs.push_back(*best);
    cover.seconds += best->seconds;
    llvm::erase(left, best);
  }
  cover.edges = seen.edges.size();
  return cover;
}
