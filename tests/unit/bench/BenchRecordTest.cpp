// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From laps to shares, ratios and winners.
#include "core/bench/BenchRecord.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

BenchRow row(std::string pipeline, std::string target = "host") {
  BenchRow row;
  row.key.caseName = "c";
  row.key.pipeline = std::move(pipeline);
  row.key.target = std::move(target);
  row.bytes = 1000;
  return row;
}

/// Laps of one call, undisturbed, in rounds from 0.
LapSeries series(const std::vector<double> &seconds, size_t place = 0,
                 size_t players = 1) {
  LapSeries series;
  for (size_t i = 0; i < seconds.size(); ++i) {
    series.laps.push_back({1, seconds[i], seconds[i]});
    series.turns.push_back(i * players + place);
    series.rounds.push_back(i);
  }
  return series;
}

std::vector<Lap> probeLaps(size_t count, double seconds) {
  return std::vector<Lap>(count, Lap{1, seconds, seconds});
}

} // namespace

TEST_CASE("a share is of the neighbouring probes", "[bench]") {
  BenchGroup group;
  group.rows = {row("fast")};
  group.work = ContractionWork{{{"float32", 500}}};
  group.probes = {{{"multiply-add", "float32", 1000}, {}},
                  {{"copy", "", 4000}, {}}};
  TurnsTaken taken;
  taken.contestants = {series({1, 1, 1})};
  taken.probes = {probeLaps(4, 1), probeLaps(4, 1)};
  // The clock was at half between the first two laps.
  taken.probes[0][1].cpuSeconds = 2;
  addFigures(group, taken, {});
  const BenchRow &fast = group.rows.front();
  REQUIRE(fast.shareOfPeak);
  CHECK(fast.shareOfPeak->max == Approx(500.0 / 750));
  CHECK(fast.shareOfPeak->min == 0.5);
  CHECK(fast.shareOfBandwidth->median == 0.25);
  CHECK(group.probes[0].rate.median == 1000);
  CHECK(fast.isSteady);
}

TEST_CASE("each type has its own peak, the fastest of its probes", "[bench]") {
  BenchGroup group;
  group.rows = {row("mixed")};
  group.work = ContractionWork{{{"float32", 500}, {"int8", 2000}}};
  group.probes = {{{"f", "float32", 1000}, {}},
                  {{"slow", "int8", 1000}, {}},
                  {{"fast", "int8", 8000}, {}}};
  TurnsTaken taken;
  taken.contestants = {series({1})};
  taken.probes = {probeLaps(2, 1), probeLaps(2, 1), probeLaps(2, 1)};
  addFigures(group, taken, {});
  CHECK(group.rows[0].shareOfPeak->median == 0.75);
}

TEST_CASE("work that isn't known whole gives no rate", "[bench]") {
  BenchGroup group;
  group.work = ContractionWork{{{"float32", 500}}, true};
  CHECK_FALSE(group.operations());
  group.work->isOpen = false;
  CHECK(*group.operations() == 500);
  group.work->operations = {};
  CHECK_FALSE(group.operations());
}

TEST_CASE("ratios pair the laps of a round on one target", "[bench]") {
  BenchGroup group;
  group.rows = {row("a"), row("base"), row("a", "other")};
  TurnsTaken taken;
  taken.contestants = {series({1, 2, 1}, 0, 3), series({4, 8}, 1, 3),
                       series({1, 1}, 2, 3)};
  taken.contestants[1].rounds = {0, 1};
  BenchRecord record;
  record.base = "base";
  addFigures(group, taken, record);
  REQUIRE(group.rows[0].ratio);
  CHECK(group.rows[0].ratio->count == 2);
  CHECK(group.rows[0].ratio->min == 4);
  CHECK(group.rows[0].ratio->max == 4);
  CHECK_FALSE(group.rows[1].ratio);
  CHECK_FALSE(group.rows[2].ratio);
  CHECK_FALSE(group.fastest);
}

TEST_CASE("a race names the fastest, and whether that is clear", "[bench]") {
  BenchGroup group;
  group.rows = {row("slow"), row("broken"), row("quick", "other"), row("out")};
  group.rows[3].whyNot = "failed: wrong";
  TurnsTaken taken;
  taken.contestants = {series({3, 3, 3}), series({1, 1, 1}), series({2, 2, 2})};
  taken.contestants[1].failure = "its results changed";
  BenchRecord record;
  record.isRace = true;
  addFigures(group, taken, record);
  REQUIRE(group.fastest);
  CHECK(group.rows[*group.fastest].key.pipeline == "quick");
  CHECK(group.isClear);
  CHECK(group.rows[1].failed);
  CHECK(group.rows[1].whyNot == "its results changed");
  CHECK_FALSE(group.rows[3].failed);
  CHECK(group.rows[0].ratio->median == Approx(2.0 / 3));

  BenchGroup even;
  even.rows = {row("a"), row("b")};
  taken.contestants = {series({1, 2, 1, 2}), series({2, 1.1, 1.9, 1})};
  addFigures(even, taken, record);
  REQUIRE(even.fastest);
  CHECK_FALSE(even.isClear);
}

TEST_CASE("a race that nobody ends has no winner", "[bench]") {
  BenchGroup group;
  group.rows = {row("a")};
  TurnsTaken taken;
  taken.contestants = {LapSeries{}};
  BenchRecord record;
  record.isRace = true;
  addFigures(group, taken, record);
  CHECK_FALSE(group.fastest);
  CHECK_FALSE(group.rows[0].whyNot.empty());
}
