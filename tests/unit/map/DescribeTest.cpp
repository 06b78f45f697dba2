// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A resolved manifest in the map's words.
#include "insight/map/DescribeGraph.h"

#include <catch2/catch.hpp>

using namespace lh;

static Expression literal(const std::string &text, StringRef file) {
  return {{Value(text)}, {file.str(), 3, 1, 0}};
}

static ResolvedGraph graphOf(ResolvedAction action) {
  ResolvedGraph graph;
  graph.name = "m";
  graph.file = "/p/m.yaml";
  ResolvedBubble bubble;
  bubble.name = "b";
  bubble.action = std::move(action);
  graph.bubbles.push_back(std::move(bubble));
  graph.pipelines.push_back({"p", {}, "", {0}});
  return graph;
}

static std::string passesSummary(const std::string &text) {
  PassesDecl passes{literal(text, "/p/m.yaml")};
  return describeGraph(graphOf(passes)).bubbles[0].summary;
}

TEST_CASE("passes are counted through anchors and options", "[map]") {
  CHECK(passesSummary("canonicalize") == "canonicalize");
  CHECK(passesSummary("func.func(cse)") == "cse");
  CHECK(passesSummary("convert-x{a=1 b=2,3}") == "convert-x");
  CHECK(passesSummary("func.func(a, b{c=1}), d") == "3 passes");
}

TEST_CASE("what a bubble file says is the same whatever its parameters",
          "[map]") {
  PassesDecl four{literal("unroll{by=4}", "/lib/unroll.yaml")};
  PassesDecl eight{literal("unroll{by=8}", "/lib/unroll.yaml")};
  CHECK(describeGraph(graphOf(four)).bubbles[0].identity ==
        describeGraph(graphOf(eight)).bubbles[0].identity);
  PassesDecl own{literal("unroll{by=4}", "/p/m.yaml")};
  CHECK(describeGraph(graphOf(four)).bubbles[0].identity !=
        describeGraph(graphOf(own)).bubbles[0].identity);
}

TEST_CASE("conditions read as a person would write them", "[map]") {
  ResolvedGraph graph = graphOf(ExecuteDecl{{"main", {}}, 0});
  FactCondition wide;
  wide.name.value = "bits";
  wide.minimum = 512;
  FactCondition named;
  named.name.value = "cpu";
  named.any = {std::string("zen4"), std::string("zen5")};
  FactCondition none;
  none.negated.push_back(named);
  graph.bubbles[0].when = {wide, none};
  CHECK(describeGraph(graph).bubbles[0].when ==
        "bits \u2265 512 and not cpu any of zen4, zen5");
}

TEST_CASE("a target's sweep is counted in points", "[map]") {
  ResolvedGraph graph = graphOf(ExecuteDecl{{"main", {}}, 0});
  TargetSpec target;
  target.name = "sve";
  target.run.sweep["vl_bytes"] = {int64_t(16), int64_t(32), int64_t(64)};
  target.run.sweep["threads"] = {int64_t(1), int64_t(2)};
  graph.targets = {target};
  MapSource source = describeGraph(graph);
  REQUIRE(source.targets.size() == 1);
  CHECK(source.targets[0].runs == 6);
}

TEST_CASE("contracts and parameters are details", "[map]") {
  ScheduleDecl schedule;
  schedule.file.value = "/lib/tile.mlir";
  schedule.entry.value = "tile";
  ResolvedGraph graph = graphOf(schedule);
  graph.bubbles[0].parameters.emplace_back(Located<std::string>{"rows", {}},
                                           literal("6", "/p/m.yaml"));
  FormDecl form;
  form.typesNone = {"memref"};
  form.shapes = "static";
  graph.bubbles[0].requires_ = form;
  MapBubble bubble = describeGraph(graph).bubbles[0];
  CHECK(bubble.summary == "tile.mlir");
  CHECK(bubble.details ==
        std::vector<std::string>{
            "schedule: tile.mlir, entry: tile", "with rows = 6",
            "requires: {types: {none: [memref]}, shapes: static}"});
}
