// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Golden folders are found whole, or what is wrong with them is told.
#include "core/plan/GoldenStore.h"
#include "PlanFixture.h"
#include "core/support/Hash.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

/// /g: a payload, the output `y` and its sidecar.
struct GoldenFolder {
  explicit GoldenFolder(bool hasSidecar = true, const std::string &more = "") {
    machine.addFile("/g/payload.mlir", "model");
    if (hasSidecar)
      machine.addSidecar("/g", "any", more);
  }

  bool find() {
    CollectingSink sink;
    golden = findGolden(*machine.files, "/g", targets, {}, sink);
    diagnostics = sink.take();
    return succeeded(golden);
  }
  size_t count(DiagKind kind) const {
    return static_cast<size_t>(
        llvm::count_if(diagnostics, [&](const Diagnostic &diagnostic) {
          return diagnostic.kind == kind;
        }));
  }
  bool failsWith(DiagKind kind) { return !find() && count(kind) == 1; }
  const std::string &fileFor(StringRef target, StringRef dtype) {
    return expectedFile(golden->data, 0, target, dtype);
  }

  Machine machine;
  std::vector<StringRef> targets = {"small", "large"};
  FailureOr<GoldenFiles> golden = failure();
  std::vector<Diagnostic> diagnostics;
};

} // namespace

TEST_CASE("golden files go by their numbers, then by name", "[golden]") {
  GoldenFolder fixture;
  for (StringRef file : {"10-c.npy", "9-b.pb", "a.npy", "3d.npy", "notes.txt"})
    fixture.machine.addFile(("/g/inputs/" + file).str());
  fixture.machine.addFile("/g/outputs/0-y.npy", npy({1}));
  fixture.machine.addFile("/g/labels.npy");
  REQUIRE(fixture.find());
  CHECK(fixture.diagnostics.empty());
  CHECK(fixture.golden->model == "/g/payload.mlir");
  std::vector<std::string> names;
  for (const auto &[name, path] : fixture.golden->data.inputs)
    names.push_back(name);
  CHECK(names == std::vector<std::string>{"b", "c", "3d", "a"});
  CHECK(fixture.golden->data.expected[0].first == "y");
  CHECK(fixture.golden->data.labels == "/g/labels.npy");
}

TEST_CASE("a golden without a sidecar is refused", "[golden]") {
  GoldenFolder fixture(/*hasSidecar=*/false);
  fixture.machine.addFile("/g/outputs/y.npy", npy({1}));
  CHECK(fixture.failsWith(DiagKind::PlanGoldenProvenance));
  CHECK_THAT(fixture.diagnostics[0].message, Catch::Contains("lh-run record"));
}

TEST_CASE("a golden of another model is refused", "[golden]") {
  GoldenFolder fixture(/*hasSidecar=*/false);
  fixture.machine.addFile("/g/outputs/y.npy", npy({1}));
  fixture.machine.addFile(
      "/g/provenance.json",
      R"({"producer": "p", "versions": {"p": "1"}, "target": "any",
          "dtypes": {"y": "float32"}, "model_sha256": ")" +
          sha256Hex("other") + "\"}");
  CHECK(fixture.failsWith(DiagKind::PlanGoldenHash)); // plan-golden-hash
}

TEST_CASE("a file that was changed after it was recorded is refused",
          "[golden]") {
  bool changed = GENERATE(false, true);
  GoldenFolder fixture(true, R"(, "files": {"outputs/y.npy": ")" +
                                 sha256Hex(npy({changed ? 2.0 : 1.0})) + "\"}");
  fixture.machine.addFile("/g/outputs/y.npy", npy({1}));
  CHECK(fixture.find() == !changed);
  CHECK(fixture.count(DiagKind::PlanGoldenHash) == (changed ? 1 : 0));
}

TEST_CASE("a recorded file or output that is not there is refused",
          "[golden]") {
  GoldenFolder fixture(true, R"(, "files": {"outputs/z.npy": ")" +
                                 sha256Hex("") + "\"}");
  fixture.machine.addFile("/g/outputs/z.npy.bak", npy({1}));
  fixture.machine.addFile("/g/outputs/w.npy", npy({1}));
  CHECK_FALSE(fixture.find());
  CHECK(fixture.count(DiagKind::PlanBadCase) == 1); // of 'files'
  // 'y' is recorded and not there, 'w' is there and not recorded.
  CHECK(fixture.count(DiagKind::PlanGoldenProvenance) == 2);
}

TEST_CASE("an output of another type than recorded is refused", "[golden]") {
  GoldenFolder fixture;
  fixture.machine.addFile("/g/outputs/y.npy", npy({1}, DType::Int32));
  CHECK(fixture.failsWith(DiagKind::PlanGoldenProvenance));
  CHECK_THAT(fixture.diagnostics[0].message, Catch::Contains("int32"));
}

TEST_CASE("an output that can't be read is refused in its place", "[golden]") {
  GoldenFolder fixture;
  fixture.machine.addFile("/g/outputs/y.npy", npy({1, 2, 3}).substr(0, 136));
  CHECK(fixture.failsWith(DiagKind::NumericsMalformedNpy));
  CHECK(fixture.diagnostics[0].where.file == "/g/outputs/y.npy");
}

TEST_CASE("a NaN that is not announced is a warning", "[golden]") {
  // plan-golden-nan
  std::string announced = GENERATE("", R"(, "nans": {"y": 1})");
  GoldenFolder fixture(true, announced);
  fixture.machine.addFile("/g/outputs/y.npy", npy({1, std::nan("")}));
  REQUIRE(fixture.find());
  CHECK(fixture.count(DiagKind::PlanGoldenNan) == (announced.empty() ? 1 : 0));
}

TEST_CASE("the most specific override is expected, file by file", "[golden]") {
  GoldenFolder fixture;
  for (StringRef folder :
       {"outputs", "float32", "small", "small/float32", "large"})
    fixture.machine.addFile(("/g/" + folder + "/y.npy").str(), npy({1}));
  fixture.machine.addSidecar("/g/float32");
  fixture.machine.addSidecar("/g/small", "small");
  fixture.machine.addSidecar("/g/small/float32", "small");
  fixture.machine.addSidecar("/g/large", "large");
  REQUIRE(fixture.find());
  CHECK(fixture.diagnostics.empty());
  CHECK(fixture.fileFor("small", "float32") == "/g/small/float32/y.npy");
  CHECK(fixture.fileFor("small", "float16") == "/g/small/y.npy");
  // The target says more than the type.
  CHECK(fixture.fileFor("large", "float32") == "/g/large/y.npy");
  CHECK(fixture.fileFor("host", "float32") == "/g/float32/y.npy");
  CHECK(fixture.fileFor("host", "float16") == "/g/outputs/y.npy");
}

TEST_CASE("an override has a sidecar of its own, for its place", "[golden]") {
  GoldenFolder fixture;
  fixture.machine.addFile("/g/outputs/y.npy", npy({1}));
  fixture.machine.addFile("/g/small/y.npy", npy({1}));
  SECTION("none") {}
  SECTION("another target's") { fixture.machine.addSidecar("/g/small"); }
  CHECK(fixture.failsWith(DiagKind::PlanGoldenProvenance));
}

TEST_CASE("an override's type is that of its folder", "[golden]") {
  GoldenFolder fixture;
  fixture.machine.addFile("/g/outputs/y.npy", npy({1}));
  fixture.machine.addFile("/g/float16/y.npy", npy({1}));
  fixture.machine.addSidecar("/g/float16");
  CHECK(fixture.failsWith(DiagKind::PlanGoldenProvenance));
}

TEST_CASE("golden files that nothing reads are a warning", "[golden]") {
  // plan-unused-golden
  GoldenFolder fixture;
  fixture.machine.addFile("/g/outputs/y.npy", npy({1}));
  std::string stray = GENERATE(as<std::string>(), "/g/z.npy", "/g/smal/y.npy",
                               "/g/small/flaot32/y.npy", "/g/small/readme.md");
  fixture.machine.addFile(stray, npy({1}));
  if (StringRef(stray).starts_with("/g/small/f")) {
    fixture.machine.addFile("/g/small/y.npy", npy({1}));
    fixture.machine.addSidecar("/g/small", "small");
  }
  REQUIRE(fixture.find());
  CHECK(fixture.count(DiagKind::PlanUnusedGolden) == 1);
  CHECK(fixture.diagnostics.size() == 1);
}

TEST_CASE("an override of no output is a warning", "[golden]") {
  GoldenFolder fixture(true);
  fixture.machine.addFile("/g/outputs/y.npy", npy({1}));
  fixture.machine.addFile("/g/small/z.npy", npy({1}));
  fixture.machine.addFile("/g/small/y.npy", npy({1}));
  fixture.machine.addFile(
      "/g/small/provenance.json",
      R"({"producer": "p", "versions": {"p": "1"}, "target": "small",
          "dtypes": {"y": "float32", "z": "float32"}, "model_sha256": ")" +
          sha256Hex("model") + "\"}");
  REQUIRE(fixture.find());
  CHECK(fixture.count(DiagKind::PlanUnusedGolden) == 1);
  CHECK(fixture.golden->data.overrides.size() == 1);
}

TEST_CASE("a golden that lacks its files is refused", "[golden]") {
  // plan-bad-case
  Machine machine;
  CHECK(planFor(makeGraph(), machine).failedWith(DiagKind::PlanBadCase));
  machine.addFile("/golden/digits/inputs/x.npy");
  CHECK(planFor(makeGraph(), machine).failedWith(DiagKind::PlanBadCase));
  machine.addFile("/golden/digits/model.onnx", "model");
  CHECK(planFor(makeGraph(), machine).failedWith(DiagKind::PlanBadCase));
  machine.addFile("/golden/digits/outputs/y.npy", npy({1}));
  CHECK(
      planFor(makeGraph(), machine).failedWith(DiagKind::PlanGoldenProvenance));
  machine.addSidecar("/golden/digits");
  CHECK(succeeded(planFor(makeGraph(), machine).plan));
}

TEST_CASE("to record a golden its model is enough", "[golden]") {
  Machine machine;
  machine.addFile("/golden/digits/model.onnx", "model");
  Selection selection;
  selection.recordsGoldens = true;
  CHECK(succeeded(planFor(makeGraph(), machine, selection).plan));
}

TEST_CASE("a golden that nothing is compared with is a warning", "[golden]") {
  Machine machine;
  machine.addGolden("digits");
  ResolvedGraph graph = makeGraph();
  graph.verify->against = {named("plain")};
  Planned planned = planFor(graph, machine);
  REQUIRE(succeeded(planned.plan));
  REQUIRE(planned.diagnostics.size() == 1);
  CHECK(planned.diagnostics[0].kind == DiagKind::PlanUnusedGolden);
  graph.verify.reset();
  CHECK(planFor(graph, machine).diagnostics.empty());
}
