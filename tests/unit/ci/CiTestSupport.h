// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jobs for tests.
#ifndef LH_TESTS_UNIT_CI_CITESTSUPPORT_H
#define LH_TESTS_UNIT_CI_CITESTSUPPORT_H

#include "insight/ci/Job.h"

namespace lh {

inline Job makeJob(const std::string &name, double seconds,
                   std::vector<std::string> labels = {"linux"}) {
  Job job;
  job.manifestName = "m";
  job.pipeline = name;
  job.target = "t";
  job.seconds = seconds;
  job.labels = std::move(labels);
  return job;
}

} // namespace lh

#endif // LH_TESTS_UNIT_CI_CITESTSUPPORT_H
