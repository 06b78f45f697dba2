// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run plan`: a way through the bubble library, as a manifest that runs.
#include "cli/Command.h"

#include "cli/PlannedManifest.h"
#include "cli/RunAndReport.h"
#include "cli/SharedOptions.h"
#include "core/graph/BubbleLibrary.h"
#include "core/graph/NamedForms.h"
#include "core/manifest/ManifestParser.h"
#include "core/manifest/Words.h"
#include "core/support/FileSystem.h"
#include "steps/RunSetup.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

namespace {
struct PlanOptions {
  std::string from, to;
  std::string target;   ///< whose facts parameters take, where `to` is a form
  std::string emit;     ///< what to end with instead of running
  bool dynamic = false; ///< `from` is a form whose shapes are not all known
  std::string output = "-";
  bool run = false; ///< the manifest, once it is written
  std::vector<std::string> libraryDirs, plugins;
};
} // namespace

static void addPlanFlags(CLI::App &command, PlanOptions &options) {
  addValue(command, "--from", "FORM|FILE", options.from,
           "a .mlir or .onnx file, on which the path is tried; or a form, for "
           "a manifest with a parameter 'model': onnx, tosa, linalg, loops (on "
           "buffers), vector (on buffers), llvm")
      ->required();
  addValue(command, "--to", "TARGET|FORM", options.to,
           "a target, for code that is run; or a form that is written as MLIR: "
           "linalg, memref, llvm")
      ->required();
  addValue(command, "--target", "NAME", options.target,
           "the target, where --to is a form (default: host)");
  std::vector<std::string> formats(std::begin(wordsOf<EmitFormat>),
                                   std::end(wordsOf<EmitFormat>));
  addValue(command, "--emit", "FORMAT", options.emit,
           "write this instead of running")
      ->check(CLI::IsMember(formats));
  command.add_flag(
      "--dynamic", options.dynamic,
      "the form that --from names has sizes that are known at run time alone");
  CLI::Option *output =
      addValue(command, "-o,--output", "FILE", options.output,
               "where the manifest goes, to whose folder its paths are "
               "relative (default: standard output)");
  command
      .add_flag(
          "--run", options.run,
          "run the manifest once it is written, as lh-run FILE does; needs -o")
      ->needs(output);
  addLibraryFlags(command, options.libraryDirs, options.plugins);
}

namespace {

constexpr int noPath = 1;

/// Where a path begins, and where it is to end.
struct Request {
  TargetSpec target;
  FormFacts from;
  FormDecl goal;
  bool endsInForm = false; ///< rather than with the target's code
  IngressKind ingress = IngressKind::Mlir;
  std::optional<ModelFile> file;
};

class Planner {
public:
  Planner(const PlanOptions &options, DriverEnv &env)
      : options(options), env(env), sources(env.files),
        sink(env.err, sources, sinkOptions(env)) {
    graph.libraryDirs = options.libraryDirs;
    graph.plugins = options.plugins;
    resolve = resolveOptions(graph, env);
  }

  int run() {
    if (failed(readRequest()))
      return badUsage;
    std::vector<PlanNode> library =
        readLibrary(request.target, resolve, sources);
    std::vector<ProvenPath> proven =
        readProvenPaths(request.target, resolve, sources);
    PathSearch search = findPaths(request.from, request.goal, library, proven);
    if (search.paths.empty()) {
      report(search.obstacle);
      return noPath;
    }
    return write(search.paths);
  }

private:
  LogicalResult readRequest() {
    if (failed(readGoal()) || failed(readOrigin()))
      return failure();
    return success();
  }

  LogicalResult readTargetNamed(const std::string &name,
                                DiagnosticSink &reports) {
    FailureOr<TargetSpec> target = namedTarget(name, resolve, sources, reports);
    if (failed(target))
      return failure();
    request.target = std::move(*target);
    return success();
  }

  LogicalResult readGoal() {
    if (std::optional<FormDecl> form = goalForm(options.to)) {
      request.goal = *form;
      request.endsInForm = true;
      return readTargetNamed(options.target, sink);
    }
    CollectingSink noTarget;
    if (failed(readTargetNamed(options.to, noTarget))) {
      for (const Diagnostic &diagnostic : noTarget.diagnostics())
        if (diagnostic.kind != DiagKind::TargetNotFound)
          sink.emit(diagnostic);
      return sink.error(DiagKind::GraphUnknownForm, commandLinePlace(),
                        "--to " + options.to +
                            ": there is no such target, and no such form; "
                            "forms to end in are " +
                            llvm::join(goalFormNames(), ", ") + suggestion());
    }
    request.goal = codeForm();
    return success();
  }

  std::string suggestion() const {
    std::vector<std::string> names;
    for (const std::string &library : resolve.libraryDirs)
      for (const std::string &entry :
           listFolder(env.files, absolutePath("targets", library)))
        names.push_back(llvm::sys::path::stem(entry).str());
    return didYouMean(options.to,
                      std::vector<StringRef>(names.begin(), names.end()));
  }

  LogicalResult readOrigin() {
    StringRef from = options.from;
    bool isFileName = from.ends_with(".mlir") || from.ends_with(".onnx") ||
                      from.ends_with(".mlirbc") || from.contains('/');
    if (isFileName) {
      request.ingress =
          kindOfModel(absolutePath(options.from, workingDirectory()));
      return readOriginFile();
    }
    request.ingress = from == "onnx"        ? IngressKind::Onnx
                      : from == "stablehlo" ? IngressKind::Stablehlo
                                            : IngressKind::Mlir;
    std::optional<FormDecl> form = originForm(from);
    if (!form)
      return sink.error(DiagKind::GraphUnknownForm, commandLinePlace(),
                        "--from " + from +
                            ": this is no file (.mlir, .onnx) and no form; "
                            "forms to begin with are " +
                            llvm::join(originFormNames(), ", ") +
                            didYouMean(from, originFormNames()));
    request.from.add(*form, "'" + from.str() + "' has");
    if (options.dynamic)
      request.from.staticShapes = {
          false, {"'--dynamic' gives", commandLinePlace(), "", false}};
    return success();
  }

  LogicalResult readOriginFile() {
    FailureOr<std::unique_ptr<Engine>> engine =
        Engine::create({.plugins = options.plugins}, sink);
    if (failed(engine))
      return failure();
    FailureOr<ModelFile> file =
        readModelFile(options.from, (*engine)->session(), sink);
    if (failed(file))
      return failure();
    request.from = FormFacts::of(file->form, /*withKernels=*/false);
    request.file = std::move(*file);
    return success();
  }

  void report(const PathObstacle &obstacle) {
    const ClauseState &clause = obstacle.clause;
    std::string reached = obstacle.reached.empty()
                              ? "no bubble fits it"
                              : "the furthest path is '" +
                                    llvm::join(obstacle.reached, " -> ") + "'";
    std::string next = obstacle.next.empty() ? "'" + options.to + "'"
                                             : "'" + obstacle.next + "'";
    std::string by = clause.source.by.empty() ? "there is" : clause.source.by;
    std::string seen =
        clause.seen.empty() ? "nobody says so" : by + " " + clause.seen;
    std::vector<DiagnosticNote> notes;
    if (clause.source.where.isKnown())
      notes.push_back({clause.source.where, "here"});
    (void)sink.error(DiagKind::GraphNoPath, commandLinePlace(),
                     "no path from '" + options.from + "' to '" + options.to +
                         "': " + reached + "; " + next + " then requires " +
                         clause.wanted + ", but " + seen +
                         ", and no bubble of the library changes that",
                     std::move(notes));
  }

  /// The manifest's own folder, which its paths are relative to.
  std::string folder() const {
    std::string here = workingDirectory();
    return options.output == "-" ? here
                                 : folderOf(absolutePath(options.output, here));
  }

  std::string textFor(const PlannedPath &path) const {
    PlannedManifest manifest;
    manifest.from = options.from;
    manifest.to = options.to;
    manifest.target = request.target.name;
    manifest.ingress = request.ingress;
    manifest.emit = options.emit;
    manifest.isOnTensors =
        request.from.boundary.find("tensors").present == Known::Yes;
    if (manifest.emit.empty() && request.endsInForm)
      manifest.emit = "mlir";
    if (request.file) {
      manifest.model =
          displayPath(absolutePath(options.from, workingDirectory()), folder());
      manifest.entry = request.file->entry;
    }
    manifest.path = path;
    return manifestText(manifest);
  }

  /// Compiles by the manifest as far as the code is the target's, and says
  /// what goes wrong; "" if nothing does.
  std::string flawOf(const std::string &text) {
    std::string name = absolutePath("planned.yaml", folder());
    CollectingSink found;
    FailureOr<Manifest> manifest = parseManifest(text, name, found);
    FailureOr<ResolvedGraph> resolved = failure();
    if (succeeded(manifest))
      resolved = lh::resolve(*manifest, resolve, sources, found);
    FailureOr<RunSetup> setup = failure();
    if (succeeded(resolved))
      setup = setUpEngine(graph, {}, found);
    if (failed(setup))
      return firstOf(found);
    setup->graph = std::move(*resolved);
    // All but the run or the emit: the machine may not have the target.
    setup->graph.verify.reset();
    for (ResolvedPipeline &pipeline : setup->graph.pipelines)
      pipeline.path.pop_back();
    FailureOr<Plan> plan = setup->plan({}, env, found);
    if (failed(plan))
      return firstOf(found);
    RunObserver nobody;
    RunRecord record = setup->run(*plan, {}, nobody);
    for (const StepOutcome &outcome : record.outcomes)
      if (outcome.status != StepStatus::Passed)
        return "'" + record.plan.steps[outcome.step].bubble +
               "': " + outcome.reason;
    return "";
  }

  static std::string firstOf(const CollectingSink &found) {
    for (const Diagnostic &diagnostic : found.diagnostics())
      if (diagnostic.severity == Severity::Error)
        return diagnostic.message;
    return "it could not be read";
  }

  /// The best path that compiles, where there is a file to compile.
  int write(ArrayRef<PlannedPath> paths) {
    constexpr size_t mostTried = 4;
    for (const PlannedPath &path : paths.take_front(mostTried)) {
      std::string text = textFor(path);
      std::string flaw = request.file ? flawOf(text) : "";
      if (flaw.empty())
        return writeText(text);
      sink.warning(DiagKind::GraphNoPath, commandLinePlace(),
                   "a path of " + Twine(path.nodes.size()) +
                       " bubbles does not compile '" + options.from +
                       "': " + flaw);
    }
    (void)sink.error(
        DiagKind::GraphNoPath, commandLinePlace(),
        "no path from '" + options.from + "' to '" + options.to +
            "': by contracts there are some, but none compiles it");
    return noPath;
  }

  int writeText(const std::string &text) {
    if (options.output == "-") {
      env.out << text;
      return 0;
    }
    if (failed(writeFileAtomically(options.output, text, {}, sink)))
      return badUsage;
    if (!options.run)
      return 0;
    ManifestRunOptions run;
    run.graph = graph;
    run.graph.manifest = options.output;
    return runAndReport(run, {}, env).first;
  }

  const PlanOptions &options;
  DriverEnv &env;
  SourceStore sources;
  StreamSink sink;
  GraphOptions graph;
  ResolveOptions resolve;
  Request request;
};

} // namespace

static int runPlan(const PlanOptions &options, DriverEnv &env) {
  return Planner(options, env).run();
}

CommandRun lh::makePlanCommand(CLI::App &command) {
  return makeCommand(command, addPlanFlags, runPlan);
}
