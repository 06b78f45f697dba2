// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifests with several mistakes: each is told once, whatever hangs on it.
#include "core/graph/Resolver.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

/// Resolves the manifest m.yaml beside a target and a bubble file, all in
/// memory.
struct Parts {
  explicit Parts(const std::string &body,
                 const std::map<std::string, std::string> &others = {}) {
    add("/p/targets/wide.yaml",
        "lighthouse: 1\nbackend: cpu\nfacts: {bits: 512}\n");
    for (const auto &[name, text] : others)
      add("/p/" + name, text);
    add("/p/m.yaml", "lighthouse: 1\n" + body);
    options.workingDirectory = "/p";
    auto loaded = loadGraphParts("/p/m.yaml", options, sources, sink);
    REQUIRE(succeeded(loaded));
    parts = std::move(*loaded);
  }
  void add(const std::string &path, const std::string &text) {
    files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  }
  std::vector<std::string> kinds() const {
    std::vector<std::string> names;
    for (const Diagnostic &diagnostic : sink.diagnostics())
      names.push_back(kindName(diagnostic.kind).str());
    return names;
  }
  std::vector<std::string> bubbles() const {
    std::vector<std::string> names;
    for (const ResolvedBubble &bubble : parts.graph.bubbles)
      names.push_back(bubble.name);
    return names;
  }

  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files =
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  SourceStore sources{*files};
  CollectingSink sink;
  ResolveOptions options;
  GraphParts parts;
};

using Names = std::vector<std::string>;

const std::string head = "name: m\ntargets: [wide]\n";
const std::string import =
    "  import: {ingress: mlir, model: '${case.model}'}\n";

} // namespace

TEST_CASE("mistakes of all stages are told in one round, each once",
          "[graph]") {
  Parts all("name: m\n"
            "targets: [wide, wyde]\n"
            "bubbles:\n" +
            import +
            "  tile: {schdule: s.mlir}\n"
            "  size: {passes: 'canonicalize{max-iterations=${params.n}}'}\n"
            "  cse: {passes: cse}\n"
            "  lost: {schedule: none.mlir}\n"
            "  run: {execute: 7}\n"
            "edges: [import -> tile -> cse -> lost -> size -> rum]\n"
            "pipelines: {main: {path: [import, tile, cse, lost, run]}}\n"
            "cases: {a: {golden: '${params.dir}/x'}}\n"
            "verify: {against: [mine]}\n");
  CHECK(all.kinds() == Names{"manifest-unknown-key", "manifest-wrong-type",
                             "target-not-found", "graph-undefined-name",
                             "graph-file-not-found", "graph-undefined-name",
                             "graph-unknown-bubble", "graph-undefined-name"});
  CHECK(all.parts.missing.any);
  CHECK(all.parts.missing.targets);
  CHECK(all.parts.missing.pipelines);
  CHECK(all.parts.missing.cases);
  CHECK(all.bubbles() == Names{"import", "cse"});
}

TEST_CASE("what a misspelt section would declare is not missed", "[graph]") {
  std::string edges = "edges: [import -> cse -> run]\n";
  std::string bubbles = "bubbles:\n" + import +
                        "  cse: {passes: 'cse,${params.more}'}\n"
                        "  run: {execute: main}\n";
  CHECK(Parts(head + "parms: {more: {type: string, default: cse}}\n" + bubbles +
              edges)
            .kinds() == Names{"manifest-unknown-key"});
  CHECK(Parts(head + "bubles: {}\n" + edges +
              "pipelines: {p: {path: [import, cse]}}\n")
            .kinds() == Names{"manifest-unknown-key"});
  CHECK(Parts("name: m\ntarget: [wide]\n"
              "params: {more: {type: string, default: cse}}\n" +
              bubbles + edges)
            .kinds() == Names{"manifest-unknown-key"});
  CHECK(Parts(head + "params: {more: {type: string, default: cse}}\n" +
              bubbles + "edge: [import -> cse -> run]\n")
            .kinds() == Names{"manifest-unknown-key"});
  CHECK(Parts(head + "params: {more: {type: string, default: cse}}\n" +
              bubbles + edges +
              "pipeline: {p: {path: [import, cse, run]}}\n"
              "verify: {against: [p]}\n")
            .kinds() == Names{"manifest-unknown-key"});
}

TEST_CASE("what a section given twice would declare is not missed",
          "[graph]") {
  CHECK(Parts(head + "bubbles:\n" + import +
              "bubbles:\n  run: {execute: main}\n"
              "edges: [import -> run]\n")
            .kinds() == Names{"manifest-duplicate-key"});
  CHECK(Parts("name: m\nbubbles:\n" + import +
              "  cse: {passes: cse, when: {bits: 512}}\n"
              "  run: {execute: main}\n"
              "edges: [import -> cse -> run]\n")
            .kinds() == Names{"manifest-missing-key"});
}

TEST_CASE("who refers to what is broken has no error for that", "[graph]") {
  std::string body = "edges: [import -> cse -> run]\n";
  // A parameter of a wrong type, used twice.
  Parts parameter(
      head +
      "params: {n: {type: int, default: x}}\n"
      "bubbles:\n" +
      import +
      "  cse: {passes: 'canonicalize{max-iterations=${params.n}}'}\n"
      "  run: {execute: main}\n" +
      body + "cases: {a: {golden: 'g/${params.n}'}}\n");
  CHECK(parameter.kinds() == Names{"graph-parameter-type"});
  CHECK(parameter.bubbles() == Names{"import", "run"});
  // A bubble given twice: nobody knows which is meant.
  Parts twice(head + "bubbles:\n" + import +
              "  cse: {passes: cse}\n"
              "  cse: {passes: canonicalize}\n"
              "  run: {execute: main}\n" +
              body);
  CHECK(twice.kinds() == Names{"manifest-duplicate-key"});
  CHECK(twice.bubbles() == Names{"import", "run"});
  // An edge that can't be read: the path lacks one, and another bubble.
  Parts edge(head + "bubbles:\n" + import +
             "  cse: {passes: cse}\n"
             "  run: {execute: main}\n"
             "edges: [import ->, cse -> run]\n"
             "pipelines: {p: {path: [import, cse, run]}}\n");
  CHECK(edge.kinds() == Names{"manifest-bad-edge"});
  // The same wrong name in edges and pipelines.
  Parts name(head + "bubbles:\n" + import +
             "  run: {execute: main}\n"
             "edges: [import -> cse -> run, import -> cse]\n"
             "pipelines:\n"
             "  p: {path: [import, cse, run]}\n"
             "  q: {path: [import, cse]}\n"
             "verify: {against: [p]}\n");
  CHECK(name.kinds() == Names{"graph-unknown-bubble"});
  // `when` may hold on the target that is lacking.
  Parts when("name: m\ntargets: [wide, narow]\nbubbles:\n" + import +
             "  cse: {passes: cse, when: {bits: 128}}\n"
             "  run: {execute: main}\n" +
             body);
  CHECK(when.kinds() == Names{"target-not-found"});
}

TEST_CASE("bubbles beside a broken one in a used file are looked at",
          "[graph]") {
  std::string file = "lighthouse: 1\n"
                     "bubbles:\n"
                     "  a: {passes: cse}\n"
                     "  b: {pases: cse}\n"
                     "  c: {passes: '${params.no}'}\n"
                     "edges: [a -> b -> c]\n";
  Parts used(head + "bubbles:\n" + import +
                 "  chain: {use: chain.yaml}\n"
                 "  run: {execute: main}\n"
                 "edges: [import -> chain -> run]\n",
             {{"chain.yaml", file}});
  CHECK(used.kinds() == Names{"manifest-unknown-key", "graph-undefined-name"});
  CHECK(used.bubbles() == Names{"import", "chain/a", "run"});
}

TEST_CASE("a sound manifest lacks nothing", "[graph]") {
  Parts sound(head + "bubbles:\n" + import +
              "  run: {execute: main}\nedges: [import -> run]\n");
  CHECK(sound.kinds().empty());
  CHECK_FALSE(sound.parts.missing.any);
  CHECK(sound.parts.graph.pipelines.size() == 1);
}

TEST_CASE("files that use each other twice are refused after bounded work",
          "[graph]") {
  std::map<std::string, std::string> others;
  for (int i = 0; i < 24; ++i) {
    std::string next = "f" + std::to_string(i + 1) + ".yaml";
    others["f" + std::to_string(i) + ".yaml"] =
        "lighthouse: 1\nbubbles:\n  a: {use: " + next +
        "}\n  b: {use: " + next + "}\nedges: [a -> b]\n";
  }
  others["f24.yaml"] = "lighthouse: 1\npasses: cse\n";
  Parts doubled(head + "bubbles:\n" + import +
                    "  all: {use: f0.yaml}\n"
                    "  again: {use: f0.yaml}\n"
                    "  run: {execute: main}\n"
                    "edges: [import -> all -> again -> run]\n",
                others);
  CHECK(doubled.kinds() == Names{"manifest-limit"});
}

TEST_CASE("a chain of files that is too long is refused", "[graph]") {
  std::map<std::string, std::string> others;
  for (int i = 0; i < 200; ++i)
    others["f" + std::to_string(i) + ".yaml"] =
        "lighthouse: 1\nbubbles:\n  a: {use: f" + std::to_string(i + 1) +
        ".yaml}\n";
  Parts deep(head + "bubbles:\n" + import +
                 "  all: {use: f0.yaml}\n"
                 "  run: {execute: main}\n"
                 "edges: [import -> all -> run]\n",
             others);
  CHECK(deep.kinds() == Names{"manifest-limit"});
}
