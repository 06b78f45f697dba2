// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contracts along paths: only what is certain to misfit is an error.
#include "core/graph/ContractFlow.h"
#include "core/graph/Resolver.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

/// A project in an in-memory file system, with one target.
struct Library {
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files =
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  SourceStore sources{*files};
  CollectingSink sink;

  Library() {
    add("/p/targets/cpu.yaml", "lighthouse: 1\nbackend: cpu\nfacts: {n: 1}\n");
    add("/p/targets/gpu.yaml", "lighthouse: 1\nbackend: cuda\nfacts: {n: 2}\n");
  }
  void add(StringRef path, StringRef text) {
    files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  }
  /// How many errors there are in bubbles `import: ingress`, then `bubbles`,
  /// joined in `edges`.
  unsigned misfits(StringRef ingress, StringRef bubbles, StringRef edges) {
    add("/p/m/m.yaml",
        ("lighthouse: 1\nname: m\ntargets: [cpu, gpu]\nbubbles:\n  import: "
         "{ingress: " +
         ingress + ", model: a}\n" + bubbles + "edges: [" + edges + "]\n")
            .str());
    (void)loadGraph("/p/m/m.yaml", {}, sources, sink);
    for (const Diagnostic &diagnostic : sink.diagnostics())
      if (diagnostic.severity == Severity::Error)
        CHECK(diagnostic.kind == DiagKind::GraphContractMisfit);
    return sink.errorCount();
  }
};

} // namespace

TEST_CASE("a fact holds along bubbles that preserve it", "[graph]") {
  Library library;
  CHECK(library.misfits("mlir",
                        "  buffers: {passes: a, ensures: {boundary: memrefs}}\n"
                        "  clean: {passes: b, preserves: [boundary]}\n"
                        "  tile: {passes: c, requires: {boundary: tensors}}\n",
                        "import -> buffers -> clean -> tile") == 1);
  const Diagnostic &first = library.sink.diagnostics()[0];
  CHECK(first.where.line == 8);
  CHECK(first.message ==
        "on the edge 'clean -> tile', 'tile' requires tensors at the boundary, "
        "but 'buffers' ensures memrefs at the boundary, and no bubble between "
        "them changes that");
  REQUIRE(first.notes.size() == 2);
  CHECK(first.notes[0].where.line == 8);
  CHECK(first.notes[1].where.line == 6);
}

TEST_CASE("what a bubble doesn't preserve is unknown after it", "[graph]") {
  Library library;
  CHECK(library.misfits("mlir",
                        "  buffers: {passes: a, ensures: {boundary: memrefs}}\n"
                        "  clean: {passes: b, preserves: [types]}\n"
                        "  tile: {passes: c, requires: {boundary: tensors}}\n",
                        "import -> buffers -> clean -> tile") == 0);
}

/// Of a bubble that requires what the one before it doesn't ensure.
static unsigned misfits(const char *ensures, const char *requirement) {
  return Library().misfits("mlir",
                           ("  a: {passes: a, ensures: {" + Twine(ensures) +
                            "}}\n  b: {passes: b, requires: {" + requirement +
                            "}}\n")
                               .str(),
                           "import -> a -> b");
}

TEST_CASE("each part of a form can misfit", "[graph]") {
  CHECK(misfits("dialects: {some: [linalg]}", "dialects: {none: [linalg]}"));
  CHECK(misfits("dialects: {only: [scf]}", "dialects: {some: [linalg]}"));
  CHECK(misfits("dialects: {some: [scf]}", "dialects: {only: [func]}"));
  CHECK(misfits("ops: {some: [scf.for]}", "dialects: {none: [scf]}"));
  CHECK(misfits("dialects: {none: [scf]}", "ops: {some: [scf.for]}"));
  CHECK(misfits("ops: {none: [scf.for]}", "ops: {some: [scf.for]}"));
  CHECK(misfits("types: {some: [tensor]}", "types: {none: [tensor]}"));
  CHECK(misfits("types: {none: [vector]}", "types: {some: [vector]}"));
  // What isn't said, or is met.
  CHECK(!misfits("dialects: {some: [scf]}", "dialects: {none: [linalg]}"));
  CHECK(!misfits("dialects: {none: [scf]}", "dialects: {only: [func]}"));
  CHECK(!misfits("shapes: any", "shapes: static"));
  CHECK(!misfits("vectors: {max: 64}", "vectors: {max: 16}"));
  CHECK(!misfits("allocas: any", "allocas: outside-loops"));
}

TEST_CASE("facts about kernels and about hosts are told apart", "[graph]") {
  // gpu ops lie in nested modules, of which the first says nothing.
  CHECK(!misfits("dialects: {only: [llvm]}", "dialects: {some: [gpu]}"));
  CHECK(misfits("dialects: {none: [gpu]}", "dialects: {some: [gpu]}"));
}

TEST_CASE("an ONNX model comes on tensors, and code takes pointers",
          "[graph]") {
  CHECK(Library().misfits(
            "onnx",
            "  lower: {passes: a, requires: {types: {none: [tensor]}}}\n",
            "import -> lower") == 1);
  CHECK(Library().misfits("onnx", "  run: {execute: main}\n",
                          "import -> run") == 1);
  // Files and tools may give anything.
  CHECK(Library().misfits("mlir", "  run: {execute: main}\n",
                          "import -> run") == 0);
  CHECK(Library().misfits(
            "onnx",
            "  emit: {emit: mlir, path: a}\n  run: {emit: llvm-ir, path: b}\n",
            "import -> emit -> run") == 1);
}

TEST_CASE("of a composite bubble the first requires and the last ensures",
          "[graph]") {
  Library library;
  library.add("/p/m/both.yaml", "lighthouse: 1\n"
                                "bubbles: {x: {passes: a}, y: {passes: b}}\n"
                                "edges: [x -> y]\n"
                                "requires: {types: {some: [tensor]}}\n"
                                "ensures: {types: {none: [tensor]}}\n");
  CHECK(library.misfits("mlir",
                        "  both: {use: both.yaml}\n"
                        "  again: {use: both.yaml}\n",
                        "import -> both -> again") == 1);
  const Diagnostic &first = library.sink.diagnostics()[0];
  CHECK(StringRef(first.message)
            .starts_with("on the edge 'both/y -> again/x', 'again/x' requires "
                         "some type 'tensor', but 'both/y' ensures no type "
                         "'tensor'"));
  CHECK(first.notes[0].where.line == 4);
  CHECK(first.notes[1].where.line == 5);
}

TEST_CASE("paths that run on no target are passed over", "[graph]") {
  auto misfits = [](const char *other) {
    return Library().misfits(
        "onnx",
        ("  one: {passes: a, when: {n: 1}, preserves: [boundary]}\n"
         "  lower: {passes: a, when: {n: " +
         Twine(other) + "}, requires: {types: {none: [tensor]}}}\n")
            .str(),
        "import -> one -> lower");
  };
  CHECK(misfits("1") == 1);
  CHECK(misfits("2") == 0);
}
