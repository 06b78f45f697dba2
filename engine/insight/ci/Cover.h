// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The jobs that see most of the pipeline space in a given time.
#ifndef LH_INSIGHT_CI_COVER_H
#define LH_INSIGHT_CI_COVER_H

#include "insight/ci/Job.h"

namespace lh {

struct Cover {
  std::vector<Job> jobs;
  size_t edges = 0, allEdges = 0;
  double seconds = 0;
};

/// Takes, while `seconds` last, the job that adds most edges per second; among
/// equals the one whose target has seen fewer of them. What adds nothing, on no
/// target, is left out.
Cover coverEdges(ArrayRef<Job> jobs, double seconds);

} // namespace lh

#endif // LH_INSIGHT_CI_COVER_H
