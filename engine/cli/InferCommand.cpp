// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run infer`: a contract from modules before and after a bubble.
#include "cli/Command.h"

#include "cli/BubbleTests.h"
#include "cli/SharedOptions.h"
#include "compiler/session/ModelFile.h"
#include "core/graph/FormInference.h"
#include "core/support/FileSystem.h"
#include "insight/report/RecordReader.h"
#include "steps/RunSetup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <set>

using namespace lh;

namespace {
struct InferOptions {
  std::string bubble;
  std::vector<std::string> runs; ///< records with snapshots; none: its test
  ManifestRunOptions run;        ///< of the test
};
} // namespace

static void addInferFlags(CLI::App &command, InferOptions &options) {
  addValue(command, "bubble", "BUBBLE", options.bubble,
           "lib:area/name or a bubble file")
      ->required();
  addValue(command, "--runs", "PATH", options.runs,
           "look at these run records (run --json --snapshots), or folders of "
           "them (default: run the bubble's own test)");
  addValue(command, "--target", "NAME", options.run.graph.target,
           "run the test for this target");
  addJobsFlag(command, options.run);
  addAllowExecFlag(command, options.run.graph.allowExec);
  addLibraryFlags(command, options.run.graph.libraryDirs,
                  options.run.graph.plugins);
}

namespace {

constexpr int nothingSeen = 1;

/// One step, as a run or its record tells it.
struct SeenStep {
  std::string bubble;
  std::optional<StepId> parent;
  bool passed = false;
  std::string snapshot; ///< of the module after it; empty: as before it
};

/// Collects the modules round the steps of one bubble file.
class Observer {
public:
  Observer(std::string file, MlirSession &session, DiagnosticSink &sink)
      : file(std::move(file)), session(session), sink(sink) {}

  /// Looks at the steps of one run of `graph`, parents first.
  LogicalResult look(const ResolvedGraph &graph, ArrayRef<SeenStep> steps) {
    std::set<std::string> names;
    for (const ResolvedBubble &bubble : graph.bubbles)
      if (llvm::is_contained(bubble.files, file))
        names.insert(bubble.name);
    ++runs;
    for (StepId id = 0; id < steps.size(); ++id)
      if (isLast(steps, id, names) && failed(addChain(steps, id, names)))
        return failure();
    return success();
  }

  std::vector<FormObservation> observations;
  size_t runs = 0;

private:
  static bool isOfBubble(const SeenStep &step,
                         const std::set<std::string> &names) {
    return step.passed && names.count(step.bubble) > 0;
  }

  /// Of each chain of the bubble's steps, the last.
  static bool isLast(ArrayRef<SeenStep> steps, StepId id,
                     const std::set<std::string> &names) {
    if (!isOfBubble(steps[id], names))
      return false;
    return llvm::none_of(steps, [&](const SeenStep &step) {
      return step.parent == id && names.count(step.bubble) > 0;
    });
  }

  LogicalResult addChain(ArrayRef<SeenStep> steps, StepId last,
                         const std::set<std::string> &names) {
    std::optional<StepId> before = last;
    while (before && isOfBubble(steps[*before], names))
      before = steps[*before].parent;
    FailureOr<ModuleForm> old = formAfter(steps, before);
    FailureOr<ModuleForm> now = formAfter(steps, last);
    if (failed(old) || failed(now))
      return failure();
    observations.push_back({std::move(*old), std::move(*now)});
    return success();
  }

  FailureOr<ModuleForm> formAfter(ArrayRef<SeenStep> steps,
                                  std::optional<StepId> id) {
    while (id && steps[*id].snapshot.empty())
      id = steps[*id].parent;
    if (!id)
      return sink.error(DiagKind::ReportMissingSnapshot, {},
                        "the run keeps no module from before the bubble; "
                        "record it with --snapshots DIR");
    const std::string &path = steps[*id].snapshot;
    auto [known, isNew] = forms.try_emplace(path);
    if (isNew) {
      FailureOr<ModelFile> read = readModelFile(path, session, sink);
      if (failed(read))
        return failure();
      known->second = std::move(read->form);
    }
    return known->second;
  }

  std::string file;
  MlirSession &session;
  DiagnosticSink &sink;
  std::map<std::string, ModuleForm> forms; ///< by snapshot
};

} // namespace

/// Leaves out of every pipeline what comes after the bubble of this file.
static void endAfter(ResolvedGraph &graph, const std::string &file) {
  auto isOfFile = [&](size_t bubble) {
    return llvm::is_contained(graph.bubbles[bubble].files, file);
  };
  graph.verify.reset();
  for (ResolvedPipeline &pipeline : graph.pipelines)
    while (!pipeline.path.empty() && !isOfFile(pipeline.path.back()))
      pipeline.path.pop_back();
  llvm::erase_if(graph.pipelines, [](const ResolvedPipeline &pipeline) {
    return pipeline.path.empty();
  });
}

/// Runs the bubble's own test as far as the bubble, and looks on.
static LogicalResult lookAtTest(const BubbleTest &test,
                                const InferOptions &options, Observer &observer,
                                SourceStore &sources, DriverEnv &env,
                                DiagnosticSink &sink) {
  GraphOptions graph = options.run.graph;
  graph.manifest = test.manifest;
  ScratchFolder kept;
  if (!kept.isUsable())
    return sink.error(DiagKind::SupportCannotWrite, {},
                      "cannot make a temporary folder; is TMPDIR right?");
  Engine::Options engine;
  engine.runner.module.snapshotFolder = kept.path();
  FailureOr<RunSetup> setup = setUpRun(graph, engine, sources, env, sink);
  if (failed(setup))
    return failure();
  endAfter(setup->graph, test.bubble);
  FailureOr<Plan> plan = setup->plan(selectionOf(graph), env, sink);
  if (failed(plan))
    return failure();
  RunRecord record = setup->runToEnd(*plan, options.run);
  std::vector<SeenStep> steps;
  for (const Step &step : record.plan.steps) {
    const StepOutcome &outcome = record.outcomes[step.id];
    steps.push_back({step.bubble, step.parent,
                     outcome.status == StepStatus::Passed, outcome.snapshot});
  }
  return observer.look(setup->graph, steps);
}

static LogicalResult lookAtRecords(const InferOptions &options,
                                   Observer &observer, SourceStore &sources,
                                   DriverEnv &env, DiagnosticSink &sink) {
  LogicalResult result = success();
  auto look = [&](const SavedRun &run) {
    FailureOr<ResolvedGraph> graph = loadGraph(
        run.file, resolveOptions(options.run.graph, env), sources, sink);
    std::vector<SeenStep> steps;
    for (const SavedStep &step : run.steps)
      steps.push_back({step.bubble, step.parent,
                       step.status == StepStatus::Passed, step.snapshot});
    if (failed(graph) || failed(observer.look(*graph, steps)))
      result = failure();
  };
  for (const std::string &place : options.runs)
    if (failed(readRecords(place, env.files, sink, look)))
      result = failure();
  return result;
}

/// The file that `name` stands for, whether there is one or not.
static std::string bubbleFile(StringRef name, const ResolveOptions &resolve,
                              llvm::vfs::FileSystem &files) {
  if (!name.consume_front("lib:"))
    return absolutePath(name, resolve.workingDirectory);
  std::string relative = name.str();
  if (!name.ends_with(".yaml") && !name.ends_with(".json"))
    relative += ".yaml";
  std::string path;
  for (const std::string &library : resolve.libraryDirs) {
    path = absolutePath(relative, absolutePath("schedules", library));
    if (isFile(files, path))
      break;
  }
  return path;
}

static int runInfer(const InferOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  ResolveOptions resolve = resolveOptions(options.run.graph, env);
  FailureOr<std::unique_ptr<Engine>> engine =
      Engine::create({.plugins = options.run.graph.plugins}, sink);
  if (failed(engine))
    return badUsage;
  Observer observer(bubbleFile(options.bubble, resolve, env.files),
                    (*engine)->session(), sink);
  LogicalResult looked = failure();
  if (!options.runs.empty()) {
    looked = lookAtRecords(options, observer, sources, env, sink);
  } else {
    auto tests = findBubbleTests({options.bubble}, resolve.libraryDirs,
                                 resolve.workingDirectory, env.files, sink);
    if (succeeded(tests))
      looked =
          lookAtTest(tests->front(), options, observer, sources, env, sink);
  }
  if (failed(looked))
    return badUsage;
  if (observer.observations.empty()) {
    env.err << "lh-run: " << options.bubble
            << " did not pass in any of these runs\n";
    return nothingSeen;
  }
  env.out << "# What " << options.bubble << " was seen to do, on "
          << observer.observations.size() << " modules in " << observer.runs
          << (observer.runs == 1 ? " run" : " runs")
          << ":\n# it may take more forms than these.\n"
          << contractYaml(inferContract(observer.observations));
  return 0;
}

CommandRun lh::makeInferCommand(CLI::App &command) {
  return makeCommand(command, addInferFlags, runInfer);
}
