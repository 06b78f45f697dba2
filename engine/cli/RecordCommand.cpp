// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run record`: makes or refreshes the expected outputs of a golden case.
#include "cli/Command.h"

#include "cli/ExitCodes.h"
#include "cli/RecordReport.h"
#include "cli/SharedOptions.h"
#include "core/exec/Executor.h"
#include "core/numerics/TensorFile.h"
#include "core/plan/Cases.h"
#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"
#include "core/support/Version.h"
#include "steps/RunSetup.h"

#include "llvm/ADT/STLExtras.h"

#include <CLI/CLI.hpp>

#include <set>

using namespace lh;

namespace {
struct RecordOptions {
  GraphOptions graph; ///< a target given: into its override folder
  std::string dtype;  ///< likewise: outputs of this element type alone
  std::string against = "oracle";
  std::string outDir; ///< the new golden folder of a generated case
  bool acceptRegression = false;
  bool replaceProducer = false; ///< of outputs that lh-run didn't record
};
} // namespace

static void addRecordFlags(CLI::App &command, RecordOptions &options) {
  addGraphFlags(command, options.graph);
  command
      .add_option("--against", options.against,
                  "measure the errors of old and new outputs against this "
                  "pipeline, or against the oracle (default: oracle)")
      ->type_name("NAME");
  command
      .add_option("--dtype", options.dtype,
                  "of a golden, record only the outputs of this element type, "
                  "into the override folder of that name; with --target, into "
                  "TARGET/TYPE")
      ->type_name("TYPE");
  command
      .add_option("--out", options.outDir,
                  "the folder to make of a generated case")
      ->type_name("DIR");
  command.add_flag("--accept-regression", options.acceptRegression,
                   "record outputs that are worse than the old ones too");
  command.add_flag("--replace-producer", options.replaceProducer,
                   "record over outputs that another program made, as their "
                   "provenance.json says");
}

constexpr StringRef ownProducer = "lh-run record";

namespace {

/// One recording. Its functions go in the order in which they are called.
class Recording {
public:
  Recording(const RecordOptions &options, RunSetup &setup, DriverEnv &env,
            DiagnosticSink &sink)
      : options(options), setup(setup), graph(setup.graph), env(env),
        sink(sink) {}

  LogicalResult findCase();
  LogicalResult findSource();
  LogicalResult makePlan();
  LogicalResult run();
  /// Refuses to write over what another program made, unless asked to.
  LogicalResult checkProducer();
  LogicalResult collectOutputs();
  /// Prints the errors; false when something got worse.
  bool isAcceptable();
  LogicalResult write();

private:
  LogicalResult refuse(const Twine &message) {
    return sink.error(DiagKind::DriverNotRecorded, where, message);
  }
  LogicalResult findPlace();
  std::optional<StepId> leafOf(StringRef reference) const;
  std::optional<StepId> firstFailure(StepId leaf) const;
  LogicalResult requirePassed(StepId leaf, StringRef what);
  FailureOr<Tensor> loadOutput(StepId leaf, StringRef name);
  std::optional<Tensor> loadOld(StringRef file) const;
  FailureOr<DType> typeOf(StringRef name, const std::optional<Tensor> &old);
  LogicalResult addInputs(FolderChanges &changes);
  LogicalResult addModel(FolderChanges &changes);
  LogicalResult describe(FolderChanges &changes);
  std::optional<Provenance> sidecarAt(StringRef path) const;
  void startProvenance();
  bool dropUnchanged(FolderChanges &changes) const;

  const RecordOptions &options;
  RunSetup &setup;
  ResolvedGraph &graph;
  DriverEnv &env;
  DiagnosticSink &sink;

  SourceSpan where; ///< the case
  const GenerateCase *generated = nullptr;
  std::string source;   ///< "oracle" or the pipeline whose results are kept
  std::string pipeline; ///< that one, or the one that tells the types
  Plan plan;
  PlannedResult result;
  const DataSet *data = nullptr;
  std::string folder, model;
  RecordPlace place;
  RunRecord record;
  std::vector<RecordedOutput> outputs;
  Provenance provenance;
};

} // namespace

LogicalResult Recording::findCase() {
  const CaseDecl *found = nullptr;
  for (const CaseDecl &decl : graph.cases)
    if (options.graph.cases.size() == 1 &&
        decl.name.value == options.graph.cases[0])
      found = &decl;
  if (!found)
    return refuse("name one case of the manifest with --case");
  where = found->name.where;
  if (std::holds_alternative<OnnxTestCase>(found->source))
    return refuse("case '" + found->name.value +
                  "' is an ONNX backend test; 'golden:' and 'generate:' cases "
                  "can be recorded");
  generated = std::get_if<GenerateCase>(&found->source);
  if (!generated && !options.outDir.empty())
    return refuse("case '" + found->name.value +
                  "' is a golden already and recorded in its own folder; "
                  "--out is for generated cases");
  if (!generated)
    return findPlace();
  if (!options.dtype.empty())
    return refuse("case '" + found->name.value +
                  "' is generated; --dtype is for overrides in a golden");
  if (options.outDir.empty())
    return refuse("case '" + found->name.value +
                  "' is generated; say with --out which folder to make of it");
  folder = absolutePath(options.outDir, workingDirectory());
  if (env.files.exists(folder))
    return refuse("'" + options.outDir +
                  "' exists; a generated case is recorded in a new folder");
  return success();
}

/// Of a golden: its own outputs or an override.
LogicalResult Recording::findPlace() {
  std::optional<DType> dtype = parseDType(options.dtype);
  if (!options.dtype.empty() && (!dtype || dtypeName(*dtype) != options.dtype))
    return refuse("--dtype '" + options.dtype +
                  "' is no element type such as float16");
  place = {options.graph.target, options.dtype};
  return success();
}

LogicalResult Recording::findSource() {
  const std::vector<std::string> &asked = options.graph.pipelines;
  if (asked.size() > 1)
    return refuse("one --pipeline at most can be recorded");
  source = asked.empty() ? "oracle" : asked[0];
  for (const ResolvedPipeline &candidate : graph.pipelines) {
    bool runs = std::holds_alternative<ExecuteDecl>(
        graph.bubbles[candidate.path.back()].action);
    bool wanted = asked.empty() ? candidate.name != options.against
                                : candidate.name == asked[0];
    if (runs && wanted && pipeline.empty())
      pipeline = candidate.name;
  }
  if (pipeline.empty())
    return refuse(asked.empty() ? Twine("no pipeline ends in 'execute'")
                                : "there is no pipeline '" + asked[0] +
                                      "' that ends in 'execute'");
  bool known = options.against == "oracle" ||
               llvm::any_of(graph.pipelines, [&](const auto &candidate) {
                 return candidate.name == options.against;
               });
  if (!known || (options.against == source && source != "oracle"))
    return refuse("--against '" + options.against +
                  "' is neither 'oracle' nor another pipeline");
  return success();
}

LogicalResult Recording::makePlan() {
  VerifyDecl verify;
  std::set<std::string> references = {options.against};
  if (source == "oracle")
    references.insert(source);
  for (const std::string &reference : references)
    verify.against.push_back({reference, where});
  graph.verify = verify;
  for (ResolvedBubble &bubble : graph.bubbles)
    if (auto *execute = std::get_if<ExecuteDecl>(&bubble.action))
      execute->repeat = 0; // nothing is timed
  Selection selection = selectionOf(options.graph);
  selection.pipelines = {pipeline};
  selection.recordsGoldens = true;
  selection.oracle = OracleMode::Tolerance;
  auto cases = expandCases(graph, selection, env.files, sink);
  if (failed(cases))
    return failure();
  model = std::get<std::string>(cases->front().values["model"]);
  if (!generated)
    folder = folderOf(model);
  FailureOr<Plan> made = setup.plan(selection, env, sink);
  if (failed(made))
    return failure();
  plan = std::move(*made);
  result = plan.results.front();
  if (!result.skipped.empty() || !result.notApplicable.empty())
    return refuse("pipeline '" + pipeline + "' can't run: " + result.skipped +
                  result.notApplicable);
  data = &std::get<RunAction>(plan.steps[result.leaf].action).data;
  return success();
}

LogicalResult Recording::run() {
  ExecOptions exec;
  exec.keepGoing = true;
  exec.scratchFolder = setup.scratch->path();
  setup.engine->session().loadAll();
  RunObserver silent;
  record = execute(plan, setup.engine->runner(), exec, silent);
  return failure(record.interrupted);
}

std::optional<StepId> Recording::leafOf(StringRef reference) const {
  if (reference == pipeline)
    return result.leaf;
  for (const PlannedComparison &comparison : plan.comparisons)
    if (comparison.result == 0 && comparison.against == reference)
      return comparison.referenceLeaf;
  return std::nullopt;
}

std::optional<StepId> Recording::firstFailure(StepId leaf) const {
  for (StepId step : plan.pathTo(leaf))
    if (record.outcomes[step].status != StepStatus::Passed)
      return step;
  return std::nullopt;
}

LogicalResult Recording::requirePassed(StepId leaf, StringRef what) {
  std::optional<StepId> failed = firstFailure(leaf);
  if (!failed)
    return success();
  const StepOutcome &outcome = record.outcomes[*failed];
  for (const Diagnostic &diagnostic : outcome.diagnostics)
    sink.emit(diagnostic);
  return refuse(what + " gives no outputs: bubble '" +
                plan.steps[*failed].bubble +
                "' did not pass: " + outcome.reason);
}

FailureOr<Tensor> Recording::loadOutput(StepId leaf, StringRef name) {
  for (const OutputFile &output : record.outcomes[leaf].outputs)
    if (output.name == name)
      return readTensorFile(output.path, sink);
  return refuse("the outputs of '" + plan.steps[leaf].bubble + "' have no '" +
                name + "'");
}

/// What the output whose file is called `file` is compared with now; nothing
/// when that can't be read.
std::optional<Tensor> Recording::loadOld(StringRef file) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string &at : place.searched())
    llvm::append_range(found, listTensors(env.files, folder + "/" + at));
  for (const auto &[known, path] : found) {
    if (fileSafe(known) != file)
      continue;
    CollectingSink unreadable;
    FailureOr<Tensor> tensor = readTensorFile(path, unreadable);
    if (succeeded(tensor))
      return std::move(*tensor);
    for (const Diagnostic &problem : unreadable.diagnostics())
      sink.warning(problem.kind, problem.where, problem.message);
    return std::nullopt;
  }
  return std::nullopt;
}

/// The pipeline's results tell; where it fails, the old output has to.
FailureOr<DType> Recording::typeOf(StringRef name,
                                   const std::optional<Tensor> &old) {
  if (!firstFailure(result.leaf))
    for (const OutputFile &output : record.outcomes[result.leaf].outputs)
      if (output.name == name)
        if (std::optional<DType> dtype = parseDType(output.dtype))
          return *dtype;
  if (old)
    return old->dtype();
  if (failed(requirePassed(result.leaf, "pipeline '" + pipeline + "'")))
    return failure();
  return refuse("the results of pipeline '" + pipeline + "' have no '" + name +
                "'");
}

LogicalResult Recording::collectOutputs() {
  std::optional<StepId> from = leafOf(source),
                        against = leafOf(options.against);
  if (!from || !against)
    return refuse("'" + (from ? options.against : source) +
                  "' can't be run beside pipeline '" + pipeline + "'");
  if (failed(requirePassed(*from, "'" + source + "'")) ||
      failed(requirePassed(*against, "'" + options.against + "'")))
    return failure();
  const std::vector<OutputFile> &files = record.outcomes[*from].outputs;
  std::vector<std::string> names;
  for (const OutputFile &file : files)
    names.push_back(file.name);
  for (const auto &[file, fileName] : llvm::zip(files, fileNames(names))) {
    RecordedOutput output;
    output.name = file.name;
    output.old = loadOld(fileName);
    FailureOr<DType> dtype = typeOf(file.name, output.old);
    if (succeeded(dtype) && place.excludes(*dtype))
      continue;
    // Results of this type are not compared with outputs of another one.
    if (output.old && place.excludes(output.old->dtype()))
      output.old.reset();
    FailureOr<Tensor> value = loadOutput(*from, file.name);
    FailureOr<Tensor> reference = loadOutput(*against, file.name);
    if (failed(dtype) || failed(value) || failed(reference))
      return failure();
    output.fresh = roundedTo(*value, *dtype);
    output.reference = std::move(*reference);
    outputs.push_back(std::move(output));
  }
  if (outputs.empty() && place.isOverride())
    return refuse("no output of pipeline '" + pipeline + "' is of type '" +
                  place.dtype + "'");
  return success();
}

bool Recording::isAcceptable() {
  bool acceptable = true;
  env.out << options.graph.cases[0] << ": values of '" << source
          << "', errors against '" << options.against << "'\n";
  for (const RecordedOutput &output : outputs) {
    RecordErrors errors = measureRecord(output);
    printRecorded(output, errors, env.out);
    std::string reason = whyWorse(errors, output.fresh.dtype());
    if (reason.empty() || options.acceptRegression)
      continue;
    acceptable = false;
    (void)sink.error(DiagKind::DriverGoldenRegression, where,
                     "output '" + output.name + "' would get worse: " + reason +
                         "; nothing is written without --accept-regression");
  }
  return acceptable;
}

/// The generated inputs, as the run step has kept them.
LogicalResult Recording::addInputs(FolderChanges &changes) {
  std::vector<std::string> names, contents;
  for (const OutputFile &input : record.outcomes[result.leaf].inputs) {
    auto buffer = env.files.getBufferForFile(input.path);
    if (!buffer)
      return refuse("cannot read '" + input.path +
                    "': " + buffer.getError().message());
    names.push_back(input.name);
    contents.push_back((*buffer)->getBuffer().str());
  }
  std::vector<std::string> fileNames = inputFileNames(names);
  for (size_t i = 0; i < names.size(); ++i)
    changes["inputs/" + fileNames[i]] = std::move(contents[i]);
  return success();
}

LogicalResult Recording::addModel(FolderChanges &changes) {
  auto buffer = env.files.getBufferForFile(model);
  if (!buffer)
    return refuse("cannot read '" + model +
                  "': " + buffer.getError().message());
  provenance.modelHash = sha256Hex((*buffer)->getBuffer());
  if (generated)
    changes[StringRef(model).ends_with(".onnx") ? "model.onnx"
                                                : "payload.mlir"] =
        (*buffer)->getBuffer().str();
  return success();
}

/// A sidecar of the folder; nothing where there is none that can be read.
std::optional<Provenance> Recording::sidecarAt(StringRef path) const {
  CollectingSink ignored;
  auto buffer = env.files.getBufferForFile(folder + "/" + path);
  if (!buffer)
    return std::nullopt;
  FailureOr<Provenance> read =
      readProvenance((*buffer)->getBuffer(), path, ignored);
  return succeeded(read) ? std::optional(std::move(*read)) : std::nullopt;
}

LogicalResult Recording::checkProducer() {
  std::optional<Provenance> old = sidecarAt(place.sidecar());
  if (!old || old->producer == ownProducer || options.replaceProducer)
    return success();
  return sink.error(
      DiagKind::DriverGoldenProducer, where,
      "'" + displayPath(folder, workingDirectory()) + "/" + place.sidecar() +
          "' says that '" + old->producer +
          "' made these outputs, and lh-run's own can't tell a mistake that "
          "the importer makes in both; --replace-producer records over them");
}

/// What a sidecar says of the model and in words stays true of new outputs.
void Recording::startProvenance() {
  for (const std::string &path :
       {place.sidecar(), std::string("provenance.json")})
    if (std::optional<Provenance> old = sidecarAt(path)) {
      provenance = std::move(*old);
      break;
    }
  provenance.producer = ownProducer.str();
  provenance.versions = versions();
  provenance.source =
      source == "oracle" ? source : source + " on " + result.key.target;
  provenance.target = place.target.empty() ? "any" : place.target;
  provenance.files.clear();
  if (generated)
    provenance.seed = static_cast<int64_t>(generated->seed);
  describeOutputs(outputs, provenance);
}

LogicalResult Recording::describe(FolderChanges &changes) {
  startProvenance();
  if (failed(addModel(changes)))
    return failure();
  size_t prefix = place.prefix().size();
  for (const auto &[file, contents] : changes)
    if (contents && StringRef(file).ends_with(".npy"))
      provenance.files[file.substr(prefix)] = sha256Hex(*contents);
  if (!generated && !place.isOverride()) {
    auto kept = data->inputs;
    if (!data->labels.empty())
      kept.emplace_back("", data->labels);
    for (const auto &[name, path] : kept) {
      auto buffer = env.files.getBufferForFile(path);
      if (!buffer)
        return refuse("cannot read '" + path +
                      "': " + buffer.getError().message());
      provenance.files[path.substr(folder.size() + 1)] =
          sha256Hex((*buffer)->getBuffer());
    }
  }
  changes[place.sidecar()] = provenanceText(provenance);
  return success();
}

/// Takes out what the folder holds already; whether nothing is left.
bool Recording::dropUnchanged(FolderChanges &changes) const {
  for (auto change = changes.begin(); change != changes.end();) {
    auto buffer = env.files.getBufferForFile(folder + "/" + change->first);
    bool same = buffer && change->second &&
                (*buffer)->getBuffer() == StringRef(*change->second);
    change = same ? changes.erase(change) : std::next(change);
  }
  return changes.empty();
}

LogicalResult Recording::write() {
  FolderChanges changes =
      outputChanges(outputs, place, presentOutputs(env.files, folder, place));
  if (generated && failed(addInputs(changes)))
    return failure();
  if (failed(describe(changes)))
    return failure();
  std::string shown = displayPath(folder, workingDirectory());
  if (dropUnchanged(changes)) {
    env.out << shown << ": nothing changed\n";
    return success();
  }
  if (failed(updateFolder(folder, changes, where, sink)))
    return failure();
  for (const auto &[file, contents] : changes)
    env.out << (contents ? "wrote " : "removed ") << shown << '/' << file
            << '\n';
  return success();
}

static int runRecord(const RecordOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Engine::Options engineOptions;
  engineOptions.keepsInputs = true;
  FailureOr<RunSetup> setup =
      setUpRun(options.graph, engineOptions, sources, env, sink);
  if (failed(setup))
    return badUsage;
  Recording recording(options, *setup, env, sink);
  if (failed(recording.findCase()) || failed(recording.findSource()) ||
      failed(recording.makePlan()) || failed(recording.checkProducer()))
    return badUsage;
  if (failed(recording.run()) || failed(recording.collectOutputs()) ||
      !recording.isAcceptable())
    return 1;
  return succeeded(recording.write()) ? 0 : 1;
}

CommandRun lh::makeRecordCommand(CLI::App &command) {
  return makeCommand(command, addRecordFlags, runRecord);
}
