// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points, their texts and their spaces' hashes.
#include "core/tune/Space.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace lh;

static Value number(int64_t value) { return value; }

static TuneSpace tiles() {
  TuneSpace space = {{{}}};
  addPoints(
      space, {{"strategy", std::string("tile")}},
      {{"rows", {number(4), number(12)}}, {"block", {number(32), number(64)}}},
      [](const TunePoint &point) {
        return point.at("rows") != number(12) ||
               point.at("block") != number(64);
      });
  return space;
}

TEST_CASE("a point's text has its values by name", "[tune]") {
  CHECK(textOf({}) == "default");
  CHECK(textOf({{"rows", number(12)},
                {"strategy", std::string("tile")},
                {"block", number(64)},
                {"packs", true}}) == "block=64 packs=true rows=12 "
                                     "strategy=tile");
}

TEST_CASE("combinations that are not allowed are no points", "[tune]") {
  TuneSpace space = tiles();
  REQUIRE(space.points.size() == 4);
  CHECK(textOf(space.points[0]) == "default");
  CHECK(textOf(space.points[1]) == "block=32 rows=4 strategy=tile");
  CHECK(textOf(space.points[2]) == "block=64 rows=4 strategy=tile");
  CHECK(textOf(space.points[3]) == "block=32 rows=12 strategy=tile");
  auto all = [](const TunePoint &) { return true; };
  addPoints(space, space.points[1], {}, all);
  CHECK(space.points.size() == 4);
  addPoints(space, {}, {{"rows", {}}}, all);
  CHECK(space.points.size() == 4);
}

TEST_CASE("a space's dimensions have their values in order", "[tune]") {
  TuneSpace space = {{{},
                      {{"rows", number(12)}, {"kind", std::string("b")}},
                      {{"rows", number(4)}, {"kind", std::string("a")}},
                      {{"rows", 4.0}}}};
  std::vector<TuneDimension> dimensions = dimensionsOf(space);
  REQUIRE(dimensions.size() == 2);
  CHECK(dimensions[0].name == "kind");
  CHECK(dimensions[0].values ==
        std::vector<Value>{std::string("b"), std::string("a")});
  CHECK(dimensions[1].values == std::vector<Value>{number(4), number(12)});
}

TEST_CASE("a point is found in its space", "[tune]") {
  TuneSpace space = tiles();
  CHECK(indexOf(space, {}) == 0);
  CHECK(indexOf(space, space.points[3]) == 3);
  CHECK_FALSE(indexOf(space, {{"rows", number(12)}}));
}

TEST_CASE("a space's hash is that of its points", "[tune]") {
  TuneSpace space = tiles(), other = tiles();
  CHECK(hashOf(space).size() == 32);
  std::reverse(other.points.begin() + 1, other.points.end());
  CHECK(hashOf(space) == hashOf(other));
  other.points.pop_back();
  CHECK(hashOf(space) != hashOf(other));
  // Another default, another type, a border that moves.
  other = space;
  std::swap(other.points[0], other.points[1]);
  CHECK(hashOf(space) != hashOf(other));
  CHECK(hashOf({{{{"rows", number(4)}}}}) !=
        hashOf({{{{"rows", std::string("4")}}}}));
  CHECK(hashOf({{{{"ab", std::string("c")}}}}) !=
        hashOf({{{{"a", std::string("bc")}}}}));
  CHECK(hashOf({}) != hashOf({{{}}}));
}
