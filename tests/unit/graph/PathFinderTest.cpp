// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths through the graph.
#include "core/graph/PathFinder.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

struct Built {
  std::vector<BubbleDecl> bubbles;
  std::vector<EdgeDecl> edges;
  CollectingSink sink;

  /// Bubbles by name; edges as "ab" for a -> b, each on its own line.
  Built(StringRef names, std::vector<std::string> pairs) {
    for (char name : names) {
      BubbleDecl bubble;
      bubble.name.value = std::string(1, name);
      bubbles.push_back(std::move(bubble));
    }
    unsigned line = 0;
    for (const std::string &pair : pairs) {
      ++line;
      edges.push_back({{pair.substr(0, 1), {"m", line, 1, 0}},
                       {pair.substr(1), {"m", line, 6, 0}}});
    }
  }
  FailureOr<BubbleGraph> link() { return linkBubbles(bubbles, edges, sink); }
};

} // namespace

static std::string numbered(StringRef prefix, size_t number) {
  return (prefix + Twine(number)).str();
}

TEST_CASE("all source-to-sink paths are found in order", "[graph]") {
  Built built("abcde", {"ab", "ac", "bd", "cd", "de"});
  FailureOr<BubbleGraph> graph = built.link();
  REQUIRE(succeeded(graph));
  auto paths = allPaths(*graph, 64, {}, built.sink);
  REQUIRE(succeeded(paths));
  CHECK(*paths == std::vector<std::vector<size_t>>{{0, 1, 3, 4}, {0, 2, 3, 4}});
  CHECK(pathNames(*graph, *paths) == std::vector<std::string>{"b", "c"});
}

TEST_CASE("a path without a bubble of its own is named by several", "[graph]") {
  // Two choices of two: no bubble is on one path only.
  Built built("abcde", {"ab", "ac", "bd", "be", "cd", "ce"});
  FailureOr<BubbleGraph> graph = built.link();
  REQUIRE(succeeded(graph));
  auto paths = allPaths(*graph, 64, {}, built.sink);
  REQUIRE(succeeded(paths));
  CHECK(pathNames(*graph, *paths) ==
        std::vector<std::string>{"b+d", "b+e", "c+d", "c+e"});
}

TEST_CASE("a shortcut is named by its whole path", "[graph]") {
  Built built("abc", {"ab", "bc", "ac"});
  FailureOr<BubbleGraph> graph = built.link();
  REQUIRE(succeeded(graph));
  auto paths = allPaths(*graph, 64, {}, built.sink);
  REQUIRE(succeeded(paths));
  CHECK(pathNames(*graph, *paths) == std::vector<std::string>{"b", "a+c"});
}

TEST_CASE("a cycle is reported with every edge", "[graph]") {
  Built built("abcd", {"ab", "bc", "cd", "db"});
  CHECK(failed(built.link()));
  REQUIRE(built.sink.diagnostics().size() == 1);
  const Diagnostic &cycle = built.sink.diagnostics()[0];
  CHECK(cycle.kind == DiagKind::GraphCycle);
  CHECK(StringRef(cycle.message).ends_with("b -> c -> d -> b"));
  REQUIRE(cycle.notes.size() == 3);
  CHECK(cycle.notes[0].where.line == 2);
  CHECK(cycle.notes[2].where.line == 4);
}

TEST_CASE("more paths than the limit are counted, not built", "[graph]") {
  // Forty diamonds in a row: 2^40 paths.
  std::vector<BubbleDecl> bubbles;
  std::vector<EdgeDecl> edges;
  auto add = [&](const std::string &name) {
    BubbleDecl bubble;
    bubble.name.value = name;
    bubbles.push_back(std::move(bubble));
  };
  add("s0");
  for (size_t i = 0; i < 40; ++i) {
    std::string from = numbered("s", i), to = numbered("s", i + 1);
    for (const char *side : {"l", "r"}) {
      std::string middle = numbered(side, i);
      add(middle);
      edges.push_back({{from, {}}, {middle, {}}});
      edges.push_back({{middle, {}}, {to, {}}});
    }
    add(to);
  }
  CollectingSink sink;
  FailureOr<BubbleGraph> graph = linkBubbles(bubbles, edges, sink);
  REQUIRE(succeeded(graph));
  CHECK(failed(allPaths(*graph, 64, {"m", 7, 1, 0}, sink)));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(sink.diagnostics()[0].kind == DiagKind::GraphTooManyPipelines);
  CHECK(StringRef(sink.diagnostics()[0].message).contains("1099511627776"));
}

TEST_CASE("a chain is put in order whatever the declaration's", "[graph]") {
  Built built("cab", {"bc", "ab"});
  FailureOr<BubbleGraph> graph = built.link();
  REQUIRE(succeeded(graph));
  auto order = chainOrder(*graph, {}, built.sink);
  REQUIRE(succeeded(order));
  CHECK(*order == std::vector<size_t>{1, 2, 0});
}

TEST_CASE("what joins or forks is no chain", "[graph]") {
  for (auto edges :
       {std::vector<std::string>{"ab", "ac"},
        std::vector<std::string>{"ac", "bc"}, std::vector<std::string>{"ab"}}) {
    Built built("abc", edges);
    FailureOr<BubbleGraph> graph = built.link();
    REQUIRE(succeeded(graph));
    CHECK(failed(chainOrder(*graph, {}, built.sink)));
    REQUIRE(built.sink.diagnostics().size() == 1);
    CHECK(built.sink.diagnostics()[0].kind == DiagKind::GraphNotAChain);
  }
}

TEST_CASE("too many bubbles are refused before the search", "[graph]") {
  std::vector<BubbleDecl> bubbles(1001);
  for (size_t i = 0; i < bubbles.size(); ++i)
    bubbles[i].name.value = numbered("b", i);
  CollectingSink sink;
  CHECK(failed(linkBubbles(bubbles, {}, sink)));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(kindName(sink.diagnostics()[0].kind) == "manifest-limit");
}
