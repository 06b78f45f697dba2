// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps with a backend, as a plan has them.
#include "../TestFolder.h"
#include "BackendTestSupport.h"

#include "core/numerics/Npy.h"
#include "core/numerics/TensorFile.h"
#include "runtime/Backends.h"
#include "steps/EngineStepRunner.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace lh;
using Catch::Matchers::Contains;

namespace {
/// A folder of its own, a session, and a runner over them.
struct Workplace {
  Workplace() {
    EngineRunnerOptions options;
    options.scratchFolder = folder.path;
    runner.emplace(session, backends, std::move(options));
  }

  std::string write(const std::string &name, const std::string &text) {
    return folder.write(name, text);
  }
  std::string write(const std::string &name, const NamedTensor &tensor) {
    CollectingSink sink;
    REQUIRE(succeeded(writeNpy(folder.file(name), tensor.tensor, sink)));
    return folder.file(name);
  }

  StepOutcome run(StepAction action) {
    Step step;
    step.id = nextId++;
    step.bubble = "bubble";
    step.declaredAt = SourceSpan{"m.yaml", 9, 3};
    step.action = std::move(action);
    return runner->run(step);
  }

  /// Import, lower and compile; each must pass.
  void load(const std::string &text) {
    ImportAction import;
    import.kind = IngressKind::Mlir;
    import.path = write("payload.mlir", text);
    CHECK(run(import).reason == "");
    CHECK(run(PassesAction{lowerTensors(), {"m.yaml", 4, 4}}).reason == "");
  }
  void compile() {
    CHECK(run(CompileAction{hostTarget(), "main", {"m.yaml", 5, 5}}).reason ==
          "");
  }

  TestFolder folder;
  MlirSession session;
  BackendRegistry backends = makeBackends(detectHost());
  std::optional<EngineStepRunner> runner;
  StepId nextId = 0;
};
} // namespace

static const char *const twice = R"(
func.func @main(%x: tensor<2xf32> {lh.name = "x"}, %y: tensor<2xf32> {lh.name = "y"})
    -> (tensor<2xf32> {lh.name = "sum/of x"}) {
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.add ins(%x, %y : tensor<2xf32>, tensor<2xf32>)
                  outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
})";

static std::vector<double> readBack(const OutputFile &file) {
  CollectingSink sink;
  FailureOr<Tensor> tensor = readTensorFile(file.path, sink);
  REQUIRE(succeeded(tensor));
  return values(*tensor);
}

static RunAction runAction(DataSet data, unsigned repeat = 0) {
  RunAction action;
  action.entry = "main";
  action.data = std::move(data);
  action.repeat = repeat;
  return action;
}

TEST_CASE("a plan's steps lead from a file to outputs in files", "[steps]") {
  Workplace place;
  place.load(twice);
  place.compile();
  DataSet data;
  data.inputs = {{"y", place.write("y.npy", floats("y", {2}, {10, 20}))},
                 {"x", place.write("x.npy", floats("x", {2}, {1, 2}))}};
  StepOutcome outcome = place.run(runAction(data, 3));
  CHECK(outcome.reason == "");
  CHECK(outcome.status == StepStatus::Passed);
  CHECK(outcome.runSeconds.size() == 3);
  REQUIRE(outcome.outputs.size() == 1);
  CHECK(outcome.outputs[0].name == "sum/of x");
  CHECK(outcome.outputs[0].dtype == "float32");
  CHECK(outcome.outputs[0].path == place.folder.file("3-0-sum_of_x.npy"));
  CHECK(readBack(outcome.outputs[0]) == std::vector<double>{11, 22});
}

TEST_CASE("generated inputs follow their declaration or the signature",
          "[steps]") {
  Workplace place;
  place.load(twice);
  place.compile();
  DataSet data;
  data.generate.emplace();
  data.generate->seed = 7;
  GeneratedInput ones;
  ones.name.value = "x";
  ones.shape = {2};
  ones.dist = "ones";
  data.generate->inputs.push_back(ones);
  StepOutcome first = place.run(runAction(data));
  CHECK(first.reason == "");
  data.inputs = {{"y", place.write("y.npy", floats("y", {2}, {10, 20}))}};
  StepOutcome second = place.run(runAction(data));
  REQUIRE(second.outputs.size() == 1);
  CHECK(readBack(second.outputs[0]) == std::vector<double>{11, 21});
  CHECK(readBack(first.outputs[0]) != readBack(second.outputs[0]));
}

TEST_CASE("inputs that can't be had are all reported", "[steps]") {
  Workplace place;
  place.load(R"(
    func.func @main(%x: tensor<?xf32> {lh.name = "x"}) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    })");
  place.compile();
  StepOutcome none = place.run(runAction({}));
  CHECK(none.status == StepStatus::Failed);
  CHECK(none.reason == "0 inputs are given, 'main' takes 1 (x: float32 ?)");
  DataSet data;
  data.generate.emplace();
  GeneratedInput strange;
  strange.name = {"z", {"m.yaml", 20, 7}};
  data.generate->inputs.push_back(strange);
  StepOutcome generated = place.run(runAction(data));
  REQUIRE(generated.diagnostics.size() == 2);
  CHECK(generated.diagnostics[0].where.line == 20);
  CHECK_THAT(generated.diagnostics[1].message,
             Contains("give it under 'generate: inputs:'"));
}

TEST_CASE("running without compiled code is an error", "[steps]") {
  Workplace place;
  StepOutcome outcome = place.run(runAction({}));
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(kindName(outcome.diagnostics[0].kind) == "backend-nothing-loaded");
  CHECK(outcome.diagnostics[0].where.line == 9);
}

TEST_CASE("compiling without a module is an error", "[steps]") {
  Workplace place;
  StepOutcome outcome = place.run(CompileAction{hostTarget(), "main", {}});
  CHECK_THAT(outcome.reason, Contains("there is no module yet"));
}

TEST_CASE("emitted assembly is written and passes the module on", "[steps]") {
  Workplace place;
  place.load(twice);
  std::string path = place.folder.file("out/code.s");
  CHECK(
      place.run(EmitAction{EmitFormat::Assembly, path, hostTarget()}).reason ==
      "");
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  CHECK_THAT(text.str(), Contains("_mlir_ciface_main"));
  place.compile();
}

TEST_CASE("formats are checked before anything runs", "[steps]") {
  Workplace place;
  Step step;
  step.declaredAt = SourceSpan{"m.yaml", 9, 3};
  CollectingSink sink;
  step.action = EmitAction{EmitFormat::Cubin, "a.cubin", hostTarget()};
  CHECK(failed(place.runner->prepare(step, sink)));
  step.action = EmitAction{EmitFormat::Assembly, "a.s", std::nullopt};
  CHECK(failed(place.runner->prepare(step, sink)));
  TargetSpec gpu = hostTarget();
  gpu.backend = "gpu";
  step.action = CompileAction{gpu, "main", {}};
  CHECK(failed(place.runner->prepare(step, sink)));
  REQUIRE(sink.diagnostics().size() == 3);
  CHECK_THAT(sink.diagnostics()[0].message, Contains("device code of a GPU"));
  CHECK_THAT(sink.diagnostics()[1].message, Contains("needs a target"));
  CHECK_THAT(sink.diagnostics()[2].message, Contains("no backend 'gpu'"));
}

TEST_CASE("restoring forgets the code that was loaded since", "[steps]") {
  Workplace place;
  place.load(twice);
  auto saved = place.runner->save();
  place.compile();
  place.runner->restore(*saved);
  CHECK(place.run(runAction({})).status == StepStatus::Failed);
  place.compile();
  DataSet data;
  data.generate.emplace();
  CHECK(place.run(runAction(data)).status == StepStatus::Passed);
}

/// The outputs of `twice` on a generated data set of this kind.
static StepOutcome runSet(Workplace &place, InputSet set,
                          std::vector<GeneratedInput> inputs = {}) {
  DataSet data;
  data.generate.emplace();
  data.generate->inputs = std::move(inputs);
  data.set = set;
  return place.run(runAction(std::move(data)));
}

static std::string exactTwice() {
  std::string text = twice;
  for (size_t at; (at = text.find("{lh.name = \"x\"")) != std::string::npos ||
                  (at = text.find("{lh.name = \"y\"")) != std::string::npos;)
    text.replace(at, 1, "{lh.exact = 3 : i64, ");
  return text;
}

TEST_CASE("the exact set draws the integers that the module allows",
          "[steps]") {
  Workplace place;
  place.load(exactTwice());
  place.compile();
  StepOutcome outcome = runSet(place, InputSet::Exact);
  CHECK(outcome.status == StepStatus::Passed);
  REQUIRE(outcome.outputs.size() == 1);
  for (double sum : readBack(outcome.outputs[0])) {
    CHECK(sum == std::floor(sum));
    CHECK(std::fabs(sum) <= 6);
  }
  // A declared range narrows it, when it holds integers.
  GeneratedInput two{{"x", {}}, {2}, "", "uniform", {{1.5, 2.5}}};
  GeneratedInput one{{"y", {}}, {2}, "", "ones"};
  outcome = runSet(place, InputSet::Exact, {two, one});
  REQUIRE(outcome.outputs.size() == 1);
  CHECK(readBack(outcome.outputs[0]) == std::vector<double>{3, 3});
}

TEST_CASE("a set without meaning is not applicable", "[steps]") {
  Workplace place;
  place.load(twice);
  place.compile();
  StepOutcome outcome = runSet(place, InputSet::Exact);
  CHECK(outcome.status == StepStatus::NotApplicable);
  CHECK(outcome.outputs.empty());
  CHECK(outcome.reason ==
        "it is not known which integers are exact for input 'x'");
  GeneratedInput x{{"x", {}}, {2}, "", "uniform", {{-1, 1}}};
  GeneratedInput y{{"y", {}}, {2}, "", "zeros"};
  CHECK(runSet(place, InputSet::Specials, {x}).status == StepStatus::Passed);
  outcome = runSet(place, InputSet::Specials, {x, y});
  CHECK(outcome.status == StepStatus::NotApplicable);
  CHECK_THAT(outcome.reason, Contains("no input takes special numbers"));
  Workplace marked;
  marked.load("module attributes {lh.inexact = \"it rounds\", lh.undefined = "
              "\"it traps\"} {" +
              std::string(twice) + "}");
  marked.compile();
  CHECK(runSet(marked, InputSet::Exact).reason ==
        "no range of integers is exact: it rounds");
  CHECK(runSet(marked, InputSet::Specials).reason == "it traps");
}

TEST_CASE("large tensors are drawn again on demand only", "[steps]") {
  std::string text = twice;
  for (size_t at; (at = text.find("tensor<2xf32>")) != std::string::npos;)
    text.replace(at, 13, "tensor<40000xf32>");
  Workplace place;
  place.load(text);
  place.compile();
  DataSet data;
  data.generate.emplace();
  CHECK(place.run(runAction(data)).status == StepStatus::Passed);
  data.draw = 1;
  StepOutcome outcome = place.run(runAction(data));
  CHECK(outcome.status == StepStatus::NotApplicable);
  CHECK_THAT(outcome.reason, Contains("drawn once, unless 'draws'"));
  data.generate->draws = 2;
  CHECK(place.run(runAction(data)).status == StepStatus::Passed);
  Workplace small;
  small.load(twice);
  small.compile();
  data.generate->draws.reset();
  CHECK(small.run(runAction(data)).status == StepStatus::Passed);
}
