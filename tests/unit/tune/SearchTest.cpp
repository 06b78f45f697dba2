// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches of a space whose times are known.
#include "core/tune/Search.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace lh;

static std::vector<Value> numbers(std::initializer_list<int64_t> values) {
  return std::vector<Value>(values.begin(), values.end());
}

/// The default, tiles under a limit of registers, and another strategy that has
/// dimensions of its own.
static TuneSpace bowl() {
  std::vector<Value> rows;
  for (int64_t row = 1; row <= 30; ++row)
    rows.push_back(row);
  TuneSpace space = {{{}}};
  addPoints(space, {{"strategy", std::string("tile")}},
            {{"rows", rows},
             {"columns", numbers({16, 32, 64})},
             {"block", numbers({16, 32, 64, 128, 256})}},
            [](const TunePoint &point) {
              int64_t columns = std::get<int64_t>(point.at("columns"));
              return (std::get<int64_t>(point.at("rows")) + 1) * columns <=
                         31 * 16 &&
                     std::get<int64_t>(point.at("block")) >= columns;
            });
  addPoints(space, {{"strategy", std::string("library")}},
            {{"packs", {false, true}}, {"depth", numbers({64, 128, 256, 512})}},
            [](const TunePoint &) { return true; });
  return space;
}

/// As a share of the default's; lowest, 0.8, for 20 x 16 in blocks of 64.
static double bowlCost(const TunePoint &point) {
  if (point.empty())
    return 1;
  if (!point.count("rows"))
    return 1.5 + (point.at("packs") == Value(true) ? 0 : 0.1);
  auto of = [&](const char *name) {
    return static_cast<double>(std::get<int64_t>(point.at(name)));
  };
  double rows = (of("rows") - 20) / 20;
  double columns = std::log2(of("columns") / 16);
  double block = std::log2(of("block") / 64);
  return 0.8 + rows * rows + columns * columns * 0.1 + block * block * 0.05;
}

namespace {

/// How many were tried until the best was among them, by one seed.
struct Course {
  std::vector<size_t> points;
  size_t untilBest = 0;
};

} // namespace

template <typename Cost>
static Course search(const TuneSpace &space, SearchKind kind, uint64_t seed,
                     size_t count, Cost cost, size_t most = SIZE_MAX) {
  Course course;
  std::vector<TriedPoint> tried = {{0, 1.0}};
  while (course.points.size() < most) {
    std::vector<size_t> round = proposePoints(space, tried, kind, count, seed);
    if (round.empty())
      break;
    for (size_t point : round) {
      course.points.push_back(point);
      tried.push_back({point, cost(space.points[point])});
      if (!course.untilBest && tried.back().cost && *tried.back().cost < 0.804)
        course.untilBest = course.points.size();
    }
  }
  return course;
}

static size_t medianUntilBest(SearchKind kind, size_t count) {
  TuneSpace space = bowl();
  std::vector<size_t> needed;
  for (uint64_t seed = 0; seed < 101; ++seed)
    needed.push_back(search(space, kind, seed, count, bowlCost, 150).untilBest);
  for (size_t &each : needed)
    each = each ? each : SIZE_MAX;
  std::nth_element(needed.begin(), needed.begin() + 50, needed.end());
  return needed[50];
}

TEST_CASE("estimators find the best sooner than chance", "[tune]") {
  for (size_t count : {4, 8}) {
    CAPTURE(count);
    size_t byDensity = medianUntilBest(SearchKind::Tpe, count);
    CHECK(byDensity <= 30);
    CHECK(2 * byDensity < medianUntilBest(SearchKind::Random, count));
  }
}

TEST_CASE("each point comes once and all come in the end", "[tune]") {
  TuneSpace space = bowl();
  for (SearchKind kind : {SearchKind::Tpe, SearchKind::Random, SearchKind::All})
    for (size_t count : {1, 7, 16, 1000}) {
      CAPTURE(enumName(kind).str(), count);
      Course course = search(space, kind, 3, count, bowlCost);
      std::set<size_t> distinct(course.points.begin(), course.points.end());
      CHECK(distinct.size() == course.points.size());
      CHECK(distinct.size() == space.points.size() - 1);
      CHECK_FALSE(distinct.count(0));
    }
}

TEST_CASE("proposals depend on what was tried and the seed alone", "[tune]") {
  TuneSpace space = bowl();
  std::vector<TriedPoint> tried;
  for (size_t point = 0; point < 60; point += 3)
    tried.push_back({point, bowlCost(space.points[point])});
  auto propose = [&](ArrayRef<TriedPoint> known, uint64_t seed) {
    return proposePoints(space, known, SearchKind::Tpe, 8, seed);
  };
  std::vector<size_t> first = propose(tried, 1);
  CHECK(first.size() == 8);
  CHECK(propose(tried, 1) == first);
  CHECK(propose(tried, 2) != first);
  std::vector<TriedPoint> turned(tried.rbegin(), tried.rend());
  CHECK(propose(turned, 1) == first);
  // Who was tried twice has its last cost.
  tried.insert(tried.begin(), {3, 0.1});
  CHECK(propose(tried, 1) == first);
}

TEST_CASE("proposals are the same on all machines", "[tune]") {
  TuneSpace space = bowl();
  Course course = search(space, SearchKind::Tpe, 1, 8, bowlCost, 16);
  CHECK(course.points == std::vector<size_t>{80, 118, 12, 225, 232, 220, 74,
                                             184, 215, 180, 127, 224, 170, 122,
                                             186, 210});
}

TEST_CASE("points without a time are avoided", "[tune]") {
  TuneSpace space = bowl();
  auto cost = [](const TunePoint &point) -> std::optional<double> {
    auto rows = point.find("rows");
    if (rows != point.end() && std::get<int64_t>(rows->second) < 15)
      return std::nullopt;
    return bowlCost(point);
  };
  size_t failures = 0, found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Course course = search(space, SearchKind::Tpe, seed, 8, cost, 48);
    found += course.untilBest > 0;
    for (size_t point : course.points)
      failures += !cost(space.points[point]);
  }
  CHECK(found >= 18);
  // Of the space it is more than half.
  CHECK(failures < 20 * 48 / 3);
}

TEST_CASE("a space of failures is gone through", "[tune]") {
  TuneSpace space = bowl();
  double infinity = std::numeric_limits<double>::infinity();
  for (std::optional<double> cost :
       {std::optional<double>(), std::optional(infinity),
        std::optional(std::nan("")), std::optional(1.0)}) {
    Course course = search(space, SearchKind::Tpe, 1, 8,
                           [&](const TunePoint &) { return cost; });
    CHECK(course.points.size() == space.points.size() - 1);
  }
}

TEST_CASE("a small space is gone through in a drawn order", "[tune]") {
  TuneSpace space = bowl();
  space.points.resize(smallSpace);
  Course drawn = search(space, SearchKind::Random, 5, 8, bowlCost);
  CHECK(search(space, SearchKind::Tpe, 5, 8, bowlCost).points == drawn.points);
  CHECK(search(space, SearchKind::All, 5, 8, bowlCost).points == drawn.points);
  CHECK_FALSE(llvm::is_sorted(drawn.points));
  CHECK(search(space, SearchKind::All, 6, 8, bowlCost).points != drawn.points);
}

TEST_CASE("nothing is proposed where nothing is left", "[tune]") {
  for (SearchKind kind :
       {SearchKind::Tpe, SearchKind::Random, SearchKind::All}) {
    CHECK(proposePoints({}, {}, kind, 8, 1).empty());
    CHECK(proposePoints({{{}}}, {{0, 1.0}}, kind, 8, 1).empty());
    CHECK(proposePoints({{{}}}, {}, kind, 8, 1) == std::vector<size_t>{0});
    CHECK(proposePoints({{{}}}, {}, kind, 0, 1).empty());
    // What an older log has of another space.
    CHECK(proposePoints({{{}}}, {{7, 1.0}}, kind, 8, 1).size() == 1);
  }
}
