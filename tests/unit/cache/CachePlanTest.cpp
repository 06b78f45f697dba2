// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which steps run when others are known.
#include "core/cache/CachePlan.h"

#include "CacheTestSupport.h"
#include "core/cache/CacheNotes.h"
#include "core/cache/CacheRecord.h"
#include "core/support/FileSystem.h"

#include <catch2/catch.hpp>

#include <unistd.h>

using namespace lh;

namespace {

/// import -> fuse -> tile/a -> tile/b -> compile -> run, and fuse -> plain.
struct PlannedJob {
  PlannedJob() {
    model = folder.write("model.mlir", "model");
    import = addStep(plan, "import",
                     ImportAction{IngressKind::Mlir, model, {}, std::nullopt});
    fuse = addStep(plan, "fuse", PassesAction{"fuse", {}}, import);
    tileA = addStep(plan, "tile/a", PassesAction{"a", {}}, fuse);
    tileB = addStep(plan, "tile/b", PassesAction{"b", {}}, tileA);
    CompileAction compiled;
    compiled.target.emplace();
    compiled.entry = "main";
    compile = addStep(plan, "compile", compiled, tileB);
    run = addStep(plan, "run", RunAction{"main", {}, 0, {}}, compile);
    plain = addStep(plan, "plain", PassesAction{"plain", {}}, fuse);
  }

  std::vector<CachedStep> look() {
    return planCache(plan, keysOf(plan, {}), paths, store, sink);
  }

  /// What a run would keep; all modules, or those that are worth it.
  void keep(bool all = false) {
    std::vector<CachedStep> steps = look();
    for (const Step &step : plan.steps) {
      const CachedStep &cached = steps[step.id];
      if (cached.key.key.empty() || cached.decision != CacheDecision::Run)
        continue;
      StepOutcome outcome;
      outcome.step = step.id;
      outcome.status = StepStatus::Passed;
      outcome.changedModule = step.id != unchanged;
      outcome.diagnostics = {{DiagKind::IrPassNeverRan,
                              Severity::Warning,
                              {"job.yaml", 12, 9, 0},
                              "never ran",
                              {}}};
      bool code = step.id == compile;
      store.put(cached.key.key,
                encodeRecord({cached.key, outcome}, step, paths),
                code || all || cached.keepsModule ? step.bubble : "");
    }
  }

  /// "import:Skip fuse:Load ..." without what is skipped.
  std::string doing() {
    std::string text;
    std::vector<CachedStep> steps = look();
    for (const Step &step : plan.steps) {
      CacheDecision decision = steps[step.id].decision;
      if (decision == CacheDecision::Run)
        text += " " + step.bubble;
      if (decision == CacheDecision::Load) {
        text += " (" + step.bubble + ")";
        CHECK(steps[step.id].content->getBuffer() == step.bubble);
      }
    }
    return text;
  }

  std::string fileOf(StepId step) {
    std::string key = keysOf(plan, {})[step].key;
    return folder.file("cache/3/" + key.substr(0, 2) + "/" + key.substr(2));
  }

  TestFolder folder;
  std::string model;
  Plan plan;
  CollectingSink sink;
  StepId import = 0, fuse = 0, tileA = 0, tileB = 0, compile = 0, run = 0,
         plain = 0;
  std::optional<StepId> unchanged;
  PortablePaths paths;
  CacheStore store{folder.file("cache"), 1 << 20};
};

} // namespace

TEST_CASE("of what is known, only the code that runs is loaded", "[cache]") {
  PlannedJob job;
  CHECK(job.doing() == " import fuse tile/a tile/b compile run plain");
  job.keep();
  CHECK(job.doing() == " (compile) run");
}

TEST_CASE("work goes on behind the last bubble that is known", "[cache]") {
  PlannedJob job;
  job.keep();
  std::get<CompileAction>(job.plan.steps[job.compile].action).entry = "other";
  CHECK(job.doing() == " (tile/b) compile run");
  std::get<PassesAction>(job.plan.steps[job.plain].action).pipeline = "other";
  CHECK(job.doing() == " (fuse) (tile/b) compile run plain");
}

TEST_CASE("inside a bubble no module is kept: it begins anew", "[cache]") {
  PlannedJob job;
  job.keep();
  std::get<PassesAction>(job.plan.steps[job.tileB].action).pipeline = "other";
  CHECK(job.doing() == " (fuse) tile/a tile/b compile run");
  CHECK(job.look()[job.tileA].miss == CachedStep::Miss::NotKept);
}

TEST_CASE("within a composite bubble work goes on behind its chains",
          "[cache]") {
  PlannedJob job;
  job.plan.steps[job.fuse].bubble = "fast/fuse/all";
  job.plan.steps[job.tileA].bubble = "fast/tile/a";
  job.plan.steps[job.tileB].bubble = "fast/tile/b";
  job.plan.steps[job.fuse].children = {job.tileA};
  job.keep();
  std::get<PassesAction>(job.plan.steps[job.tileB].action).pipeline = "other";
  CHECK(job.doing() == " (fast/fuse/all) fast/tile/a fast/tile/b compile run");
}

TEST_CASE("behind a bubble that changed nothing stands the module before it",
          "[cache]") {
  PlannedJob job;
  job.unchanged = job.tileB;
  job.keep(/*all=*/true);
  std::get<CompileAction>(job.plan.steps[job.compile].action).entry = "other";
  CHECK(job.doing() == " (tile/a) compile run");
}

TEST_CASE("a damaged entry is told, dropped and made again", "[cache]") {
  PlannedJob job;
  job.keep();
  REQUIRE(truncate(job.fileOf(job.compile).c_str(), 40) == 0);
  CHECK(job.doing() == " (tile/b) compile run");
  REQUIRE(job.sink.diagnostics().size() == 1);
  CHECK(job.sink.diagnostics()[0].kind == DiagKind::ExecCacheDamaged);
  job.keep();
  CHECK(job.doing() == " (compile) run");
  CHECK(job.sink.diagnostics().size() == 1);
}

TEST_CASE("what an entry says must be of its key", "[cache]") {
  PlannedJob job;
  job.keep();
  REQUIRE(rename(job.fileOf(job.plain).c_str(),
                 job.fileOf(job.compile).c_str()) == 0);
  CHECK(job.doing() == " (fuse) (tile/b) compile run plain");
  CHECK(job.sink.diagnostics()[0].kind == DiagKind::ExecCacheDamaged);
}

TEST_CASE("diagnostics move along with their bubble", "[cache]") {
  PlannedJob job;
  job.keep();
  for (Step &step : job.plan.steps) {
    step.declaredAt.line += 5;
    if (auto *passes = std::get_if<PassesAction>(&step.action))
      passes->where = step.declaredAt;
  }
  std::vector<CachedStep> steps = job.look();
  REQUIRE(steps[job.compile].outcome.diagnostics.size() == 1);
  CHECK(steps[job.compile].outcome.diagnostics[0].where.line == 17);
}

TEST_CASE("a note names what has changed", "[cache]") {
  PlannedJob job;
  auto notes = [&] {
    return cacheNotes(job.plan, job.look(), job.paths, job.store,
                      folderOf(job.model));
  };
  CHECK(notes()[job.fuse] == "nothing is kept of these bubbles");
  job.keep();
  std::get<PassesAction>(job.plan.steps[job.tileA].action).pipeline = "other";
  std::vector<std::string> list = notes();
  CHECK(list[job.fuse].empty());
  CHECK(list[job.tileA] == "passes: a -> other");
  CHECK(list[job.tileB] == "follows from 'tile/a'");
  CHECK(list[job.run] == "code is always run");
  job.folder.write("model.mlir", "another");
  CHECK(notes()[job.import] == "file 'model.mlir' changed");
}
