// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifests resolved in memory.
#include "ProjectFiles.h"

#include "core/graph/Resolver.h"
#include "core/graph/TargetFinder.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

/// A project in an in-memory file system.
struct Project : ProjectFiles {
  ResolveOptions options;

  Project() {
    options.workingDirectory = "/here";
    add("/p/targets/wide.yaml",
        "lighthouse: 1\nbackend: cpu\nfacts: {bits: 512, wide: true}\n");
    add("/p/targets/narrow.yaml",
        "lighthouse: 1\nbackend: cpu\nfacts: {bits: 128, wide: false, "
        "tail: 3}\n");
    add("/p/s.mlir", "module {}\n");
  }
  FailureOr<ResolvedGraph> resolveText(StringRef body) {
    add("/p/m/m.yaml", ("lighthouse: 1\nname: m\n" + body).str());
    return loadGraph("/p/m/m.yaml", options, sources, sink);
  }
  std::string messages() {
    std::string text;
    for (const Diagnostic &diagnostic : sink.diagnostics())
      text += diagnostic.message + "\n";
    return text;
  }
};

} // namespace

TEST_CASE("a used bubble file gives its schedule and bound parameters",
          "[graph]") {
  Project project;
  project.add("/p/lib/tile.yaml",
              "lighthouse: 1\n"
              "params:\n"
              "  k: {type: int}\n"
              "  bits: {type: int, default: '${target.bits}'}\n"
              "schedule: ../s.mlir\nentry: tile\n"
              "ensures: {types: {none: [memref]}}\n");
  auto graph = project.resolveText(
      "targets: [wide, narrow]\n"
      "params: {unroll: {type: int, default: 4}}\n"
      "bubbles:\n"
      "  import: {ingress: mlir, model: x.mlir}\n"
      "  tile: {use: ../lib/tile.yaml, with: {k: '${params.unroll}'}}\n"
      "edges: [import -> tile]\n");
  INFO(project.messages());
  REQUIRE(succeeded(graph));
  REQUIRE(graph->bubbles.size() == 2);
  const ResolvedBubble &tile = graph->bubbles[1];
  CHECK(tile.name == "tile");
  CHECK(std::get<ScheduleDecl>(tile.action).file.value == "/p/s.mlir");
  CHECK(std::get<ScheduleDecl>(tile.action).entry.value == "tile");
  REQUIRE(tile.parameters.size() == 2);
  CHECK(tile.parameters[0].first.value == "k");
  CHECK(std::get<Value>(tile.parameters[0].second.pieces[0]) ==
        Value(int64_t(4)));
  CHECK(std::get<Reference>(tile.parameters[1].second.pieces[0]).name ==
        "bits");
  REQUIRE(tile.ensures);
  CHECK(tile.ensures->typesNone == std::vector<std::string>{"memref"});
  CHECK(std::get<Value>(
            std::get<IngressDecl>(graph->bubbles[0].action).model.pieces[0]) ==
        Value(std::string("/p/m/x.mlir")));
  REQUIRE(graph->pipelines.size() == 1);
  CHECK(graph->pipelines[0].path == std::vector<size_t>{0, 1});
  CHECK(graph->targets.size() == 2);
}

/// fast.yaml joins tile.yaml, a chain, and math.yaml by a parameter.
static void addNestedChains(Project &project) {
  project.add("/p/lib/tile.yaml",
              "lighthouse: 1\nparams: {rows: {type: int, max: 16}}\n"
              "bubbles:\n"
              "  single: {passes: 'a{${params.rows}}'}\n"
              "  double: {passes: b}\n"
              "edges: [single -> double]\n");
  project.add("/p/lib/math.yaml", "lighthouse: 1\npasses: c\n"
                                  "ensures: {types: {none: [tensor]}}\n");
  project.add("/p/lib/fast.yaml",
              "lighthouse: 1\n"
              "params: {rows: {type: int, default: '${target.tail}'}}\n"
              "bubbles:\n"
              "  tile: {use: tile.yaml, with: {rows: '${params.rows}'}}\n"
              "  math: {use: math.yaml}\n"
              "edges: [tile -> math]\n"
              "requires: {types: {none: [memref]}}\n");
}

TEST_CASE("files of files become the bubbles of all of them", "[graph]") {
  Project project;
  addNestedChains(project);
  auto graph = project.resolveText("targets: [narrow]\n"
                                   "bubbles:\n"
                                   "  import: {ingress: mlir, model: x.mlir}\n"
                                   "  fast: {use: ../lib/fast.yaml}\n"
                                   "edges: [import -> fast]\n");
  INFO(project.messages());
  REQUIRE(succeeded(graph));
  REQUIRE(graph->bubbles.size() == 4);
  const ResolvedBubble &first = graph->bubbles[1];
  CHECK(first.name == "fast/tile/single");
  CHECK(graph->bubbles[2].name == "fast/tile/double");
  CHECK(graph->bubbles[3].name == "fast/math");
  CHECK(first.files ==
        std::vector<std::string>{"/p/lib/fast.yaml", "/p/lib/tile.yaml"});
  // The fact came down through both files; the ends keep what is theirs.
  CHECK(
      std::get<Reference>(std::get<PassesDecl>(first.action).pipeline.pieces[1])
          .name == "tail");
  REQUIRE(first.requires_);
  CHECK_FALSE(graph->bubbles[3].requires_);
  CHECK(graph->bubbles[3].ensures);
}

TEST_CASE("an error in an inner file tells all uses", "[graph]") {
  Project project;
  addNestedChains(project);
  auto graph =
      project.resolveText("targets: [narrow]\n"
                          "bubbles:\n"
                          "  import: {ingress: mlir, model: x.mlir}\n"
                          "  fast: {use: ../lib/fast.yaml, with: {rows: 99}}\n"
                          "edges: [import -> fast]\n");
  CHECK(failed(graph));
  REQUIRE(project.sink.diagnostics().size() == 1);
  const Diagnostic &error = project.sink.diagnostics()[0];
  CHECK(error.kind == DiagKind::GraphParameterRange);
  CHECK(error.where.file == "/p/lib/fast.yaml");
  CHECK(error.where.line == 4);
  REQUIRE(error.notes.size() == 2);
  CHECK(error.notes[0].where.file == "/p/lib/tile.yaml");
  CHECK(error.notes[1].where.file == "/p/m/m.yaml");
}

TEST_CASE("a nested bubble file becomes several bubbles in chain order",
          "[graph]") {
  Project project;
  project.add("/p/lib/inner.yaml",
              "lighthouse: 1\nparams: {p: {type: string}}\n"
              "passes: 'x{${params.p}}'\n");
  project.add("/p/lib/outer.yaml",
              "lighthouse: 1\nparams: {q: {type: string}}\n"
              "bubbles:\n"
              "  last: {passes: b}\n"
              "  first: {use: inner.yaml, with: {p: 'n=${params.q}'}}\n"
              "edges: [first -> last]\n"
              "requires: {shapes: static}\npreserves: [boundary]\n");
  auto graph = project.resolveText(
      "targets: [wide]\n"
      "bubbles:\n"
      "  import: {ingress: onnx, model: '${case.model}'}\n"
      "  both: {use: ../lib/outer.yaml, with: {q: '${target.bits}'}}\n"
      "  again: {use: ../lib/outer.yaml, with: {q: seven}}\n"
      "edges: [import -> both -> again]\n");
  INFO(project.messages());
  // A fact that is an integer doesn't fit a string parameter.
  CHECK(failed(graph));
  REQUIRE(project.sink.diagnostics().size() == 1);
  CHECK(project.sink.diagnostics()[0].kind == DiagKind::GraphParameterType);

  Project good;
  good.files = project.files;
  SourceStore sources(*project.files);
  project.add("/p/m/good.yaml",
              "lighthouse: 1\nname: m\ntargets: [wide]\n"
              "bubbles:\n"
              "  import: {ingress: onnx, model: '${case.model}'}\n"
              "  both: {use: ../lib/outer.yaml, with: {q: 'v${target.bits}'}}\n"
              "edges: [import -> both]\n");
  CollectingSink sink;
  auto resolved = loadGraph("/p/m/good.yaml", project.options, sources, sink);
  REQUIRE(succeeded(resolved));
  REQUIRE(resolved->bubbles.size() == 3);
  CHECK(resolved->bubbles[1].name == "both/first");
  CHECK(resolved->bubbles[2].name == "both/last");
  CHECK(resolved->bubbles[1].requires_);
  CHECK_FALSE(resolved->bubbles[2].requires_);
  CHECK(resolved->bubbles[2].preserves.size() == 1);
  const Expression &pipeline =
      std::get<PassesDecl>(resolved->bubbles[1].action).pipeline;
  REQUIRE(pipeline.pieces.size() == 3);
  CHECK(std::get<Value>(pipeline.pieces[0]) == Value(std::string("x{n=v")));
  CHECK(std::get<Reference>(pipeline.pieces[1]).name == "bits");
  CHECK(std::get<Value>(pipeline.pieces[2]) == Value(std::string("}")));
}

TEST_CASE("expectations gather at the end of a used chain", "[graph]") {
  Project project;
  project.add("/p/lib/f.yaml",
              "lighthouse: 1\n"
              "bubbles:\n"
              "  a: {passes: x}\n"
              "  b: {passes: y, expect: {filecheck: inner.check}}\n"
              "edges: [a -> b]\n"
              "ensures: {filecheck: inner.check}\n");
  project.add("/p/lib/inner.check", "CHECK: a\n");
  auto graph = project.resolveText(
      "targets: [wide]\n"
      "bubbles:\n"
      "  import: {ingress: mlir, model: x.mlir}\n"
      "  f: {use: ../lib/f.yaml,\n"
      "      expect: {filecheck: '${case.model}', prefix: OUTER}}\n"
      "edges: [import -> f]\n");
  INFO(project.messages());
  REQUIRE(succeeded(graph));
  REQUIRE(graph->bubbles.size() == 3);
  CHECK(graph->bubbles[1].expect.empty());
  const ResolvedBubble &last = graph->bubbles[2];
  REQUIRE(last.expect.size() == 2);
  CHECK(std::get<Value>(last.expect[0].file->pieces[0]) ==
        Value(std::string("/p/lib/inner.check")));
  CHECK(last.expect[1].prefix == "OUTER");
  CHECK(last.ensures->checkFile->file == "/p/lib/inner.check");
}

TEST_CASE("numerics of a file and of its users are merged", "[graph]") {
  Project project;
  project.add("/p/lib/f.yaml", "lighthouse: 1\n"
                               "bubbles:\n"
                               "  a: {passes: x, numerics: {ulp: 2}}\n"
                               "  b: {passes: y}\n"
                               "edges: [a -> b]\n"
                               "numerics: {operands: tf32}\n");
  auto graph =
      project.resolveText("targets: [wide]\n"
                          "bubbles:\n"
                          "  import: {ingress: mlir, model: x.mlir}\n"
                          "  f: {use: ../lib/f.yaml, numerics: {ulp: 3}}\n"
                          "edges: [import -> f]\n");
  INFO(project.messages());
  REQUIRE(succeeded(graph));
  REQUIRE(graph->bubbles.size() == 3);
  CHECK_FALSE(graph->bubbles[0].numerics.ulp);
  for (size_t i : {1, 2}) {
    CHECK(graph->bubbles[i].numerics.ulp->value == 3);
    CHECK(graph->bubbles[i].numerics.operands->value == "tf32");
    CHECK(graph->bubbles[i].numerics.operands->where.file == "/p/lib/f.yaml");
  }
}

TEST_CASE("facts are needed only where 'when' holds", "[graph]") {
  Project project;
  auto graph = project.resolveText(
      "targets: [wide, narrow]\n"
      "bubbles:\n"
      "  import: {ingress: mlir, model: x.mlir}\n"
      "  tail: {passes: 'x{n=${target.tail}}', when: {wide: false}}\n"
      "edges: [import -> tail]\n");
  INFO(project.messages());
  REQUIRE(succeeded(graph));
  CHECK(graph->bubbles[1].when.size() == 1);
}

TEST_CASE("--set is typed by the declaration and overrides the default",
          "[graph]") {
  StringRef body = "targets: [wide]\n"
                   "params:\n"
                   "  n: {type: int, default: 4, max: 8}\n"
                   "  dir: {type: path, default: data}\n"
                   "bubbles:\n"
                   "  import: {ingress: mlir, model: '${params.dir}/x.mlir'}\n"
                   "  a: {passes: 'x{n=${params.n}}'}\n"
                   "edges: [import -> a]\n";
  SECTION("good values") {
    Project project;
    project.options.set = {{"n", "6"}, {"dir", "there"}};
    auto graph = project.resolveText(body);
    REQUIRE(succeeded(graph));
    CHECK(graph->params.at("n") == Value(int64_t(6)));
    CHECK(graph->params.at("dir") == Value(std::string("/here/there")));
    CHECK(
        std::get<Value>(
            std::get<IngressDecl>(graph->bubbles[0].action).model.pieces[0]) ==
        Value(std::string("/here/there/x.mlir")));
  }
  SECTION("defaults are relative to the manifest") {
    Project project;
    auto graph = project.resolveText(body);
    REQUIRE(succeeded(graph));
    CHECK(graph->params.at("dir") == Value(std::string("/p/m/data")));
  }
  SECTION("a text for an int, a value out of bounds, an unknown name") {
    Project project;
    project.options.set = {{"n", "many"}};
    CHECK(failed(project.resolveText(body)));
    REQUIRE(project.sink.diagnostics().size() == 1);
    CHECK(project.sink.diagnostics()[0].kind == DiagKind::GraphParameterType);

    Project large;
    large.options.set = {{"n", "9"}};
    CHECK(failed(large.resolveText(body)));
    REQUIRE(large.sink.diagnostics().size() == 1);
    CHECK(large.sink.diagnostics()[0].kind == DiagKind::GraphParameterRange);

    Project unknown;
    unknown.options.set = {{"dirr", "x"}};
    CHECK(failed(unknown.resolveText(body)));
    REQUIRE(unknown.sink.diagnostics().size() == 1);
    CHECK(unknown.sink.diagnostics()[0].kind ==
          DiagKind::GraphUnknownParameter);
    CHECK(StringRef(unknown.messages()).contains("did you mean 'dir'?"));
  }
}

TEST_CASE("all errors of the files are reported at once", "[graph]") {
  Project project;
  CHECK(failed(project.resolveText("targets: [wide, nowhere]\n"
                                   "bubbles:\n"
                                   "  import: {ingress: mlir, model: x.mlir}\n"
                                   "  a: {schedule: ../lost.mlir}\n"
                                   "  b: {passes: '${params.x} ${target.y}'}\n"
                                   "edges: [import -> a -> b -> c]\n"
                                   "verify: {against: [gold]}\n")));
  std::vector<DiagKind> kinds;
  for (const Diagnostic &diagnostic : project.sink.diagnostics())
    kinds.push_back(diagnostic.kind);
  CHECK(kinds == std::vector<DiagKind>{DiagKind::TargetNotFound,
                                       DiagKind::GraphFileNotFound,
                                       DiagKind::GraphUndefinedName,
                                       DiagKind::GraphUnknownBubble});
}

TEST_CASE("verify names golden, oracle or a pipeline", "[graph]") {
  StringRef body = "targets: [wide]\n"
                   "bubbles:\n"
                   "  import: {ingress: mlir, model: x.mlir}\n"
                   "  a: {passes: cse}\n"
                   "  b: {passes: cse}\n"
                   "edges: [import -> a, import -> b]\n"
                   "verify: {against: [golden, oracle, a]}\n";
  Project project;
  auto graph = project.resolveText(body);
  REQUIRE(succeeded(graph));
  CHECK(graph->pipelines[1].name == "b");

  Project wrong;
  CHECK(failed(
      wrong.resolveText(StringRef(body).drop_back(3).str() + ", golde]}\n")));
  REQUIRE(wrong.sink.diagnostics().size() == 1);
  CHECK(wrong.sink.diagnostics()[0].kind == DiagKind::GraphUndefinedName);
  CHECK(StringRef(wrong.messages()).contains("did you mean 'golden'?"));
}

TEST_CASE("lib: names are looked up in the library folders", "[graph]") {
  Project project;
  project.options.libraryDirs = {"/share"};
  project.add("/share/schedules/cpu/clean.yaml",
              "lighthouse: 1\npasses: cse\n");
  project.add("/share/targets/far.yaml", "lighthouse: 1\nbackend: cpu\n");
  auto graph = project.resolveText("targets: [far]\n"
                                   "bubbles:\n"
                                   "  import: {ingress: mlir, model: x.mlir}\n"
                                   "  clean: {use: lib:cpu/clean}\n"
                                   "edges: [import -> clean]\n");
  INFO(project.messages());
  REQUIRE(succeeded(graph));
  CHECK(graph->targets[0].file == "/share/targets/far.yaml");
  CHECK(graph->files.size() == 3);
}

TEST_CASE("a bubble file resolves by itself", "[graph]") {
  Project project;
  project.add("/here/b.yaml", "lighthouse: 1\n"
                              "params: {n: {type: int}}\n"
                              "passes: 'x{n=${params.n} b=${target.bits}}'\n");
  project.options.set = {{"n", "3"}};
  auto target =
      readTarget({"wide", {}}, {"/p", {}, {}}, project.sources, project.sink);
  REQUIRE(succeeded(target));
  auto bubbles = loadBubbleFile("b.yaml", *target, project.options,
                                project.sources, project.sink);
  INFO(project.messages());
  REQUIRE(succeeded(bubbles));
  REQUIRE(bubbles->size() == 1);
  CHECK((*bubbles)[0].name == "b");
  CHECK(std::get<Value>(
            std::get<PassesDecl>((*bubbles)[0].action).pipeline.pieces[0]) ==
        Value(std::string("x{n=3 b=")));

  project.options.set = {{"n", "3"}, {"m", "4"}};
  CHECK(failed(loadBubbleFile("b.yaml", *target, project.options,
                              project.sources, project.sink)));
  CHECK(project.sink.diagnostics().back().kind ==
        DiagKind::GraphUnknownParameter);
}

TEST_CASE("a manifest that can't be read is an error", "[graph]") {
  Project project;
  CHECK(failed(
      loadGraph("none.yaml", project.options, project.sources, project.sink)));
  REQUIRE(project.sink.diagnostics().size() == 1);
  CHECK(kindName(project.sink.diagnostics()[0].kind) == "support-cannot-read");
  CHECK(StringRef(project.messages()).contains("/here/none.yaml"));
}
