// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What bubble files let be chosen, and files of measured choices.
#include "ProjectFiles.h"

#include "core/graph/Resolver.h"
#include "core/graph/Strategies.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

/// A manifest with one schedule that chooses.
struct ChoosingProject : ProjectFiles {
  ChoosingProject() {
    add("/p/targets/t.yaml", "lighthouse: 1\nbackend: cpu\n"
                             "facts: {registers: 8, wide: false}\n");
    add("/p/s.mlir", "module {}");
    add("/p/x.mlir", "");
    add("/p/b.yaml",
        "lighthouse: 1\n"
        "params:\n"
        "  columns: {type: int, default: 16, tune: [8, 16]}\n"
        "  registers: {type: int, default: '${target.registers}'}\n"
        "  wide: {type: bool, default: '${target.wide}'}\n"
        "let: {half: 'columns / 2'}\n"
        "strategies:\n"
        "  tile:\n"
        "    matches: can_tile\n"
        "    numbers: {rows: [1, 4, 8], columns: [half, columns, half]}\n"
        "    constraints:\n"
        "    - {that: 'rows * ceildiv(columns, 8) <= registers', because: sums "
        "spill}\n"
        "  wide: {matches: can_wide, constraints: [{that: wide, because: the "
        "target is narrow}]}\n"
        "schedule: s.mlir\n"
        "with: {n: '${params.columns}'}\n");
  }
  FailureOr<ResolvedGraph> resolve(ResolveOptions options = {},
                                   StringRef more = "") {
    add("/p/m.yaml", ("lighthouse: 1\nname: m\ntargets: [t]\nbubbles:\n"
                      "  import: {ingress: mlir, model: x.mlir}\n"
                      "  choose: {use: b.yaml}\n"
                      "edges: [import -> choose]\n" +
                      more)
                         .str());
    return loadGraph("/p/m.yaml", options, sources, sink);
  }
};

const StrategySpace &spaceOf(const ResolvedGraph &graph) {
  return *std::get<ScheduleDecl>(graph.bubbles[1].action).strategies;
}

const TargetFactValues facts = {{"registers", int64_t(8)}, {"wide", false}};

} // namespace

TEST_CASE("a strategy's choices are those that its constraints allow",
          "[graph][strategies]") {
  ChoosingProject project;
  auto graph = project.resolve();
  REQUIRE(succeeded(graph));
  const StrategySpace &space = spaceOf(*graph);
  const StrategyDecl *tile = findStrategy(space, "tile");
  REQUIRE(tile);
  CHECK(whyNoStrategy(space, *tile, facts).empty());
  auto choices = choicesOf(space, *tile, facts);
  // 3 rows by 2 columns, each once, but for 8 by 16.
  REQUIRE(choices.size() == 5);
  CHECK(choices[0] ==
        ChoiceNumbers{{"columns", int64_t(8)}, {"rows", int64_t(1)}});
  CHECK(whyNoChoice(space, *tile, facts,
                    {{"rows", int64_t(8)}, {"columns", int64_t(16)}}) ==
        "'rows * ceildiv(columns, 8) <= registers' does not hold; sums spill");
  // A constraint of what isn't said doesn't count.
  CHECK(whyNoChoice(space, *tile, facts, {{"rows", int64_t(8)}}).empty());
  CHECK(whyNoChoice(space, *tile, facts, {{"row", int64_t(8)}}) ==
        "the strategy 'tile' has no number 'row'; did you mean 'rows'?");
  CHECK(whyNoChoice(space, *tile, facts, {{"rows", std::string("8")}}) ==
        "'rows' is a string; a number of a choice is an integer");
}

TEST_CASE("a constraint without numbers is the strategy's",
          "[graph][strategies]") {
  ChoosingProject project;
  auto graph = project.resolve();
  REQUIRE(succeeded(graph));
  const StrategySpace &space = spaceOf(*graph);
  const StrategyDecl *wide = findStrategy(space, "wide");
  REQUIRE(wide);
  CHECK(whyNoStrategy(space, *wide, facts) == "the target is narrow");
  CHECK(whyNoStrategy(space, *wide, {{"wide", true}}).empty());
  CHECK(choicesOf(space, *wide, facts).size() == 1);
  CHECK_FALSE(findStrategy(space, "none"));
}

TEST_CASE("a parameter with values to try is tunable where nothing is given",
          "[graph][strategies]") {
  ChoosingProject project;
  auto graph = project.resolve();
  REQUIRE(succeeded(graph));
  REQUIRE(graph->tunable.size() == 1);
  CHECK(graph->tunable[0].bubble == "choose");
  CHECK(graph->tunable[0].name == "columns");
  CHECK(graph->tunable[0].values.size() == 2);
}

TEST_CASE("an entry about a pipeline changes its path on its target and case",
          "[graph][strategies]") {
  ChoosingProject project;
  ResolveOptions options;
  TunedEntry entry;
  entry.about = TunedPath{"all", "one"};
  entry.use = {{"choose.columns", int64_t(8)}};
  options.tried = {{"trial", "t", {entry}}};
  auto graph = project.resolve(options);
  for (const Diagnostic &diagnostic : project.sink.diagnostics())
    UNSCOPED_INFO(diagnostic.message);
  REQUIRE(succeeded(graph));
  REQUIRE(graph->tunedPipelines.size() == 1);
  const TunedPipeline &tuned = graph->tunedPipelines[0];
  CHECK(tuned.target == "t");
  CHECK(tuned.caseName == "one");
  REQUIRE(tuned.path.size() == graph->pipelines[0].path.size());
  CHECK(tuned.path[0] == graph->pipelines[0].path[0]);
  CHECK(tuned.path[1] != graph->pipelines[0].path[1]);
  auto numberOf = [&](size_t bubble) {
    const Expression &value = graph->bubbles[bubble].parameters[0].second;
    return std::get<Value>(value.pieces[0]);
  };
  CHECK(numberOf(graph->pipelines[0].path[1]) == Value(int64_t(16)));
  CHECK(numberOf(tuned.path[1]) == Value(int64_t(8)));
}
