// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifests joined to one map.
#include "Spaces.h"

#include "insight/map/Lanes.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("a bubble of two manifests is one station", "[map]") {
  SpaceMap map = makeSpaceMap({sourceOf("one", {"fast: in a out"}),
                               sourceOf("two", {"slow: in b out"})});
  REQUIRE(map.nodes.size() == 4);
  REQUIRE(map.lanes.size() == 2);
  CHECK(routeOf(map, map.lanes[0].members[0]) == "in a out");
  CHECK(routeOf(map, map.lanes[1].members[0]) == "in b out");
  auto in = map.nodeOf(0, "in");
  REQUIRE(in);
  CHECK(in == map.nodeOf(1, "in"));
  CHECK(map.nodes[*in].lanes == std::vector<size_t>{0, 1});
  CHECK(map.nodes[*in].isSource);
  CHECK_FALSE(map.nodes[*in].isSink);
  CHECK_FALSE(map.nodeOf(0, "b").has_value());
}

TEST_CASE("what does the same under another name is the same station",
          "[map]") {
  SpaceMap map = makeSpaceMap({sourceOf("one", {"x: in tidy=clean out"}),
                               sourceOf("two", {"x: in wash=clean out"})});
  CHECK(map.nodes.size() == 3);
  CHECK(map.nodeOf(0, "tidy") == map.nodeOf(1, "wash"));
}

TEST_CASE("a name alone makes no station the same", "[map]") {
  SpaceMap map = makeSpaceMap({sourceOf("one", {"x: in=onnx out"}),
                               sourceOf("two", {"x: in=mlir out"})});
  CHECK(map.nodes.size() == 3);
  CHECK(map.nodeOf(0, "in") != map.nodeOf(1, "in"));
}

TEST_CASE("two bubbles of one manifest stay two stations", "[map]") {
  SpaceMap map =
      makeSpaceMap({sourceOf("one", {"x: in tidy=clean a again=clean out"})});
  CHECK(map.nodes.size() == 5);
}

TEST_CASE("manifests that order bubbles differently make no cycle", "[map]") {
  SpaceMap map = makeSpaceMap(
      {sourceOf("one", {"x: in a b out"}), sourceOf("two", {"x: in b a out"})});
  // One of the two has a second station, and every edge leads onwards.
  CHECK(map.nodes.size() == 5);
  for (const MapEdge &edge : map.edges)
    CHECK(edge.from < edge.to);
}

TEST_CASE("pipelines with one route share a lane", "[map]") {
  SpaceMap map = makeSpaceMap({sourceOf("one", {"fast: in a out"}),
                               sourceOf("two", {"fast: in a out"}),
                               sourceOf("three", {"fast: in out"})});
  REQUIRE(map.lanes.size() == 2);
  CHECK(map.lanes[0].members.size() == 2);
  // Two lanes of one name are told apart.
  CHECK(map.lanes[0].name == "fast (one + 1)");
  CHECK(map.lanes[1].name == "fast (three)");
}

TEST_CASE("too many lanes are joined by the pipelines' names", "[map]") {
  std::vector<MapSource> sources;
  for (int i = 0; i < 9; ++i) {
    std::string own = "own" + std::to_string(i);
    sources.push_back(
        sourceOf("m" + std::to_string(i), {"fast: in " + own + " out",
                                           "slow: in " + own + " debug out"}));
  }
  SpaceMap map = makeSpaceMap(sources);
  REQUIRE(map.lanes.size() == 2);
  CHECK(map.lanes[0].name == "fast");
  CHECK(map.lanes[0].members.size() == 9);
  CHECK(map.lanes[1].members.size() == 9);
}

TEST_CASE("what lanes have no room for is others", "[map]") {
  std::vector<std::string> pipelines;
  for (int i = 0; i < 30; ++i)
    pipelines.push_back("p" + std::to_string(i) + ": in b" + std::to_string(i) +
                        " out");
  SpaceMap map = makeSpaceMap({sourceOf("m", pipelines)});
  REQUIRE(map.lanes.size() == 12);
  CHECK(map.lanes.back().isOthers);
  CHECK(map.lanes.back().members.size() == 19);
  size_t members = 0;
  for (const MapLane &lane : map.lanes)
    members += lane.members.size();
  CHECK(members == 30);
}

TEST_CASE("a composite bubble of chains names the chains", "[map]") {
  MapSource source =
      sourceOf("one", {"x: in low/tile/a low/tile/b low/math out"});
  SpaceMap closed = makeSpaceMap({source});
  auto low = closed.nodeOf(0, "low/tile/b");
  REQUIRE(low);
  CHECK(closed.nodes[*low].name == "low");
  CHECK(closed.nodes[*low].summary == "tile \u203a math");
  CHECK(closed.nodes[*low].inner ==
        std::vector<std::string>{"tile/a", "tile/b", "math"});
  SpaceMapOptions options;
  options.expand = true;
  SpaceMap open = makeSpaceMap({source}, options);
  REQUIRE(open.groups.size() == 1);
  CHECK(open.groups[0].name == "low");
  CHECK(open.groups[0].nodes.size() == 3);
}

TEST_CASE("a composite bubble is one station, or a frame", "[map]") {
  std::vector<MapSource> sources = {
      sourceOf("m", {"x: in low/a low/b out", "y: in low/a low/b end"})};
  SpaceMap closed = makeSpaceMap(sources);
  REQUIRE(closed.nodes.size() == 4);
  auto low = closed.nodeOf(0, "low");
  REQUIRE(low);
  CHECK(closed.nodes[*low].kind == "composite");
  CHECK(closed.nodes[*low].inner == std::vector<std::string>{"a", "b"});
  CHECK(closed.nodeOf(0, "low/b") == low);
  SpaceMapOptions options;
  options.expand = true;
  SpaceMap open = makeSpaceMap(sources, options);
  CHECK(open.nodes.size() == 5);
  REQUIRE(open.groups.size() == 1);
  CHECK(open.groups[0].name == "low");
  CHECK(open.groups[0].nodes.size() == 2);
}

TEST_CASE("cases, targets and variants are counted, not drawn", "[map]") {
  MapSource one = sourceOf("one", {"x: in a out"});
  one.bubbles[1].settings = "k = 4";
  one.bubbles[2].kind = "execute";
  one.cases = {"p", "q"};
  one.targets = {{"sve", 5}, {"avx", 1}};
  MapSource two = one;
  two.bubbles[1].settings = "k = 8";
  SpaceMap map = makeSpaceMap({one, two});
  REQUIRE(map.nodes.size() == 3);
  CHECK(map.nodes[0].badges == std::vector<std::string>{"4 cases"});
  CHECK(map.nodes[1].badges == std::vector<std::string>{"2 variants"});
  CHECK(map.nodes[2].badges ==
        std::vector<std::string>{"2 targets", "6 sweep points"});
}

TEST_CASE("only a colour is taken for a colour", "[map]") {
  CHECK(safeColor("#a1B2c3") == "#a1B2c3");
  CHECK(safeColor("#fff") == "#fff");
  CHECK(safeColor("rebeccapurple") == "rebeccapurple");
  CHECK(safeColor("").empty());
  CHECK(safeColor("#ffff").empty());
  CHECK(safeColor("red;background:url(x)").empty());
  CHECK(safeColor("red\"><script>").empty());
}

TEST_CASE("a manifest's colour is the lane's", "[map]") {
  MapSource source = sourceOf("m", {"x: in out"});
  source.pipelines[0].color = "#123456";
  CHECK(makeSpaceMap({source}).lanes[0].color == "#123456");
  source.pipelines[0].color = "expression(1)";
  CHECK(makeSpaceMap({source}).lanes[0].color.empty());
}

TEST_CASE("no manifest makes an empty map", "[map]") {
  SpaceMap map = makeSpaceMap({});
  CHECK(map.nodes.empty());
  CHECK(map.lanes.empty());
}
