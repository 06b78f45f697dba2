// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The target files that come with the engine, and how targets come by facts.
#include "core/graph/Evaluate.h"
#include "core/graph/TargetFinder.h"
#include "core/manifest/ValueText.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"

#include <catch2/catch.hpp>

#include <unistd.h>

using namespace lh;

static std::vector<std::string> targetsIn(llvm::vfs::FileSystem &files,
                                          StringRef folder) {
  std::vector<std::string> names;
  for (const std::string &file : listFolder(files, folder))
    if (llvm::sys::path::extension(file) == ".yaml")
      names.push_back(llvm::sys::path::stem(file).str());
  return names;
}

static TargetSpec shipped(StringRef name, SourceStore &sources) {
  CollectingSink sink;
  std::string folder = absolutePath(LH_TARGETS, "/");
  FailureOr<TargetSpec> target = readTarget(
      {name.str(), {}}, {folder, {}, {folderOf(folder)}}, sources, sink);
  for (const Diagnostic &diagnostic : sink.diagnostics())
    UNSCOPED_INFO(diagnostic.message);
  REQUIRE(succeeded(target));
  return *target;
}

/// Its facts of those names that `named` has.
static std::string factsText(const TargetSpec &target,
                             const TargetSpec &named) {
  std::string text;
  for (const auto &[name, value] : factValues(target))
    if (factValues(named).count(name) > 0)
      text += name + ": " + valueText(value) + "\n";
  return text;
}

static std::string factsText(const TargetSpec &target) {
  return factsText(target, target);
}

TEST_CASE("the targets that we ship have the facts that schedules need",
          "[graph]") {
  auto files = llvm::vfs::getRealFileSystem();
  SourceStore sources(*files);
  std::vector<std::string> names =
      targetsIn(*files, absolutePath(LH_TARGETS, "/"));
  CHECK(names.size() >= 3);
  for (const std::string &name : names) {
    INFO(name);
    TargetSpec target = shipped(name, sources);
    if (target.backend != "cpu")
      continue;
    for (const char *fact :
         {"vector_bits", "vector_registers", "l1d_bytes", "l2_bytes"})
      CHECK(target.facts.count(fact) == 1);
  }
}

// Users copied them when each was written out in full. Facts that schedules
// began to need later have defaults.
TEST_CASE("the targets that we ship are what they were in full", "[graph]") {
  auto files = llvm::vfs::getRealFileSystem();
  SourceStore sources(*files);
  std::string folder = absolutePath(LH_FULL_TARGETS, "/");
  unsigned checked = 0;
  for (const std::string &name : targetsIn(*files, folder)) {
    if (name.rfind("my-", 0) == 0)
      continue;
    INFO(name);
    CollectingSink sink;
    FailureOr<TargetSpec> full =
        readTarget({name, {}}, {folder, {}, {}}, sources, sink);
    REQUIRE(succeeded(full));
    TargetSpec target = shipped(name, sources);
    if (name != "host") // whose facts are the machine's
      CHECK(factsText(target, *full) == factsText(*full));
    CHECK(target.backend == full->backend);
    CHECK(target.triple == full->triple);
    CHECK(target.cpu == full->cpu);
    CHECK(target.features == full->features);
    CHECK(target.labels == full->labels);
    CHECK(target.run.nativeOn == full->run.nativeOn);
    CHECK(target.run.emulator.size() == full->run.emulator.size());
    CHECK(target.run.sweep == full->run.sweep);
    CHECK(target.run.needs == full->run.needs);
    ++checked;
  }
  CHECK(checked >= 17);
}

namespace {

/// A library with default facts, and targets of a user's.
struct Targets {
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files =
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  SourceStore sources{*files};
  CollectingSink sink;

  Targets() {
    addDefaults("cpu", "{bits: 128, rows: 4, new: 1}");
    addDefaults("cuda", "{gpu: true}");
    addDefaults("x86-64", "{registers: 16}");
    addDefaults("x86-64.avx2", "{bits: 256}");
    addDefaults("x86-64.avx512f", "{bits: 512}");
    addDefaults("x86-64.avx2.sse4a", "{both: true}");
    addDefaults("aarch64.sve", "{scalable: true}");
    add("/lib/targets/base.yaml",
        "lighthouse: 1\nbackend: cpu\ntriple: x86_64-linux-gnu\ncpu: haswell\n"
        "features: [avx2]\nfacts: {rows: 6, cache: 32}\n"
        "run: {native_on: x86_64, sweep: {n: [1]}}\nlabels: [linux]\n");
  }
  void add(StringRef path, StringRef text) {
    files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  }
  void addDefaults(StringRef name, StringRef facts) {
    add(("/lib/targets/defaults/" + name + ".yaml").str(),
        ("lighthouse: 1\nfacts: " + facts + "\n").str());
  }
  FailureOr<TargetSpec> read(StringRef text) {
    add("/p/targets/mine.yaml", ("lighthouse: 1\n" + text).str());
    return readTarget({"mine", {"m.yaml", 4, 11, 4}}, {"/p", {}, {"/lib"}},
                      sources, sink);
  }
  std::string factsOf(StringRef text) {
    FailureOr<TargetSpec> target = read(text);
    for (const Diagnostic &diagnostic : sink.diagnostics())
      UNSCOPED_INFO(diagnostic.message);
    REQUIRE(succeeded(target));
    return factsText(*target);
  }
  const Diagnostic &only() {
    REQUIRE(sink.diagnostics().size() == 1);
    return sink.diagnostics()[0];
  }
};

} // namespace

TEST_CASE("facts that a target leaves out are those of what it is", "[graph]") {
  CHECK(Targets().factsOf("backend: cpu\ntriple: x86_64-linux-gnu\n"
                          "facts: {rows: 9}\n") ==
        "bits: 128\nnew: 1\nregisters: 16\nrows: 9\nthreads: 1\n");
  CHECK(Targets().factsOf("backend: cpu\ntriple: riscv64-linux-gnu\n") ==
        "bits: 128\nnew: 1\nrows: 4\nthreads: 1\n");
  CHECK(Targets().factsOf("backend: cuda\ncpu: sm_80\n") ==
        "gpu: true\nthreads: 1\n");
}

TEST_CASE("features count whether they are listed or the CPU's", "[graph]") {
  StringRef x86 = "backend: cpu\ntriple: x86_64-linux-gnu\n";
  CHECK_THAT(Targets().factsOf((x86 + "features: [avx512f, avx2]\n").str()),
             Catch::Contains("bits: 512"));
  CHECK_THAT(Targets().factsOf((x86 + "cpu: haswell\n").str()),
             Catch::Contains("bits: 256"));
  CHECK_THAT(Targets().factsOf(
                 (x86 + "cpu: icelake-server\nfeatures: [-avx512f]\n").str()),
             Catch::Contains("bits: 256"));
  CHECK_THAT(Targets().factsOf("backend: cpu\ntriple: aarch64-linux-gnu\n"
                               "cpu: neoverse-v2\n"),
             Catch::Contains("scalable: true"));
}

TEST_CASE("facts of two features need both", "[graph]") {
  StringRef x86 = "backend: cpu\ntriple: x86_64-linux-gnu\n";
  CHECK_THAT(Targets().factsOf((x86 + "features: [avx2]\n").str()),
             !Catch::Contains("both"));
  CHECK_THAT(Targets().factsOf((x86 + "features: [avx2, sse4a]\n").str()),
             Catch::Contains("both: true"));
}

TEST_CASE("the machine's own facts are its features' and its caches'",
          "[graph]") {
  Targets targets;
  auto target = targets.read("backend: cpu\ncpu: host\n");
  REQUIRE(succeeded(target));
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512f"))
    CHECK_THAT(factsText(*target), Catch::Contains("bits: 512"));
  else if (features.lookup("avx2"))
    CHECK_THAT(factsText(*target), Catch::Contains("bits: 256"));
  if (int64_t bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
    CHECK_THAT(factsText(*target),
               Catch::Contains("l2_bytes: " + std::to_string(bytes)));
}

TEST_CASE("a default fact stands in its file, which is known", "[graph]") {
  Targets targets;
  auto target = targets.read("backend: cpu\ntriple: x86_64-linux-gnu\n");
  REQUIRE(succeeded(target));
  CHECK(target->facts.at("bits").where.file ==
        "/lib/targets/defaults/cpu.yaml");
  CHECK(target->bases ==
        std::vector<std::string>{"/lib/targets/defaults/cpu.yaml",
                                 "/lib/targets/defaults/x86-64.yaml"});
}

TEST_CASE("facts of more features win, then the alphabetically later ones",
          "[graph]") {
  Targets targets;
  targets.addDefaults("x86-64.avx2.fma", "{bits: 300, rows: 3}");
  targets.addDefaults("x86-64.fma", "{registers: 8}");
  CHECK(targets.factsOf("backend: cpu\ntriple: x86_64-linux-gnu\n"
                        "features: [avx2, avx512f, fma]\n") ==
        "bits: 300\nnew: 1\nregisters: 8\nrows: 3\nthreads: 1\n");
  CHECK_THAT(Targets().factsOf("backend: cpu\ntriple: x86_64-linux-gnu\n"
                               "features: [avx2, avx512f]\n"),
             Catch::Contains("bits: 512"));
}

TEST_CASE("a target extends another: its facts one by one, the rest as a whole",
          "[graph]") {
  Targets targets;
  auto target = targets.read("extends: base\nfacts: {rows: 12}\n"
                             "features: [avx512f]\nrun: {native_on: x86_64}\n");
  REQUIRE(succeeded(target));
  CHECK(target->name == "mine");
  CHECK(target->backend == "cpu");
  CHECK(target->cpu == "haswell");
  CHECK(target->features == std::vector<std::string>{"avx512f"});
  CHECK(target->run.sweep.empty());
  CHECK(target->labels == std::vector<std::string>{"linux"});
  CHECK(factsText(*target) == "bits: 512\ncache: 32\nnew: 1\nregisters: 16\n"
                              "rows: 12\nthreads: 1\n");
  CHECK(target->bases.front() == "/lib/targets/base.yaml");
}

TEST_CASE("a target by the name of the one that it extends", "[graph]") {
  Targets targets;
  targets.add("/p/targets/base.yaml",
              "lighthouse: 1\nextends: base\nfacts: {cache: 64}\n");
  CHECK_THAT(targets.factsOf("extends: ./base.yaml\n"),
             Catch::Contains("cache: 64") && Catch::Contains("rows: 6"));
}

TEST_CASE("a target goes into one file that needs no other", "[graph]") {
  Targets targets;
  auto target = targets.read("extends: base\nfacts: {rows: 12, sizes: [1, 2]}\n"
                             "features: [avx512f]\n");
  REQUIRE(succeeded(target));
  auto text = wholeTargetText(*target, targets.sources, targets.sink);
  REQUIRE(succeeded(text));
  targets.add("/q/targets/mine.yaml", *text);
  auto copy =
      readTarget({"mine", {}}, {"/q", {}, {}}, targets.sources, targets.sink);
  REQUIRE(succeeded(copy));
  CHECK(copy->bases.empty());
  CHECK(factsText(*copy) == factsText(*target));
  CHECK(copy->cpu == "haswell");
  CHECK(copy->features == target->features);
  CHECK(copy->run.nativeOn == "x86_64");
  CHECK(copy->run.sweep == target->run.sweep);
  CHECK(copy->labels == target->labels);
}

TEST_CASE("a target that extends what isn't there, or itself, is an error",
          "[graph]") {
  Targets unknown;
  CHECK(failed(unknown.read("extends: bse\n")));
  CHECK(unknown.only().kind == DiagKind::TargetNotFound);
  CHECK(unknown.only().where.file == "/p/targets/mine.yaml");
  CHECK(unknown.only().where.line == 2);
  CHECK(unknown.only().where.column == 10);
  CHECK_THAT(unknown.only().message, Catch::Contains("did you mean 'base'?"));

  Targets cycle;
  cycle.add("/p/targets/other.yaml", "lighthouse: 1\nextends: mine\n");
  CHECK(failed(cycle.read("extends: other\n")));
  CHECK(cycle.only().kind == DiagKind::GraphUseCycle);
  CHECK(cycle.only().where.file == "/p/targets/other.yaml");
  CHECK(cycle.only().where.line == 2);
  REQUIRE(cycle.only().notes.size() == 1);
  CHECK(cycle.only().notes[0].where.line == 4);

  Targets itself;
  CHECK(failed(itself.read("extends: ./mine.yaml\n")));
  CHECK(itself.only().kind == DiagKind::GraphUseCycle);

  Targets neither;
  CHECK(failed(neither.read("cpu: haswell\n")));
  CHECK(neither.only().kind == DiagKind::ManifestOneOf);
}
