// Cases are found on disk, or their lack is told.
#include "plan/Cases.h"
#include "PlanFixture.h"
#include "plan/CaseFiles.h"
#include "support/Hash.h"

#include <catch2/catch.hpp>

using namespace lh;

static Planned planWithInputs(const Machine &machine,
                              std::vector<std::string> inputs) {
  Selection selection;
  selection.inputs = std::move(inputs);
  return planFor(makeGraph(), machine, selection);
}

static const DataSet &firstData(const Planned &planned) {
  StepId leaf = planned.plan->results[0].leaf;
  return std::get<RunAction>(planned.plan->steps[leaf].action).data;
}

TEST_CASE("golden files go by their numbers, then by name", "[cases]") {
  Machine machine;
  for (StringRef file : {"10-c", "9-b", "a", "3d"})
    machine.addFile(("/g/inputs/" + file + ".npy").str());
  machine.addFile("/g/outputs/0-y.npy");
  machine.addFile("/g/payload.mlir");
  machine.addFile("/g/labels.npy");
  CollectingSink sink;
  auto golden = findGolden(*machine.files, "/g", {}, sink);
  REQUIRE(succeeded(golden));
  CHECK(golden->model == "/g/payload.mlir");
  std::vector<std::string> names;
  for (const auto &[name, path] : golden->data.inputs)
    names.push_back(name);
  CHECK(names == std::vector<std::string>{"b", "c", "3d", "a"});
  CHECK(golden->data.expected[0].first == "y");
  CHECK(golden->data.labels == "/g/labels.npy");
}

TEST_CASE("a golden of another model is refused", "[cases]") {
  Machine machine;
  machine.addGolden("digits");
  CHECK(succeeded(planFor(makeGraph(), machine).plan));
  bool right = GENERATE(false, true);
  machine.addFile("/golden/digits/provenance.json",
                  R"({"model_sha256": ")" +
                      sha256Hex(right ? "model" : "other") + R"("})");
  Planned planned = planFor(makeGraph(), machine);
  CHECK(succeeded(planned.plan) == right);
  if (!right)
    CHECK(planned.failedWith(DiagKind::PlanGoldenHash)); // plan-golden-hash
}

TEST_CASE("a golden that lacks its files is refused", "[cases]") {
  // plan-bad-case
  Machine machine;
  CHECK(planFor(makeGraph(), machine).failedWith(DiagKind::PlanBadCase));
  machine.addFile("/golden/digits/inputs/x.npy");
  CHECK(planFor(makeGraph(), machine).failedWith(DiagKind::PlanBadCase));
  machine.addFile("/golden/digits/model.onnx");
  CHECK(planFor(makeGraph(), machine).failedWith(DiagKind::PlanBadCase));
  machine.addFile("/golden/digits/outputs/y.npy");
  CHECK(succeeded(planFor(makeGraph(), machine).plan));
  machine.addFile("/golden/digits/provenance.json", "{");
  CHECK(planFor(makeGraph(), machine).failedWith(DiagKind::PlanBadCase));
}

TEST_CASE("every ONNX test folder that matches is a case", "[cases]") {
  Machine machine;
  for (StringRef name : {"test_add", "test_mul"}) {
    std::string folder = ("/corpus/" + name).str();
    machine.addFile(folder + "/model.onnx");
    for (StringRef set : {"10", "2"}) {
      std::string data = (folder + "/test_data_set_" + set).str();
      for (StringRef file : {"/input_10.pb", "/input_2.pb", "/output_0.pb"})
        machine.addFile((data + file).str());
    }
  }
  machine.addFile("/corpus/notes/readme.txt");
  ResolvedGraph graph = makeGraph();
  auto pattern = GENERATE(as<std::string>(), "/corpus", "/corpus/test_*");
  graph.cases[0].source = OnnxTestCase{literal(pattern)};
  CollectingSink sink;
  Selection selection;
  auto cases = expandCases(graph, selection, *machine.files, sink);
  REQUIRE(succeeded(cases));
  REQUIRE(cases->size() == 2);
  CHECK((*cases)[0].name == "digits/test_add");
  REQUIRE((*cases)[0].dataSets.size() == 2);
  CHECK((*cases)[0].dataSets[0].name == "2");
  CHECK((*cases)[0].dataSets[0].inputs[0].second ==
        "/corpus/test_add/test_data_set_2/input_2.pb");
  selection.cases = {"digits/test_m*"};
  cases = expandCases(graph, selection, *machine.files, sink);
  REQUIRE(succeeded(cases));
  CHECK(cases->size() == 1);
}

TEST_CASE("a corpus that matches nothing is refused", "[cases]") {
  Machine machine;
  ResolvedGraph graph = makeGraph();
  graph.cases[0].source = OnnxTestCase{literal("/nowhere/*")};
  CHECK(planFor(graph, machine).failedWith(DiagKind::PlanBadCase));
}

TEST_CASE("a corpus that is not asked for need not exist", "[cases]") {
  Machine machine;
  machine.addFile("/corpus/test_mul/model.onnx");
  machine.addFile("/corpus/test_mul/test_data_set_0/output_0.pb");
  ResolvedGraph graph = makeGraph();
  graph.cases[0].source = OnnxTestCase{literal("/corpus/*")};
  graph.cases.push_back(graph.cases[0]);
  graph.cases[1].name = named("more");
  graph.cases[1].source = OnnxTestCase{literal("/nowhere/*")};
  CollectingSink sink;
  Selection selection;
  CHECK(failed(expandCases(graph, selection, *machine.files, sink)));
  selection.cases = {"digits/*"};
  auto cases = expandCases(graph, selection, *machine.files, sink);
  REQUIRE(succeeded(cases));
  CHECK(cases->size() == 1);
  selection.cases = {"*/test_mul"};
  CHECK(failed(expandCases(graph, selection, *machine.files, sink)));
}

TEST_CASE("an input from the command line replaces the golden's", "[cases]") {
  Machine machine;
  machine.addGolden("digits");
  machine.addFile("/mine.npy");
  Planned planned = planWithInputs(machine, {"x=@/mine.npy"});
  REQUIRE(succeeded(planned.plan));
  CHECK(firstData(planned).inputs[0].second == "/mine.npy");
  CHECK(firstData(planned).expected.empty());
  CHECK(planned.plan->comparisons.empty());
}

TEST_CASE("an input from the command line is generated by its type",
          "[cases]") {
  Machine machine;
  machine.addGolden("digits");
  Planned planned = planWithInputs(machine, {"x=1x8xf32=uniform"});
  REQUIRE(succeeded(planned.plan));
  CHECK(firstData(planned).inputs.empty());
  const GeneratedInput &input = firstData(planned).generate->inputs[0];
  CHECK(input.shape == std::vector<int64_t>{1, 8});
  CHECK(input.dtype == "float32");
  CHECK(input.dist == "uniform");
}

TEST_CASE("a malformed input from the command line is refused", "[cases]") {
  // plan-bad-input
  Machine machine;
  machine.addGolden("digits");
  auto input = GENERATE(as<std::string>(), "x", "=@f", "x=@/nowhere.npy",
                        "x=1x-2xf32", "x=1x2xf33", "x=1xf32=strange");
  CHECK(planWithInputs(machine, {input}).failedWith(DiagKind::PlanBadInput));
}
