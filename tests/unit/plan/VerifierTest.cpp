// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts follow from what ran and what it is compared with.
#include "core/plan/Verifier.h"
#include "../TestFolder.h"
#include "core/numerics/Npy.h"
#include "core/plan/Classification.h"
#include "core/plan/FirstRuns.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace lh;

namespace {

/// import -> run, one result, with tensors in files.
class VerifiedRun {
public:
  VerifiedRun() {
    plan.steps.resize(2);
    plan.steps[0].bubble = "import";
    plan.steps[0].children = {1};
    plan.steps[1].id = 1;
    plan.steps[1].bubble = "run";
    plan.steps[1].parent = 0;
    plan.steps[1].action = RunAction();
    plan.results.resize(1);
    plan.results[0].leaf = 1;
    outcomes.resize(2);
    outcomes[0].status = outcomes[1].status = StepStatus::Passed;
  }

  std::string write(const std::string &name, std::vector<int64_t> shape,
                    const std::vector<double> &values,
                    DType dtype = DType::Float32) {
    Tensor tensor(dtype, std::move(shape));
    for (size_t i = 0; i < values.size(); ++i)
      tensor.set(static_cast<int64_t>(i), values[i]);
    CollectingSink sink;
    std::string path = folder.file(name + ".npy");
    REQUIRE(succeeded(writeNpy(path, tensor, sink)));
    return path;
  }
  void produce(const std::string &name, const std::string &path) {
    outcomes[1].outputs.push_back({name, path, "float32"});
  }
  void expect(const std::string &name, const std::string &path) {
    data().expected.emplace_back(name, path);
    if (plan.comparisons.empty()) {
      plan.comparisons.emplace_back();
      plan.comparisons[0].against = "golden";
    }
  }
  DataSet &data() { return std::get<RunAction>(plan.steps[1].action).data; }
  ResultRecord verdict() { return Verifier(plan).verify(0, outcomes); }

  TestFolder folder;
  Plan plan;
  std::vector<StepOutcome> outcomes;
};

} // namespace

TEST_CASE_METHOD(VerifiedRun, "equal outputs pass, by name", "[verify]") {
  std::string one = write("one", {2}, {1, 2}), two = write("two", {2}, {3, 4});
  produce("a/b", one);
  produce("c", two);
  expect("c", two);
  expect("a_b", one);
  ResultRecord record = verdict();
  CHECK(record.status == ResultStatus::Passed);
  CHECK(record.comparisons.size() == 2);
}

TEST_CASE_METHOD(
    VerifiedRun,
    "what 'except' names isn't compared, and never the only output",
    "[verify]") {
  produce("mask", write("one", {2}, {1, 2}));
  expect("mask", write("two", {2}, {7, 8}));
  plan.verify.emplace();
  plan.verify->against = {{"golden", {}}};
  plan.verify->except = {{"mask", {}}};
  ResultRecord alone = verdict();
  CHECK(alone.status == ResultStatus::Unverified);
  CHECK_THAT(alone.reason, Catch::Contains("leaves no output"));
  produce("y", write("three", {2}, {3, 4}));
  expect("y", write("four", {2}, {3, 4}));
  CHECK(verdict().status == ResultStatus::Passed);
  CHECK(verdict().comparisons.size() == 1);
}

TEST_CASE_METHOD(VerifiedRun,
                 "names that file names can't tell apart stay apart",
                 "[verify]") {
  std::string one = write("one", {2}, {1, 2}), two = write("two", {2}, {3, 4});
  produce("a/b", one);
  produce("a_b", two);
  SECTION("as record calls them now") {
    expect("a_b", one);
    expect("a_b-2", two);
  }
  SECTION("as it called them before") {
    expect("a_b", one);
    expect("a_b", two);
  }
  CHECK(verdict().status == ResultStatus::Passed);
}

TEST_CASE_METHOD(VerifiedRun, "nameless references go by position",
                 "[verify]") {
  produce("y", write("one", {2}, {1, 2}));
  expect("", write("two", {2}, {1, 2}));
  CHECK(verdict().status == ResultStatus::Passed);
}

TEST_CASE_METHOD(VerifiedRun, "different numbers fail and say by how much",
                 "[verify]") {
  produce("y", write("one", {2}, {1, 2}));
  expect("y", write("two", {2}, {1, 3}));
  ResultRecord record = verdict();
  CHECK(record.status == ResultStatus::Failed);
  CHECK_THAT(record.reason,
             Catch::Contains("output 'y' against golden: 1 of 2 elements"));
}

TEST_CASE_METHOD(VerifiedRun, "a missing, extra or misnamed output fails",
                 "[verify]") {
  std::string one = write("one", {1}, {1});
  SECTION("missing") {
    produce("y", one);
    expect("y", one);
    expect("z", one);
  }
  SECTION("extra") {
    produce("y", one);
    produce("z", one);
    expect("y", one);
  }
  SECTION("misnamed") {
    produce("y", one);
    expect("z", one);
  }
  SECTION("no file") {
    produce("y", folder.file("nothing.npy"));
    expect("y", one);
  }
  CHECK(verdict().status == ResultStatus::Failed);
}

TEST_CASE_METHOD(VerifiedRun, "a golden of another type fails", "[verify]") {
  Tensor integers(DType::Int64, {1});
  integers.set(0, 1);
  CollectingSink sink;
  REQUIRE(succeeded(writeNpy(folder.file("integers.npy"), integers, sink)));
  produce("y", write("one", {1}, {1}));
  expect("y", folder.file("integers.npy"));
  ResultRecord record = verdict();
  CHECK(record.status == ResultStatus::Failed);
  CHECK_THAT(record.reason, Catch::Contains("type float32") &&
                                Catch::Contains("integers.npy' has int64"));
}

TEST_CASE_METHOD(VerifiedRun, "with nothing to compare a run is unverified",
                 "[verify]") {
  produce("y", write("one", {1}, {1}));
  CHECK(verdict().status == ResultStatus::Unverified);
}

TEST_CASE_METHOD(VerifiedRun,
                 "what is unverified fails the run, at the line that "
                 "runs it or says what it is compared with",
                 "[verify]") {
  produce("y", write("one", {1}, {1}));
  plan.steps[1].declaredAt = {"m.yaml", 7, 3, 1};
  ResultRecord record = verdict();
  CHECK(record.failsRun());
  REQUIRE(record.diagnostics.size() == 1);
  CHECK(record.diagnostics[0].kind == DiagKind::PlanUnverified);
  CHECK(record.diagnostics[0].where.line == 7);
  plan.verify.emplace();
  plan.verify->against.push_back({"golden", {}});
  plan.verify->where = {"m.yaml", 20, 9, 1};
  record = verdict();
  CHECK(record.failsRun());
  REQUIRE(record.diagnostics.size() == 1);
  CHECK(record.diagnostics[0].where.line == 20);
}

TEST_CASE_METHOD(VerifiedRun, "'verify: none' lets a result stay unverified",
                 "[verify]") {
  produce("y", write("one", {1}, {1}));
  plan.verify.emplace();
  ResultRecord record = verdict();
  CHECK(record.status == ResultStatus::Unverified);
  CHECK_FALSE(record.failsRun());
  CHECK(record.diagnostics.empty());
}

TEST_CASE_METHOD(VerifiedRun,
                 "what others are compared with may stay unverified",
                 "[verify]") {
  produce("y", write("one", {1}, {1}));
  plan.results.emplace_back();
  plan.results[1].leaf = 2;
  plan.comparisons.emplace_back();
  plan.comparisons[0].result = 1;
  plan.comparisons[0].against = "plain";
  plan.comparisons[0].referenceLeaf = 1;
  ResultRecord record = verdict();
  CHECK(record.status == ResultStatus::Unverified);
  CHECK_FALSE(record.failsRun());
}

TEST_CASE_METHOD(VerifiedRun, "a tolerance that lets zeros pass checks nothing",
                 "[verify]") {
  produce("y", write("one", {1}, {1}));
  expect("y", write("two", {1}, {1}));
  plan.comparisons[0].tolerance.atol = MergedBound<double>{double(2), "", {}};
  CHECK(verdict().status == ResultStatus::Unverified);
}

TEST_CASE_METHOD(VerifiedRun,
                 "a path that ends in an emit is emitted, which is "
                 "no pass",
                 "[verify]") {
  plan.steps[1].action = EmitAction();
  CHECK(verdict().status == ResultStatus::Emitted);
  plan.steps[1].action = PassesAction();
  CHECK(verdict().status == ResultStatus::Passed);
}

TEST_CASE_METHOD(VerifiedRun, "a failed step fails the result under its name",
                 "[verify]") {
  outcomes[0].status = StepStatus::Crashed;
  outcomes[0].reason = "crashed with SIGSEGV";
  outcomes[1].status = StepStatus::NotRun;
  ResultRecord record = verdict();
  CHECK(record.status == ResultStatus::Failed);
  CHECK(record.reason == "bubble 'import': crashed with SIGSEGV");
}

TEST_CASE_METHOD(VerifiedRun, "what code leaves unwritten fails it on all data",
                 "[verify]") {
  // Step 1 is the first run on the code of step 0; the result's is step 2.
  produce("y", write("one", {1}, {1}));
  expect("y", write("same", {1}, {1}));
  plan.steps.push_back(plan.steps[1]);
  plan.steps[2].id = 2;
  plan.results[0].leaf = 2;
  outcomes.push_back(outcomes[1]);
  CHECK(Verifier(plan).neededLeaves(0) == std::vector<StepId>{2, 1});
  CHECK(verdict().status == ResultStatus::Passed);
  outcomes[1].status = StepStatus::Failed;
  outcomes[1].reason = "output 'y' is unwritten";
  outcomes[1].diagnostics.push_back(
      {DiagKind::BackendUnwritten, Severity::Error, {}, "", {}});
  CHECK(verdict().status == ResultStatus::Failed);
  CHECK(verdict().reason ==
        "the same code on other data, bubble 'run': output 'y' is unwritten");
}

TEST_CASE("the first run on code is the first that has meaning for it",
          "[verify]") {
  std::vector<Step> steps(5);
  for (StepId id = 0; id < 5; ++id)
    steps[id].id = id;
  auto run = [&](StepId id, std::optional<GenerateCase> generate, InputSet set,
                 unsigned draw) {
    RunAction action;
    action.data.generate = std::move(generate);
    action.data.set = set;
    action.data.draw = draw;
    steps[id].action = action;
    steps[id].parent = 0;
  };
  run(1, GenerateCase(), InputSet::Exact, 0);
  run(2, GenerateCase(), InputSet::Drawn, 1);
  run(3, GenerateCase(), InputSet::Drawn, 0);
  run(4, std::nullopt, InputSet::Drawn, 0);
  CHECK(findFirstRuns(steps) ==
        std::map<StepId, std::vector<StepId>>{{0, {1, 2, 3}}});
  CHECK(findFirstRuns(ArrayRef<Step>(steps).drop_front(4)) ==
        std::map<StepId, std::vector<StepId>>{{0, {4}}});
}

TEST_CASE_METHOD(VerifiedRun, "a reference that failed fails the result",
                 "[verify]") {
  produce("y", write("one", {1}, {1}));
  plan.steps.emplace_back();
  plan.steps[2].id = 2;
  plan.steps[2].bubble = "oracle/run";
  plan.steps[2].action = RunAction();
  outcomes.emplace_back();
  plan.comparisons.emplace_back();
  plan.comparisons[0].against = "oracle";
  plan.comparisons[0].referenceLeaf = 2;
  CHECK(Verifier(plan).neededLeaves(0) == std::vector<StepId>{1, 2});
  CHECK(verdict().status == ResultStatus::Skipped);
  outcomes[2].status = StepStatus::Failed;
  CHECK(verdict().status == ResultStatus::Failed);
  // A failed reference ends the run before the result's own last step.
  outcomes[1].status = StepStatus::NotRun;
  CHECK(verdict().status == ResultStatus::Failed);
  CHECK(verdict().reason.find("cannot be compared with oracle") == 0);
  outcomes[1].status = StepStatus::Passed;
  outcomes[2].status = StepStatus::NotApplicable;
  outcomes[2].reason = "too large";
  CHECK(verdict().status == ResultStatus::NotApplicable);
  CHECK(verdict().reason == "too large");
  outcomes[2].status = StepStatus::Passed;
  outcomes[2].outputs = outcomes[1].outputs;
  CHECK(verdict().status == ResultStatus::Passed);
}

TEST_CASE_METHOD(VerifiedRun, "labels count the rows classified rightly",
                 "[verify]") {
  std::string scores = write("s", {3, 2}, {0, 1, 1, 0, 0, 1});
  produce("y", scores);
  expect("y", scores);
  data().labels = write("l", {3}, {1, 0, 0});
  auto rightly = verdict().classifiedRightly;
  REQUIRE(rightly);
  CHECK(rightly->rightly == 2);
  CHECK(rightly->of == 3);
  data().labels = write("l", {2}, {1, 0});
  CHECK(verdict().status == ResultStatus::Failed);
}

TEST_CASE_METHOD(VerifiedRun, "too few rows classified rightly fail the result",
                 "[verify]") {
  // Four rows, all of class 1.
  std::vector<double> scores = {5, 6, 5, 6, 5, 6, 5, 6};
  produce("y", write("s", {4, 2}, scores));
  plan.verify.emplace();
  plan.verify->against.push_back({"golden", {}});
  plan.verify->where = {"m.yaml", 20, 9, 1};
  SECTION("fewer than the expected outputs") {
    expect("y", write("e", {4, 2}, {5, 6, 5, 6, 5, 6, 6, 5.5}));
    plan.comparisons[0].tolerance.atol = MergedBound<double>{1.25, "", {}};
    data().labels = write("l", {4}, {1, 1, 1, 0});
    CHECK_THAT(verdict().reason, Catch::Contains("3 of 4") &&
                                     Catch::Contains("at least 4 must be"));
  }
  SECTION("as many as the expected outputs, and less than half") {
    expect("y", write("e", {4, 2}, scores));
    data().labels = write("l", {4}, {1, 0, 0, 0});
    ResultRecord record = verdict();
    CHECK(record.status == ResultStatus::Failed);
    CHECK_THAT(record.reason, Catch::Contains("1 of 4") &&
                                  Catch::Contains("at least 2 must be"));
    REQUIRE(record.diagnostics.size() == 1);
    CHECK(record.diagnostics[0].kind == DiagKind::PlanMissedLabels);
    CHECK(record.diagnostics[0].where.line == 20);
  }
  SECTION("a share that is asked for") {
    expect("y", write("e", {4, 2}, scores));
    data().labels = write("l", {4}, {1, 1, 1, 0});
    CHECK(verdict().status == ResultStatus::Passed);
    plan.verify->labelsAtLeast = {0.8, {"m.yaml", 21, 9, 1}};
    ResultRecord record = verdict();
    CHECK(record.status == ResultStatus::Failed);
    REQUIRE(record.diagnostics.size() == 1);
    CHECK(record.diagnostics[0].where.line == 21);
    plan.verify->labelsAtLeast = {0.25, {}};
    data().labels = write("l", {4}, {1, 0, 0, 0});
    CHECK(verdict().status == ResultStatus::Passed);
  }
  SECTION("with 'verify: none' they are counted alone") {
    plan.verify->against.clear();
    data().labels = write("l", {4}, {0, 0, 0, 0});
    CHECK(verdict().status == ResultStatus::Unverified);
    CHECK(verdict().classifiedRightly->rightly == 0);
  }
}

TEST_CASE("without a share as many rows as are expected must be right, and "
          "half of all",
          "[verify]") {
  CHECK(labelRule(std::nullopt, 128, 120).least == 120);
  CHECK(labelRule(std::nullopt, 128, 11).least == 64);
  CHECK(labelRule(std::nullopt, 3, std::nullopt).least == 2);
  CHECK(labelRule(Located<double>{0.9, {}}, 128, 11).least == 116);
  CHECK(labelRule(Located<double>{0.0, {}}, 128, 128).least == 0);
}

TEST_CASE_METHOD(VerifiedRun, "data that means nothing here is not applicable",
                 "[verify]") {
  outcomes[1].status = StepStatus::NotApplicable;
  outcomes[1].reason = "'math.exp' may round";
  CHECK(verdict().status == ResultStatus::NotApplicable);
  CHECK(verdict().reason == "'math.exp' may round");
}

TEST_CASE_METHOD(VerifiedRun, "specials may leave nothing to judge",
                 "[verify]") {
  produce("y", write("one", {2}, {1, 2}));
  plan.steps.emplace_back();
  plan.steps[2].id = 2;
  plan.steps[2].action = RunAction();
  outcomes.emplace_back();
  outcomes[2].status = StepStatus::Passed;
  outcomes[2].outputs = outcomes[1].outputs;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::string bounds =
      write("bounds", {2}, {infinity, infinity}, DType::Float64);
  outcomes[2].outputs.push_back({"y#bound", bounds, "float64"});
  plan.comparisons.emplace_back();
  plan.comparisons[0].against = "oracle";
  plan.comparisons[0].referenceLeaf = 2;
  plan.comparisons[0].mode = OracleMode::Auto;
  CHECK(verdict().status == ResultStatus::Unverified);
  data().set = InputSet::Specials;
  CHECK(verdict().status == ResultStatus::NotApplicable);
  CHECK_THAT(verdict().reason,
             Catch::Contains("no element has a finite bound"));
}
