// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that a step's result depends on changes its key.
#include "core/cache/CacheKeys.h"

#include "CacheTestSupport.h"

#include <catch2/catch.hpp>

#include <utime.h>

using namespace lh;

namespace {

/// import -> tile (a schedule) -> lower (passes) -> compile -> run.
struct KeyedJob {
  KeyedJob() {
    model = folder.write("model.onnx", "model");
    weights = folder.write("weights.bin", "weights");
    schedule = folder.write("tile.mlir", "schedule");
    library = folder.write("library.mlir", "library");
    check = folder.write("check.mlir", "// CHECK: x");
    context.engine = {{"engine build", "abc"}};
    context.filesOfModel = [this](const std::string &) {
      return std::vector<std::string>{weights};
    };
    context.codeFacts = [this](const TargetSpec &) { return machine; };
    import = addStep(plan, "import",
                     ImportAction{IngressKind::Onnx, model, {}, std::nullopt});
    ScheduleAction action{schedule, "tile", {library}, {}, {}};
    action.parameters.push_back({{"k_unroll", {}}, Value(int64_t(4))});
    tile = addStep(plan, "tile", action, import);
    lower = addStep(plan, "lower", PassesAction{"cse", {}}, tile);
    CompileAction compiled;
    compiled.entry = "main";
    compiled.target.emplace();
    compiled.target->name = "x86";
    compiled.target->triple = "x86_64-linux-gnu";
    compile = addStep(plan, "run", compiled, lower);
    run = addStep(plan, "run", RunAction{"main", {}, 0, {}}, compile);
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> list;
    for (const StepKey &key : keysOf(plan, context))
      list.push_back(key.key);
    return list;
  }

  /// The first step whose key is another after `change`; all after it must
  /// have changed, and all before it not.
  std::string changes(const std::function<void()> &change) {
    std::vector<std::string> before = keys();
    change();
    std::vector<std::string> after = keys();
    std::string first = "nothing";
    for (size_t i = 0; i < compile + 1; ++i) {
      if (before[i] != after[i] && first == "nothing")
        first = plan.steps[i].bubble;
      else if (first != "nothing")
        CHECK(before[i] != after[i]);
    }
    return first;
  }

  template <typename Action> Action &action(StepId step) {
    return std::get<Action>(plan.steps[step].action);
  }

  TestFolder folder;
  std::string model, weights, schedule, library, check;
  std::string machine = "avx512";
  KeyContext context;
  Plan plan;
  StepId import = 0, tile = 0, lower = 0, compile = 0, run = 0;
};

} // namespace

TEST_CASE("nothing changed, no key changes", "[cache]") {
  KeyedJob job;
  CHECK(job.changes([] {}) == "nothing");
}

TEST_CASE("each thing that a step depends on changes its key, and no key "
          "before it",
          "[cache]") {
  KeyedJob job;
  CHECK(job.changes([&] { job.context.engine[0].value = "abd"; }) == "import");
  CHECK(job.changes([&] {
    job.context.engine.push_back({"plugin 'p.so'", "1"});
  }) == "import");
  CHECK(job.changes([&] { job.folder.write("model.onnx", "other model"); }) ==
        "import");
  CHECK(job.changes([&] {
    job.folder.write("weights.bin", "longer weights");
  }) == "import");
  CHECK(job.changes([&] {
    job.action<ImportAction>(job.import).bindShapes.emplace();
  }) == "import");
  CHECK(job.changes([&] { job.folder.write("tile.mlir", "schedulE"); }) ==
        "tile");
  CHECK(job.changes([&] { job.folder.write("library.mlir", "librarY"); }) ==
        "tile");
  CHECK(job.changes([&] {
    job.action<ScheduleAction>(job.tile).entry = "other";
  }) == "tile");
  CHECK(job.changes([&] {
    job.action<ScheduleAction>(job.tile).parameters[0].value =
        Value(int64_t(8));
  }) == "tile");
  CHECK(job.changes([&] {
    job.action<PassesAction>(job.lower).pipeline = "cse,canonicalize";
  }) == "lower");
  CHECK(job.changes([&] {
    job.plan.steps[job.lower].expect.push_back({job.check, "CHECK", {}});
  }) == "lower");
  CHECK(job.changes([&] { job.folder.write("check.mlir", "// CHECK: y"); }) ==
        "lower");
  CHECK(job.changes([&] {
    job.plan.steps[job.lower].leavesOut = {"lh-split-empties"};
  }) == "lower");
  CHECK(job.changes([&] {
    job.plan.steps[job.lower].ensures.emplace();
    job.plan.steps[job.lower].ensures->opsNone = {"linalg.matmul"};
  }) == "lower");
  TargetSpec &target = *job.action<CompileAction>(job.compile).target;
  CHECK(job.changes([&] { target.triple = "aarch64-linux-gnu"; }) == "run");
  CHECK(job.changes([&] { target.cpu = "generic"; }) == "run");
  CHECK(job.changes([&] { target.features = {"sve"}; }) == "run");
  CHECK(job.changes([&] {
    target.facts["threads"] = {Value(int64_t(2)), {}};
  }) == "run");
  CHECK(job.changes([&] { job.machine = "avx2"; }) == "run");
  CHECK(job.changes([&] {
    job.action<CompileAction>(job.compile).entry = "other";
  }) == "run");
  CHECK(job.changes([&] {
    job.action<CompileAction>(job.compile).countsArithmetic = true;
  }) == "run");
}

TEST_CASE("drawn inputs change what an import marks", "[cache]") {
  KeyedJob job;
  CHECK(job.changes([&] {
    job.action<RunAction>(job.run).data.generate.emplace();
  }) == "import");
}

TEST_CASE("where a bubble stands in its file is not in its key", "[cache]") {
  KeyedJob job;
  CHECK(job.changes([&] {
    for (Step &step : job.plan.steps)
      step.declaredAt.line += 7;
    job.action<PassesAction>(job.lower).where = {"job.yaml", 17, 1, 0};
  }) == "nothing");
}

TEST_CASE("a model touched is the same, and one that moves with its manifest",
          "[cache]") {
  KeyedJob job;
  utimbuf time{1000, 1000};
  CHECK(job.changes([&] { utime(job.model.c_str(), &time); }) == "nothing");
  KeyedJob other;
  for (KeyedJob *each : {&job, &other})
    each->context.paths = PortablePaths(each->folder.path, {});
  CHECK(job.keys() == other.keys());
  other.folder.write("weights.bin", "Weights");
  CHECK(job.keys()[job.import] != other.keys()[job.import]);
}

TEST_CASE("the hash of a large file is remembered until it changes, and never "
          "by the paranoid",
          "[cache]") {
  KeyedJob job;
  job.context.hashFolder = job.folder.file("hashes");
  std::string large(1 << 20, 'a');
  utimbuf time{1000, 1000};
  auto write = [&](char first) {
    large[0] = first;
    job.folder.write("weights.bin", large);
    utime(job.weights.c_str(), &time);
  };
  write('a');
  std::string first = job.keys()[job.import];
  // In place, of the same size, time and inode: what nothing else tells apart.
  write('b');
  CHECK(job.keys()[job.import] == first);
  job.context.paranoid = true;
  CHECK(job.keys()[job.import] != first);
  job.context.paranoid = false;
  time.modtime = 2000;
  write('b');
  CHECK(job.keys()[job.import] != first);
}

TEST_CASE("runs, external tools and what follows them have no key", "[cache]") {
  KeyedJob job;
  StepId tool = addStep(job.plan, "tool", CommandAction{{"cat"}}, job.import);
  StepId after = addStep(job.plan, "after", PassesAction{"cse", {}}, tool);
  StepId piped =
      addStep(job.plan, "piped", ImportAction{IngressKind::Mlir, "-", {}, {}});
  std::vector<StepKey> keys = keysOf(job.plan, job.context);
  CHECK(keys[job.run].key.empty());
  CHECK(keys[tool].key.empty());
  CHECK(keys[after].key.empty());
  CHECK(keys[piped].key.empty());
  CHECK(keys[after].place == "import tool after");
}
