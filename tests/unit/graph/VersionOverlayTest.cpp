// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts for another LLVM take others' places.
#include "core/graph/VersionOverlay.h"
#include "core/graph/Resolver.h"
#include "core/support/Version.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

using namespace lh;

static llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>
filesOf(ArrayRef<std::pair<std::string, std::string>> texts) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto &[name, text] : texts)
    files->addFile(name, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  return files;
}

TEST_CASE("a text for a version takes the other's place with it alone",
          "[graph]") {
  auto files = filesOf({{"/l/schedules/cpu/x.mlir", ""},
                        {"/l/schedules/versions/23/cpu/x.mlir", ""}});
  CHECK(fileForLlvm("/l/schedules/cpu/x.mlir", 23, *files) ==
        "/l/schedules/versions/23/cpu/x.mlir");
  CHECK(fileForLlvm("/l/schedules/cpu/x.mlir", 22, *files) ==
        "/l/schedules/cpu/x.mlir");
  CHECK(fileForLlvm("/l/schedules/cpu/y.mlir", 23, *files) ==
        "/l/schedules/cpu/y.mlir");
  CHECK(fileForLlvm("/l/cpu/x.mlir", 23, *files) == "/l/cpu/x.mlir");
}

TEST_CASE("bubbles are resolved to the text for this LLVM", "[graph]") {
  std::string own = "/l/schedules/versions/" + std::to_string(llvmMajor());
  auto files = filesOf(
      {{"/m.yaml",
        "{lighthouse: 1, name: m, targets: [t.yaml], bubbles: {import: "
        "{ingress: mlir, model: "
        "\"${case.model}\"}, a: {use: 'lib:cpu/x'}, b: {schedule: "
        "'lib:cpu/y'}}, edges: [import -> a -> b], cases: {c: {generate: "
        "{model: p.mlir}}}}"},
       {"/t.yaml", "{lighthouse: 1, backend: cpu}"},
       {"/l/schedules/cpu/x.yaml", "{lighthouse: 1, schedule: x.mlir}"},
       {"/l/schedules/cpu/x.mlir", ""},
       {"/l/schedules/cpu/y.mlir", ""},
       {own + "/cpu/x.mlir", ""}});
  SourceStore sources(*files);
  CollectingSink sink;
  ResolveOptions options;
  options.libraryDirs = {"/l"};
  auto graph = loadGraph("/m.yaml", options, sources, sink);
  for (const Diagnostic &diagnostic : sink.diagnostics())
    UNSCOPED_INFO(diagnostic.message);
  REQUIRE(succeeded(graph));
  REQUIRE(graph->bubbles.size() == 3);
  auto fileOf = [&](size_t bubble) {
    return std::get<ScheduleDecl>(graph->bubbles[bubble].action).file.value;
  };
  CHECK(fileOf(1) == own + "/cpu/x.mlir");
  CHECK(fileOf(2) == "/l/schedules/cpu/y.mlir");
}
