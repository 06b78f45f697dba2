// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of a manifest that is a manifest again.
#include "core/manifest/Choice.h"
#include "core/manifest/ManifestParser.h"

#include <catch2/catch.hpp>

using namespace lh;

static constexpr StringRef whole = R"(lighthouse: 1
name: two-ways
params:
  kept: {type: int, default: 1, doc: "used, and 'quoted'"}
  behind: {type: string, default: "x y"}
  gone: {type: int, default: "${params.kept}"}
targets: [near, ../targets/far.yaml]
bubbles:
  in: {ingress: mlir, model: "${case.model}"}
  a: {passes: "canonicalize{max-iterations=${params.kept}},cse"}
  b: {passes: "cse{x=${params.gone}}"}
  "off": {emit: mlir, path: "out/${params.behind}: [1].mlir"}
edges: [in -> a -> off, in -> b -> off]
pipelines:
  first: {path: [in, a, "off"]}
  second: {path: [in, b, "off"]}
cases:
  one: {generate: {model: m.mlir, seed: 007}}
  two: {golden: g}
verify: {against: [oracle], atol: 1.0e-4}
)";

static std::string choose(const Choice &choice) {
  CollectingSink sink;
  auto text = chooseFromManifest(whole, "m.yaml", choice, sink);
  REQUIRE(succeeded(text));
  return *text;
}

TEST_CASE("a choice keeps what it names and what that uses", "[choice]") {
  Choice choice;
  choice.pipelines = {{"first", {"in", "a", "off"}}};
  choice.target = "far";
  choice.cases = {"one"};
  choice.comment = "Why.";
  CHECK(choose(choice) == R"(# Why.
lighthouse: 1
name: two-ways
params:
  kept: {type: int, default: 1, doc: "used, and 'quoted'"}
  behind: {type: string, default: x y}
targets: ["../targets/far.yaml"]
bubbles:
  in: {ingress: mlir, model: "${case.model}"}
  a: {passes: "canonicalize{max-iterations=${params.kept}},cse"}
  "off": {emit: mlir, path: "out/${params.behind}: [1].mlir"}
edges: [in -> a -> off]
pipelines:
  first: {path: [in, a, "off"]}
cases:
  one: {generate: {model: m.mlir, seed: 7}}
verify: {against: [oracle], atol: 0.0001}
)");
}

TEST_CASE("what was set becomes the default, and stays while it is used",
          "[choice]") {
  Choice choice;
  choice.pipelines = {{"second", {"in", "b", "off"}}};
  choice.target = "near";
  choice.params = {{"kept", "7"}, {"behind", "12"}, {"none", "0"}};
  std::string text = choose(choice);
  CHECK_THAT(text, Catch::Contains("  kept: {type: int, default: 7,"));
  // A string that looks like a number stays a string.
  CHECK_THAT(text, Catch::Contains("behind: {type: string, default: \"12\"}"));
  CHECK_THAT(text, Catch::Contains("gone: {"));
  CHECK_THAT(text, Catch::Contains("targets: [near]"));
  CHECK_THAT(text, !Catch::Contains("cases:"));
}

TEST_CASE("a path that had no name gets it", "[choice]") {
  CollectingSink sink;
  Choice choice;
  choice.pipelines = {{"a-b", {"a", "b"}}};
  auto text =
      chooseFromManifest("{\"lighthouse\": 1, \"name\": \"m\", \"targets\": "
                         "[\"t\"], \"bubbles\": {\"a\": {\"passes\": \"cse\"}, "
                         "\"b\": {\"execute\": \"main\"}, "
                         "\"c\": {\"passes\": \"cse\"}}}",
                         "m.json", choice, sink);
  REQUIRE(succeeded(text));
  CHECK(*text == "lighthouse: 1\nname: m\nbubbles:\n  a: {passes: cse}\n"
                 "  b: {execute: main}\nedges: [a -> b]\n"
                 "pipelines:\n  a-b: {path: [a, b]}\n");
}

TEST_CASE("a choice from what is no manifest fails", "[choice]") {
  CollectingSink sink;
  CHECK(failed(chooseFromManifest("a: [", "m.yaml", {}, sink)));
  CHECK(sink.errorCount() > 0);
  CHECK(failed(chooseFromManifest("- a", "m.yaml", {}, sink)));
}
