// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What bubble files compute from their parameters, and demand of them.
#include "ProjectFiles.h"

#include "core/graph/Evaluate.h"
#include "core/graph/Resolver.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

/// A manifest that uses one bubble file, on two targets.
struct ComputedProject : ProjectFiles {
  ComputedProject() {
    add("/p/targets/big.yaml", "lighthouse: 1\nbackend: cpu\n"
                               "facts: {l2_bytes: 2097152, threads: 2}\n");
    add("/p/targets/small.yaml", "lighthouse: 1\nbackend: cpu\n"
                                 "facts: {l2_bytes: 262144, threads: 1}\n");
  }
  /// `body` is of the file, `with` of its use.
  FailureOr<ResolvedGraph> resolve(StringRef body, StringRef with = "{}") {
    add("/p/b.yaml", ("lighthouse: 1\n" + body).str());
    add("/p/m.yaml", ("lighthouse: 1\nname: m\ntargets: [big, small]\n"
                      "bubbles:\n"
                      "  import: {ingress: mlir, model: x.mlir}\n"
                      "  tile: {use: b.yaml, with: " +
                      with + "}\nedges: [import -> tile]\n")
                         .str());
    return loadGraph("/p/m.yaml", {}, sources, sink);
  }
  /// The pass string on the target with this index.
  std::string passes(const ResolvedGraph &graph, size_t target) {
    auto facts = factValues(graph.targets[target]);
    Scope scope;
    scope.target = &facts;
    auto text = evaluateText(
        std::get<PassesDecl>(graph.bubbles[1].action).pipeline, scope, sink);
    REQUIRE(succeeded(text));
    return *text;
  }
  const Diagnostic &only() {
    REQUIRE(sink.diagnostics().size() == 1);
    return sink.diagnostics()[0];
  }
};

constexpr StringRef blocks =
    "params:\n"
    "  columns: {type: int, default: 32}\n"
    "  l2: {type: int, default: '${target.l2_bytes}'}\n"
    "  threads: {type: int, default: '${target.threads}'}\n"
    "let:\n"
    "  block: 'threads == 1 ? (l2 >= 1 MiB ? 256 : 128) : columns'\n"
    "  blocks: 'ceildiv(1000, block)'\n";

} // namespace

TEST_CASE("a computed value follows the target's facts", "[graph][formula]") {
  ComputedProject project;
  auto graph = project.resolve(
      (blocks + "passes: 'a{b=${let.block} n=${let.blocks}}'\n").str());
  REQUIRE(succeeded(graph));
  CHECK(project.passes(*graph, 0) == "a{b=32 n=32}");
  CHECK(project.passes(*graph, 1) == "a{b=128 n=8}");
}

TEST_CASE("a schedule's parameters are bound to computed values",
          "[graph][formula]") {
  ComputedProject project;
  project.add("/p/s.mlir", "module {}\n");
  auto graph = project.resolve(
      (blocks + "schedule: s.mlir\n"
                "with: {k: '${let.blocks}', size: '${let.block}'}\n")
          .str());
  REQUIRE(succeeded(graph));
  const ResolvedBubble &tile = graph->bubbles[1];
  REQUIRE(tile.parameters.size() == 2);
  CHECK(tile.parameters[0].first.value == "k");
  auto facts = factValues(graph->targets[1]);
  Scope scope;
  scope.target = &facts;
  CHECK(*evaluate(tile.parameters[0].second, scope, project.sink) ==
        Value(int64_t(8)));
}

TEST_CASE("without 'with' a schedule takes what the file computes by name",
          "[graph][formula]") {
  ComputedProject project;
  project.add("/p/s.mlir", "module {}\n");
  auto graph = project.resolve("params: {rows: {type: int, default: 6}}\n"
                               "let: {more: rows + 1}\n"
                               "schedule: s.mlir\n");
  REQUIRE(succeeded(graph));
  const ResolvedBubble &tile = graph->bubbles[1];
  REQUIRE(tile.parameters.size() == 2);
  CHECK(tile.parameters[1].first.value == "more");
  CHECK(std::get<Value>(tile.parameters[1].second.pieces[0]) ==
        Value(int64_t(7)));
}

static Value computed(const std::string &formula) {
  ComputedProject project;
  auto graph = project.resolve("let: {x: \"" + formula +
                               "\"}\n"
                               "passes: 'a{${let.x}}'\n");
  INFO(formula);
  REQUIRE(succeeded(graph));
  return project.passes(*graph, 0);
}

TEST_CASE("formulas compute with 64 bits, and look no further than they need",
          "[graph][formula]") {
  auto is = [](StringRef text) { return Value(("a{" + text + "}").str()); };
  CHECK(computed("7 / 2 + 7 % 2") == is("4"));
  CHECK(computed("-7 / 2") == is("-3"));
  CHECK(computed("-7 % 2") == is("-1"));
  CHECK(computed("ceildiv(7, 2)") == is("4"));
  CHECK(computed("ceildiv(-7, 2)") == is("-3"));
  CHECK(computed("ceildiv(-7, -2)") == is("4"));
  CHECK(computed("min(3, 1, 2) + max(3, 9)") == is("10"));
  CHECK(computed("1 < 2 and 2 <= 2 and 3 > 2 and not 2 >= 3") == is("true"));
  CHECK(computed("1 == 2 or 'a' != 'b'") == is("true"));
  CHECK(computed("'a' == 'b' ? 'c' : 'd'") == is("d"));
  CHECK(computed("false and 1 / 0 == 1") == is("false"));
  CHECK(computed("true or 1 / 0 == 1") == is("true"));
  CHECK(computed("true ? 1 : 1 / 0") == is("1"));
  CHECK(computed("-9223372036854775807 - 1") == is("-9223372036854775808"));
}

TEST_CASE("what has no value is told with what led there", "[graph][formula]") {
  struct {
    std::string formula, message;
  } const cases[] = {
      {"columns / (threads - 1)",
       "columns = 32, threads = 1 on target 'small': 32 / 0: division by zero"},
      {"columns % (threads - 1)",
       "columns = 32, threads = 1 on target 'small': 32 % 0: division by zero"},
      {"9223372036854775807 + columns",
       "columns = 32: 9223372036854775807 + 32 does not fit into 64 bits"},
      {"columns * 1024 GiB * 1024 GiB", "does not fit into 64 bits"},
      {"(-9223372036854775807 - 1) / (columns - 33)",
       "-9223372036854775808 / -1 does not fit into 64 bits"},
      {"-(-9223372036854775807 - 1) + columns",
       "0 - -9223372036854775808 does not fit into 64 bits"},
  };
  for (const auto &mistake : cases) {
    ComputedProject project;
    INFO(mistake.formula);
    CHECK(failed(project.resolve((blocks + "  bad: '" + mistake.formula +
                                  "'\npasses: 'a{${let.bad}${let.blocks}}'\n")
                                     .str())));
    const Diagnostic &found = project.only();
    INFO(found.message);
    CHECK(found.kind == DiagKind::GraphParameterRange);
    CHECK(found.where.file == "/p/b.yaml");
    CHECK(found.where.line == 9);
    CHECK(StringRef(found.message).contains(mistake.message));
    REQUIRE(found.notes.size() == 1);
    CHECK(found.notes[0].where.file == "/p/m.yaml");
  }
}

TEST_CASE("a broken constraint shows the values and why", "[graph][formula]") {
  constexpr StringRef body =
      "params:\n"
      "  columns: {type: int, default: 32, min: 4}\n"
      "  threads: {type: int, default: '${target.threads}'}\n"
      "constraints:\n"
      "  - {that: '128 % columns == 0', because: panels are halved}\n"
      "  - {that: 'columns >= 16 * threads', because: each has a panel}\n"
      "passes: 'a{${params.columns}}'\n";
  ComputedProject fine;
  CHECK(succeeded(fine.resolve(body)));
  ComputedProject given;
  CHECK(failed(given.resolve(body, "{columns: 48}")));
  CHECK(given.only().kind == DiagKind::GraphParameterRange);
  CHECK(given.only().message ==
        "columns = 48: '128 % columns == 0' does not hold; panels are halved");
  CHECK(given.only().where.file == "/p/m.yaml");
  CHECK(given.only().where.line == 6);
  CHECK(given.only().where.column == 39);
  CHECK(given.only().notes.front().where.file == "/p/b.yaml");
  ComputedProject onOneTarget;
  CHECK(failed(onOneTarget.resolve(body, "{columns: 16}")));
  CHECK(onOneTarget.only().message ==
        "columns = 16, threads = 2 on target 'big': 'columns >= 16 * threads' "
        "does not hold; each has a panel");
}

TEST_CASE("defaults that break a constraint are told at the use",
          "[graph][formula]") {
  ComputedProject project;
  CHECK(failed(project.resolve(
      "params: {l2: {type: int, default: '${target.l2_bytes}'}}\n"
      "constraints: [{that: 'l2 >= 1 MiB', because: blocks are large}]\n"
      "passes: 'a{${params.l2}}'\n")));
  CHECK(project.only().where.file == "/p/m.yaml");
  CHECK(project.only().where.line == 6);
  CHECK(StringRef(project.only().message).contains("on target 'small'"));
}

TEST_CASE(
    "a computed value that nothing uses, or nothing declares, is an error",
    "[graph][formula]") {
  ComputedProject unused;
  CHECK(failed(unused.resolve("let: {x: 1}\npasses: cse\n")));
  CHECK(unused.only().kind == DiagKind::GraphUnusedParameter);
  ComputedProject undefined;
  CHECK(failed(undefined.resolve("let: {block: 1}\n"
                                 "passes: 'a{${let.block}${let.blok}}'\n")));
  CHECK(undefined.only().kind == DiagKind::GraphUndefinedName);
  CHECK(StringRef(undefined.only().message).contains("'block'"));
}

TEST_CASE("formulas that double each other are bounded", "[graph][formula]") {
  ComputedProject project;
  std::string body = "params: {p: {type: int, default: '${target.threads}'}}\n"
                     "let:\n  a0: p\n";
  for (int i = 1; i < 40; ++i)
    body += "  a" + std::to_string(i) + ": a" + std::to_string(i - 1) + " + a" +
            std::to_string(i - 1) + "\n";
  CHECK(failed(project.resolve(body + "passes: 'a{${let.a39}}'\n")));
  CHECK(project.only().kind == DiagKind::ManifestLimit);
}

TEST_CASE("one that is used may be given a computed value, and is checked",
          "[graph][formula]") {
  ComputedProject project;
  project.add("/p/inner.yaml", "lighthouse: 1\n"
                               "params: {size: {type: int, max: 64}}\n"
                               "let: {half: size / 2}\n"
                               "passes: 'a{${let.half}}'\n");
  CHECK(failed(project.resolve(
      (blocks + "bubbles:\n"
                "  one: {use: inner.yaml, with: {size: '${let.block}'}}\n"
                "  two: {passes: 'b{${let.blocks}}'}\n"
                "edges: [one -> two]\n")
          .str())));
  CHECK(project.only().kind == DiagKind::GraphParameterRange);
  CHECK(StringRef(project.only().message).contains("'128'"));
}
