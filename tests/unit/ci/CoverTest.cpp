// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The jobs that see most of the pipeline space in a given time.
#include "insight/ci/Cover.h"

#include <catch2/catch.hpp>

using namespace lh;

static Job jobOver(const std::string &pipeline, const std::string &target,
                   double seconds, std::set<SpaceEdge> edges) {
  Job job;
  job.pipeline = pipeline;
  job.target = target;
  job.seconds = seconds;
  job.edges = std::move(edges);
  return job;
}

static const std::vector<Job> jobs = {
    jobOver("long", "a", 10, {{"i", "x"}, {"x", "y"}, {"y", "r"}}),
    jobOver("short", "a", 1, {{"i", "y"}, {"y", "r"}}),
    jobOver("same", "a", 2, {{"i", "y"}, {"y", "r"}}),
    jobOver("short", "b", 1, {{"i", "y"}, {"y", "r"}})};

TEST_CASE("what adds most in its time comes first", "[ci]") {
  Cover cover = coverEdges(jobs, 1);
  REQUIRE(cover.jobs.size() == 1);
  CHECK(cover.jobs[0].pipeline == "short");
  CHECK(cover.edges == 2);
  CHECK(cover.allEdges == 4);
}

TEST_CASE("with time enough all edges are seen, on each target", "[ci]") {
  Cover cover = coverEdges(jobs, 1000);
  CHECK(cover.edges == 4);
  CHECK(cover.jobs.size() == 3); // all but the one that adds nothing
  CHECK(cover.seconds == 12);
}

TEST_CASE("without time there is nothing", "[ci]") {
  CHECK(coverEdges(jobs, 0).jobs.empty());
}
