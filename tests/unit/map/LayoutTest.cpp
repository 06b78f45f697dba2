// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where things stand.
#include "Spaces.h"

#include "insight/map/Channel.h"
#include "insight/map/Layers.h"
#include "insight/map/Ranks.h"
#include "insight/map/Straighten.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace lh;

TEST_CASE("edges lead downwards by ranks", "[map]") {
  RankGraph graph;
  graph.vertices.resize(4);
  graph.edges = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 3, 1}};
  FailureOr<std::vector<unsigned>> ranks = ranksOf(graph);
  REQUIRE(succeeded(ranks));
  CHECK(*ranks == std::vector<unsigned>{0, 1, 2, 3});
}

TEST_CASE("groups that lead to each other have their stations in order",
          "[map]") {
  SpaceMap map = makeSpaceMap({sourceOf("m", {"x: in a b c d out"})});
  map.groups.resize(2);
  map.groups[0].nodes = {1, 3};
  map.groups[1].nodes = {2, 4};
  FailureOr<Layers> layers = makeLayers(map, MapMetrics());
  REQUIRE(succeeded(layers));
  for (unsigned i = 0; i < map.nodes.size(); ++i)
    CHECK(layers->vertices[i].rank == i);
}

TEST_CASE("a chain of stations is upright whatever their labels", "[map]") {
  RankGraph graph;
  graph.vertices = {{40, true}, {200, true}, {90, true}};
  graph.edges = {{0, 1, 1}, {1, 2, 1}};
  FailureOr<std::vector<RankPosition>> positions = positionsOf(graph);
  REQUIRE(succeeded(positions));
  CHECK(std::abs((*positions)[0].x - (*positions)[1].x) < 1);
  CHECK(std::abs((*positions)[1].x - (*positions)[2].x) < 1);
}

TEST_CASE("neighbours in a row don't overlap", "[map]") {
  FailureOr<MapLayout> layout = layOut(makeSpaceMap(
      {sourceOf("m", {"x: in a out", "y: in b out", "z: in c out"})}));
  REQUIRE(succeeded(layout));
  for (size_t i = 0; i < layout->nodes.size(); ++i)
    for (size_t j = 0; j < layout->nodes.size(); ++j) {
      const PlacedNode &left = layout->nodes[i], &right = layout->nodes[j];
      if (left.rank == right.rank && left.x < right.x)
        CHECK(left.right < right.x - right.halfWidth);
    }
  CHECK(layout->stretches.size() == 6);
  CHECK(layout->termini.size() == 3);
}

TEST_CASE("a skip passes beside the label of what it skips", "[map]") {
  SpaceMap map =
      makeSpaceMap({sourceOf("m", {"all: in middle out", "some: in out"})});
  FailureOr<Layers> layers = makeLayers(map, {});
  REQUIRE(succeeded(layers));
  REQUIRE(layers->vertices.size() == 4);
  const LayerVertex &middle = layers->vertices[1],
                    &passing = layers->vertices[3];
  CHECK_FALSE(passing.isStation);
  CHECK(passing.rank == middle.rank);
  bool isLeft = passing.x < middle.x - 7;
  bool isRight = passing.x > middle.x + labelWidth(map.nodes[1]);
  CHECK((isLeft || isRight));
}

TEST_CASE("lanes side by side keep their order while they share a route",
          "[map]") {
  SpaceMap map = makeSpaceMap({sourceOf(
      "m", {"x: in a b c out", "y: in a b d out", "z: in a b e out"})});
  FailureOr<Layers> layers = makeLayers(map, {});
  REQUIRE(succeeded(layers));
  for (const char *name : {"in", "a", "b"}) {
    INFO(name);
    CHECK(layers->vertices[*map.nodeOf(0, name)].lanes ==
          layers->vertices[*map.nodeOf(0, "in")].lanes);
  }
  // From the last one on they part in the order in which they stand.
  ArrayRef<size_t> lanes = layers->vertices[*map.nodeOf(0, "b")].lanes;
  std::vector<double> columns;
  for (size_t lane : lanes)
    columns.push_back(layers->vertices[map.lanes[lane].members[0].route[3]].x);
  CHECK(std::is_sorted(columns.begin(), columns.end()));
}

TEST_CASE("nested turns have tracks that don't cut each other", "[map]") {
  // Two lanes that turn right: the right one runs above.
  std::vector<unsigned> tracks = assignTracks({{{0}, {100}}, {{8}, {108}}}, 8);
  CHECK(tracks[0] > tracks[1]);
  // To the left: the left one runs above.
  tracks = assignTracks({{{100}, {0}}, {{108}, {8}}}, 8);
  CHECK(tracks[0] < tracks[1]);
}

TEST_CASE("turns far from each other share a track", "[map]") {
  CHECK(assignTracks({{{0}, {50}}, {{200}, {250}}}, 8) ==
        std::vector<unsigned>{0, 0});
}

TEST_CASE("a lane never goes down where another comes up", "[map]") {
  // The first leaves where the second enters.
  std::vector<unsigned> tracks =
      assignTracks({{{0}, {100}}, {{100}, {200}}}, 8);
  CHECK(tracks[1] < tracks[0]);
}

TEST_CASE("small steps are straightened, a whole chain at a time", "[map]") {
  std::vector<Column> columns = {
      {0, 100, 7, 50}, {1, 100, 7, 50}, {2, 110, 7, 50}};
  straighten(columns, {{0, 1, 0, 5}, {1, 2, 0, 3}}, 20, 4);
  CHECK(columns[0].x == columns[2].x);
}

TEST_CASE("nothing is straightened into its neighbour", "[map]") {
  std::vector<Column> columns = {
      {0, 110, 7, 7}, {0, 130, 7, 7}, {1, 100, 7, 7}, {1, 80, 7, 7}};
  straighten(columns, {{0, 2, 0, 1}, {0, 3, 0, 1}}, 40, 4);
  CHECK(columns[2].x == 110);
  CHECK(columns[3].x == 80);
}
