// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What leaving a gap out comes to.
#include "core/bench/GapFields.h"

#include <catch2/catch.hpp>

using namespace lh;

/// By a ratio of the full pipeline's time to its own.
static GapWorth worthAt(double ratio, double error) {
  SampleStatistics statistics;
  statistics.median = ratio;
  statistics.relativeError = error;
  return worthOf(slowdownOf(statistics));
}

static GapTrial trial(const std::string &name, GapWorth worth,
                      double times = 0) {
  GapTrial made;
  made.name = name;
  made.worth = worth;
  if (times > 0)
    made.slowdown = {times, times, times};
  return made;
}

TEST_CASE("a slowdown is a ratio the other way round, with both ends",
          "[gaps]") {
  SampleStatistics ratio;
  ratio.median = 0.5;
  ratio.relativeError = 0.05;
  Slowdown slowdown = slowdownOf(ratio);
  CHECK(slowdown.times == Approx(2));
  CHECK(slowdown.low == Approx(2 / 1.1));
  CHECK(slowdown.high == Approx(2 / 0.9));
  ratio.median = 0; // of no laps
  CHECK(slowdownOf(ratio).times == 1);
}

TEST_CASE("only what stands out from the noise is worth something", "[gaps]") {
  CHECK(worthAt(0.5, 0.01) == GapWorth::Slower);
  CHECK(worthAt(0.95, 0.01) == GapWorth::Slower);
  CHECK(worthAt(0.95, 0.04) == GapWorth::Nothing);
  CHECK(worthAt(0.99, 0.0001) == GapWorth::Nothing);
  CHECK(worthAt(1, 0.01) == GapWorth::Nothing);
  CHECK(worthAt(1.05, 0.01) == GapWorth::Faster);
  CHECK(worthAt(1.05, 0.04) == GapWorth::Nothing);
  CHECK(worthAt(0.5, 1) == GapWorth::Nothing); // of two laps
}

TEST_CASE("of two processes the one nearer to no change counts", "[gaps]") {
  Slowdown far{2.6, 2.5, 2.7}, near{1.24, 1.23, 1.25};
  for (const Slowdown &both : {ofBoth(far, near), ofBoth(near, far)}) {
    CHECK(both.times == 1.24);
    CHECK(both.low == 1.23);
    CHECK(both.high == 2.7);
    CHECK(worthOf(both) == GapWorth::Slower);
  }
  // What is slower once and faster once is neither.
  CHECK(worthOf(ofBoth({1.05, 1.04, 1.06}, {0.97, 0.96, 0.98})) ==
        GapWorth::Nothing);
}

TEST_CASE("the worthiest comes first", "[gaps]") {
  std::vector<GapTrial> trials = {trial("unknown", GapWorth::Unknown),
                                  trial("faster", GapWorth::Faster, 0.8),
                                  trial("nothing", GapWorth::Nothing, 1.01),
                                  trial("slower", GapWorth::Slower, 1.2),
                                  trial("slowest", GapWorth::Slower, 30),
                                  trial("wrong", GapWorth::Wrong),
                                  trial("breaks-too", GapWorth::Breaks),
                                  trial("breaks", GapWorth::Breaks)};
  sortByWorth(trials);
  std::vector<std::string> names;
  for (const GapTrial &each : trials)
    names.push_back(each.name);
  CHECK(names == std::vector<std::string>{"breaks", "breaks-too", "wrong",
                                          "slowest", "slower", "nothing",
                                          "faster", "unknown"});
  for (const GapTrial &each : trials)
    CHECK(costsSomething(each.worth) == (each.worth <= GapWorth::Slower));
}

TEST_CASE("a record says whether it runs and is right", "[gaps]") {
  GapRecord record;
  record.gaps = {trial("a", GapWorth::Breaks), trial("b", GapWorth::Wrong),
                 trial("c", GapWorth::Slower, 2)};
  record.redundancy.pairs = {{"d", "e"}};
  Json json = writeFields(record, FieldUse::Report);
  CHECK(json["schema"] == 1);
  CHECK(json["gaps"][0]["runs"] == false);
  CHECK(json["gaps"][0]["right"] == false);
  CHECK(json["gaps"][1]["runs"] == true);
  CHECK(json["gaps"][1]["right"] == false);
  CHECK(json["gaps"][1]["slowdown"].is_null());
  CHECK(json["gaps"][2]["right"] == true);
  CHECK(json["gaps"][2]["slowdown"]["times"] == 2);
  CHECK(json["gaps"][2]["lost_work"].is_null());
  CHECK(json["redundancy"]["pairs"][0]["other"] == "e");
}
