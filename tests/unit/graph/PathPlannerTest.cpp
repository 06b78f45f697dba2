// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths through a library of bubbles, by their contracts.
#include "core/graph/NamedForms.h"
#include "core/graph/PathPlanner.h"

#include <catch2/catch.hpp>

using namespace lh;

/// A bubble of one pass with this contract.
static PlanNode node(const std::string &name, FormDecl requirement,
                     FormDecl ensured,
                     const std::vector<std::string> &preserved = {}) {
  ResolvedBubble bubble;
  bubble.name = name;
  bubble.action = PassesDecl{};
  bubble.requires_ = std::move(requirement);
  bubble.ensures = std::move(ensured);
  for (const std::string &word : preserved)
    bubble.preserves.push_back({word, {}});
  return {name, "lib:" + name, "", {bubble}};
}

static FormDecl without(const std::string &type) {
  FormDecl form;
  form.typesNone = {type};
  return form;
}

static FormDecl withoutDialect(const std::string &dialect) {
  FormDecl form;
  form.dialectsNone = {dialect};
  return form;
}

static FormFacts factsOf(StringRef name) {
  FormFacts facts;
  facts.add(*originForm(name), "it has");
  return facts;
}

static std::vector<std::string> namesOf(const PlannedPath &path) {
  std::vector<std::string> names;
  for (const PlanNode &node : path.nodes)
    names.push_back(node.name);
  return names;
}

namespace {
/// From TOSA over linalg and buffers to LLVM.
struct SmallLibrary {
  FormDecl lowered = *goalForm("llvm");
  FormDecl memrefs = *goalForm("memref");
  PlanNode tosa = node("tosa", without("memref"), withoutDialect("tosa"),
                       {"types", "boundary"});
  PlanNode tile = node("tile", without("memref"), {}, {"types", "boundary"});
  PlanNode buffers = node("buffers", withoutDialect("tosa"), memrefs);
  PlanNode lower = node("lower", without("tensor"), lowered);
  std::vector<PlanNode> library = {lower, buffers, tile, tosa};
};
} // namespace

TEST_CASE("contracts alone find the way", "[plan]") {
  SmallLibrary small;
  PathSearch search =
      findPaths(factsOf("tosa"), small.lowered, small.library, {});
  REQUIRE(!search.paths.empty());
  CHECK(namesOf(search.paths[0]) ==
        std::vector<std::string>{"tosa", "buffers", "lower"});
  CHECK(search.paths[0].joined == 3);
}

TEST_CASE("a manifest's pipeline is taken whole, after what it lacks",
          "[plan]") {
  SmallLibrary small;
  std::vector<ProvenPath> proven = {
      {"m", "plain", {small.buffers, small.lower}},
      {"m", "tiled", {small.tile, small.buffers, small.lower}}};
  PathSearch search =
      findPaths(factsOf("tosa"), small.lowered, small.library, proven);
  REQUIRE(!search.paths.empty());
  CHECK(namesOf(search.paths[0]) ==
        std::vector<std::string>{"tosa", "tile", "buffers", "lower"});
  CHECK(search.paths[0].joined == 1);
  CHECK(search.paths[0].proven == &proven[1]);
  // From linalg on there is nothing to join.
  search = findPaths(factsOf("linalg"), small.lowered, small.library, proven);
  CHECK(namesOf(search.paths[0]) ==
        std::vector<std::string>{"tile", "buffers", "lower"});
  // What is on buffers comes in later.
  search = findPaths(factsOf("loops"), small.lowered, small.library, proven);
  CHECK(namesOf(search.paths[0]) ==
        std::vector<std::string>{"buffers", "lower"});
}

TEST_CASE("paths end where the goal is met", "[plan]") {
  SmallLibrary small;
  std::vector<ProvenPath> proven = {
      {"m", "tiled", {small.tile, small.buffers, small.lower}}};
  PathSearch search =
      findPaths(factsOf("linalg"), small.memrefs, small.library, proven);
  REQUIRE(!search.paths.empty());
  CHECK(namesOf(search.paths[0]) ==
        std::vector<std::string>{"tile", "buffers"});
}

TEST_CASE("bubbles that move numbers come last", "[plan]") {
  SmallLibrary small;
  PlanNode winograd = small.tile;
  winograd.name = "winograd";
  winograd.chain[0].numerics.winograd = Located<WinogradDecl>{{4, 3}, {}};
  std::vector<ProvenPath> proven = {
      {"m", "fast", {winograd, small.tile, small.buffers, small.lower}},
      {"m", "tiled", {small.tile, small.buffers, small.lower}}};
  PathSearch search =
      findPaths(factsOf("linalg"), small.lowered, small.library, proven);
  REQUIRE(search.paths.size() == 2);
  CHECK(search.paths[0].proven == &proven[1]);
}

TEST_CASE("where there is no path, the furthest one says why", "[plan]") {
  SmallLibrary small;
  std::vector<ProvenPath> proven = {
      {"m", "tiled", {small.tile, small.buffers, small.lower}}};
  PathSearch search = findPaths(factsOf("tosa"), small.lowered,
                                {small.tile, small.buffers}, proven);
  CHECK(search.paths.empty());
  CHECK(search.obstacle.reached == std::vector<std::string>{"tile"});
  CHECK(search.obstacle.next == "buffers");
  CHECK(search.obstacle.clause.wanted == "no dialect 'tosa'");
  CHECK(search.obstacle.clause.source.by == "it has");
}
