// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which nodes a call's time is said to go to.
#include "insight/report/Profile.h"

#include <catch2/catch.hpp>

using namespace lh;

/// An import, and a run of each of two pipelines.
static RunRecord makeRun() {
  RunRecord run;
  run.plan.steps.resize(3);
  run.outcomes.resize(3);
  for (StepId step = 0; step < 3; ++step) {
    run.plan.steps[step].id = step;
    if (step > 0)
      run.plan.steps[step].parent = 0;
  }
  run.outcomes[0].nodes = {{"conv", "linalg.conv", 800, 10, "float32"},
                           {"relu", "linalg.generic", 20, 40, "float32"},
                           {"pool", "linalg.pool", 50, 60, "float32"}};
  run.outcomes[0].choices = {{"linalg.conv", "'conv'", "", {}, "tile", "all"}};
  // Apart, and with the function in the convolution's nest.
  run.outcomes[1].profile = {{{true, {"conv"}, 0.4},
                              {true, {"relu"}, 0.2},
                              {true, {"pool"}, 0.3},
                              {false, {}, 0.1}},
                             1.1};
  run.outcomes[2].profile = {{{true, {"relu", "conv", "view"}, 0.5},
                              {false, {"conv"}, 0.1},
                              {true, {"pool"}, 0.4}},
                             0.5};
  for (StepId step : {1U, 2U}) {
    PlannedResult planned;
    planned.key.caseName = "one";
    planned.key.pipeline = step == 1 ? "plain" : "fused";
    planned.leaf = step;
    run.plan.results.push_back(planned);
    ResultRecord result;
    result.key = planned.key;
    run.results.push_back(result);
  }
  return run;
}

static BenchRecord makeBench(const RunRecord &run) {
  BenchGroup group;
  for (const ResultRecord &result : run.results) {
    BenchRow row;
    row.key = result.key;
    row.seconds.median = result.key.pipeline == "plain" ? 1 : 0.5;
    group.rows.push_back(row);
  }
  group.probes = {{{"slow", "float32", 0}, {}},
                  {{"fast", "float32", 0}, {}},
                  {{"copy", "", 0}, {}}};
  group.probes[0].rate.median = 1000;
  group.probes[1].rate.median = 4000;
  group.probes[2].rate.median = 200;
  BenchRecord record;
  record.base = "plain";
  record.groups = {group};
  return record;
}

static const ProfiledNode &nodeIn(const ProfiledResult &result,
                                  StringRef name) {
  for (const ProfiledNode &node : result.nodes)
    if (node.node == name)
      return node;
  FAIL("no node " << name.str());
  return result.nodes.front();
}

TEST_CASE("times are the nodes' shares of a call, the longest first",
          "[profile]") {
  RunRecord run = makeRun();
  std::vector<ProfiledResult> results = profiledResults(run, makeBench(run));
  REQUIRE(results.size() == 2);
  const ProfiledResult &plain = results[0];
  REQUIRE(plain.nodes.size() == 3);
  CHECK(plain.nodes[0].node == "conv");
  CHECK(plain.nodes[1].node == "pool");
  CHECK(plain.nodes[0].seconds == Approx(0.4));
  CHECK(plain.unknownSeconds == Approx(0.1));
  CHECK(plain.clockedSeconds == 1.1);
}

TEST_CASE("a nest is of the node with most to do, and has the others' work",
          "[profile]") {
  RunRecord run = makeRun();
  ProfiledResult fused = profiledResults(run, makeBench(run))[1];
  REQUIRE(fused.nodes.size() == 2);
  const ProfiledNode &conv = nodeIn(fused, "conv");
  CHECK(conv.seconds == Approx(0.3));
  CHECK(conv.nests == 1);
  CHECK(conv.strategy == "tile");
  // A view computes nothing.
  CHECK(conv.with == std::vector<std::string>{"relu"});
  CHECK(conv.operations == 820);
  // Apart it is its own.
  ProfiledResult plain = profiledResults(run, makeBench(run))[0];
  CHECK(nodeIn(plain, "conv").operations == 800);
  CHECK(nodeIn(plain, "relu").operations == 20);
}

TEST_CASE("shares are of the fastest probe of the type, and of the copy",
          "[profile]") {
  RunRecord run = makeRun();
  ProfiledResult plain = profiledResults(run, makeBench(run))[0];
  const ProfiledNode &conv = nodeIn(plain, "conv");
  CHECK(conv.ofPeak.value_or(0) == Approx(800 / 0.4 / 4000));
  CHECK(conv.ofBandwidth.value_or(0) == Approx(10 / 0.4 / 200));
  CHECK(conv.ofRoofline.value_or(0) == Approx(0.5));
  CHECK(nodeIn(plain, "relu").ofRoofline.value_or(0) == Approx(40 / 0.2 / 200));
}

TEST_CASE("nodes are compared with the base's", "[profile]") {
  RunRecord run = makeRun();
  std::vector<ProfiledResult> results = profiledResults(run, makeBench(run));
  CHECK(nodeIn(results[1], "pool").otherSeconds.value_or(0) == Approx(0.3));
  CHECK_FALSE(nodeIn(results[0], "pool").otherSeconds);
}

TEST_CASE("what wasn't measured or has no profile isn't told", "[profile]") {
  RunRecord run = makeRun();
  BenchRecord bench = makeBench(run);
  bench.groups[0].rows[0].whyNot = "failed";
  run.outcomes[2].profile.reset();
  CHECK(profiledResults(run, bench).empty());
}

TEST_CASE("clocks that cost much are warned of", "[report]") {
  ProfiledResult cheap, dear;
  cheap.seconds = dear.seconds = 1;
  cheap.clockedSeconds = 1.05;
  dear.clockedSeconds = 1.5;
  dear.key.caseName = "small";
  CollectingSink sink;
  warnOfClocks({cheap, dear}, sink);
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(kindName(sink.diagnostics()[0].kind) == "report-costly-clocks");
  CHECK_THAT(sink.diagnostics()[0].message,
             Catch::Contains("small") && Catch::Contains("50.0 % longer"));
}
