// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder with a manifest that shows a fault alone.
#include "insight/debug/FaultFolder.h"

#include "core/graph/WholeTarget.h"
#include "core/manifest/ValueText.h"
#include "core/manifest/YamlText.h"
#include "core/numerics/Npy.h"
#include "core/numerics/TensorFile.h"
#include "core/plan/GoldenRecord.h"
#include "core/plan/OraclePipeline.h"
#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"
#include "core/support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace lh;

namespace {

/// Builds one folder.
class FaultFolderWriter {
public:
  FaultFolderWriter(const FaultSource &source, std::string folder,
                    DiagnosticSink &sink)
      : fault(source.fault), source(source), folder(std::move(folder)),
        sink(sink) {}

  FailureOr<bool> write();

private:
  bool runs() const { return fault.goodResult.has_value(); }
  LogicalResult addPayload();
  LogicalResult addInputs();
  LogicalResult addOutputs();
  LogicalResult addProvenance();
  void addTarget();
  void dropOld();
  LogicalResult addManifest();
  FailureOr<std::string> bubble(const StepAction &action, StringRef name);
  std::string verify() const;
  std::optional<StepId> referenceLeaf() const;
  void check();

  const Fault &fault;
  const FaultSource &source;
  std::string folder;
  DiagnosticSink &sink;
  FolderChanges changes;
  std::vector<RecordedOutput> outputs;
  double goodError = 0, badError = 0;
};

} // namespace

LogicalResult FaultFolderWriter::addPayload() {
  std::string file = source.setup.scratch->path() + "/input.mlirbc";
  Step emit;
  emit.bubble = "reproducer";
  emit.action = EmitAction{EmitFormat::Mlir, file, std::nullopt};
  auto step = source.prober.addBelow(*fault.inputStep, emit);
  if (failed(step))
    return failure();
  source.prober.runTo(*step);
  auto text = textWithPlaces(file, source.setup.engine->session(), sink);
  if (failed(text))
    return failure();
  changes["golden/payload.mlir"] = std::move(*text);
  return success();
}

static LogicalResult readInto(const std::string &path, std::string &contents,
                              DiagnosticSink &sink) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return sink.error(DiagKind::SupportCannotRead, {path},
                      "cannot read it: " + buffer.getError().message());
  contents = (*buffer)->getBuffer().str();
  return success();
}

LogicalResult FaultFolderWriter::addInputs() {
  const Prober &prober = source.prober;
  StepId leaf = prober.plan().results[*fault.goodResult].leaf;
  std::vector<std::string> names;
  for (const OutputFile &input : prober.outcomes()[leaf].inputs)
    names.push_back(input.name);
  std::vector<std::string> files = inputFileNames(names);
  for (size_t i = 0; i < names.size(); ++i) {
    std::string contents;
    if (failed(
            readInto(prober.outcomes()[leaf].inputs[i].path, contents, sink)))
      return failure();
    changes["golden/inputs/" + files[i]] = std::move(contents);
  }
  return success();
}

std::optional<StepId> FaultFolderWriter::referenceLeaf() const {
  for (const PlannedComparison &comparison : source.prober.plan().comparisons)
    if (comparison.result == *fault.goodResult)
      return comparison.referenceLeaf;
  return std::nullopt;
}

static const OutputFile *find(const StepOutcome &outcome, StringRef name) {
  for (const OutputFile &file : outcome.outputs)
    if (fileSafe(file.name) == fileSafe(name))
      return &file;
  return nullptr;
}

/// What is expected: the reference's values in the type of the results, and
/// where it lacks one, the sound results.
LogicalResult FaultFolderWriter::addOutputs() {
  const Prober &prober = source.prober;
  ArrayRef<StepOutcome> outcomes = prober.outcomes();
  const Plan &plan = prober.plan();
  const StepOutcome &good = outcomes[plan.results[*fault.goodResult].leaf];
  const StepOutcome *bad = fault.badResult
                               ? &outcomes[plan.results[*fault.badResult].leaf]
                               : nullptr;
  std::optional<StepId> reference = referenceLeaf();
  for (const OutputFile &file : good.outputs) {
    FailureOr<Tensor> sound = readTensorFile(file.path, sink);
    const OutputFile *wanted =
        reference ? find(outcomes[*reference], file.name) : nullptr;
    FailureOr<Tensor> expected =
        readTensorFile(wanted ? wanted->path : file.path, sink);
    if (failed(sound) || failed(expected))
      return failure();
    Tensor rounded = roundedTo(*expected, sound->dtype());
    goodError = std::max(goodError, compareTensors(*sound, rounded, {}).maxAbs);
    if (const OutputFile *other = bad ? find(*bad, file.name) : nullptr)
      if (auto wrong = readTensorFile(other->path, sink); succeeded(wrong))
        badError =
            std::max(badError, compareTensors(*wrong, rounded, {}).maxAbs);
    RecordedOutput &output = outputs.emplace_back();
    output.name = file.name;
    output.fresh = std::move(rounded);
    output.reference = std::move(*expected);
  }
  for (auto &[path, contents] : outputChanges(outputs, RecordPlace{}, {}))
    changes["golden/" + path] = contents;
  return success();
}

LogicalResult FaultFolderWriter::addProvenance() {
  Provenance provenance;
  provenance.producer = "lh-run bisect";
  provenance.versions = versions();
  provenance.modelHash = sha256Hex(*changes["golden/payload.mlir"]);
  describeOutputs(outputs, provenance);
  constexpr StringRef prefix = "golden/";
  for (const auto &[path, contents] : changes)
    if (StringRef(path).ends_with(".npy"))
      provenance.files[path.substr(prefix.size())] = sha256Hex(*contents);
  changes["golden/provenance.json"] = provenanceText(provenance);
  return success();
}

/// The target's file goes along: the folder may be moved.
void FaultFolderWriter::addTarget() {
  for (const TargetSpec &target : source.setup.graph.targets)
    if (target.name == fault.key.target) {
      SourceStore sources(*llvm::vfs::getRealFileSystem());
      CollectingSink ignored; // then the library's is taken
      if (auto text = wholeTargetText(target, sources, ignored);
          succeeded(text))
        changes["targets/" + target.name + ".yaml"] = std::move(*text);
    }
}

/// The bubble that does `action`, as flow YAML; empty for one that can't be
/// written down.
FailureOr<std::string> FaultFolderWriter::bubble(const StepAction &action,
                                                 StringRef name) {
  if (const auto *passes = std::get_if<PassesAction>(&action))
    return "{passes: " + quotedYaml(passes->pipeline) + "}";
  const auto *schedule = std::get_if<ScheduleAction>(&action);
  if (!schedule)
    return std::string();
  std::string file = (name + ".mlir").str();
  std::string contents, with, libraries;
  if (failed(readInto(schedule->file, contents, sink)))
    return failure();
  changes[file] = std::move(contents);
  for (const BoundParameter &parameter : schedule->parameters)
    with += (with.empty() ? "" : ", ") + parameter.name.value + ": " +
            valueText(parameter.value);
  for (const std::string &library : schedule->libraries)
    libraries += (libraries.empty() ? "" : ", ") + quotedYaml(library);
  return "{schedule: " + file + ", entry: " + schedule->entry +
         (libraries.empty() ? "" : ", library: [" + libraries + "]") +
         (with.empty() ? "" : ", with: {" + with + "}") + "}";
}

std::string FaultFolderWriter::verify() const {
  bool isSlow = fault.property == FaultProperty::Slow;
  double allowed = 2 * (isSlow ? std::max(goodError, badError) : goodError);
  if (!isSlow && std::isfinite(badError) && allowed >= badError)
    allowed = std::sqrt(goodError * badError);
  std::string text;
  llvm::raw_string_ostream(text)
      << "verify: {against: [golden], atol: " << llvm::format("%.6e", allowed)
      << ", rtol: 0}\n";
  return text;
}

LogicalResult FaultFolderWriter::addManifest() {
  auto guilty = bubble(*fault.action, "guilty");
  if (failed(guilty))
    return failure();
  std::string bubbles =
      "  import: {ingress: mlir, model: golden/payload.mlir}\n"
      "  guilty: " +
      *guilty + "\n";
  std::string guiltyPath = "import, guilty", soundPath = "import";
  if (fault.soundAction && runs()) {
    auto sound = bubble(*fault.soundAction, "sound");
    if (failed(sound))
      return failure();
    bubbles += "  sound: " + *sound + "\n";
    soundPath += ", sound";
  }
  auto finish = [&](const Completion *completion, StringRef name,
                    std::string &path) {
    if (completion && !completion->name.empty()) {
      bubbles +=
          ("  " + name + ": {use: " + quotedYaml(completion->name) + "}\n")
              .str();
      path += (", " + name).str();
    }
    path += ", run";
  };
  if (runs()) {
    finish(fault.soundCompletion, "finish-sound", soundPath);
    finish(fault.completion, "finish-guilty", guiltyPath);
    bubbles += "  run: {execute: main}\n";
  }
  std::string text = "# The fault that lh-run bisect found in bubble '" +
                     fault.bubble + "', alone.\nlighthouse: 1\nname: fault\n";
  if (!source.setup.graph.targets.empty())
    text += "targets: [" + fault.key.target + "]\n";
  text += "bubbles:\n" + bubbles + "edges:\n";
  auto edge = [](StringRef path) {
    std::string line = "  - ";
    for (StringRef rest = path; !rest.empty();) {
      auto [name, tail] = rest.split(", ");
      line += (name + (tail.empty() ? "\n" : " -> ")).str();
      rest = tail;
    }
    return line;
  };
  std::string pipelines = "  guilty: {path: [" + guiltyPath + "]}\n";
  text += edge(guiltyPath);
  if (runs()) {
    text += edge(soundPath);
    pipelines += "  sound: {path: [" + soundPath + "]}\n";
  }
  text += "pipelines:\n" + pipelines;
  if (runs())
    text += "cases:\n  fault: {golden: golden}\n" + verify();
  changes["manifest.yaml"] = std::move(text);
  return success();
}

/// Runs what was written.
void FaultFolderWriter::check() {
  GraphOptions graph = source.options.graph;
  graph.manifest = folder + "/manifest.yaml";
  graph.target.clear();
  graph.pipelines.clear();
  graph.cases.clear();
  graph.set.clear();
  ManifestRunOptions run = source.options;
  run.graph = graph;
  run.keepGoing = true;
  RunSetup &setup = source.setup;
  auto loaded = loadGraph(graph.manifest, resolveOptions(graph, source.env),
                          source.sources, sink);
  if (failed(loaded))
    return;
  auto plan =
      planFor(*loaded, selectionOf(graph), *setup.engine, source.env, sink);
  if (failed(plan) || failed(setup.engine->runner().prepare(plan->steps, sink)))
    return;
  RunRecord record = setup.run(*plan, run, source.observer);
  for (const ResultRecord &result : record.results) {
    bool isGuilty = result.key.pipeline == "guilty";
    if ((result.status == ResultStatus::Failed) == isGuilty)
      continue;
    sink.warning(DiagKind::DriverNotReproduced, {graph.manifest},
                 isGuilty ? "this manifest doesn't show the fault: by itself, "
                            "the guilty part does no harm"
                          : "without the guilty part, this manifest fails "
                            "too: " +
                                result.reason);
  }
}

/// Tensors that an earlier search has left in the folder.
void FaultFolderWriter::dropOld() {
  for (StringRef part : {"golden/inputs/", "golden/outputs/"})
    for (const std::string &name :
         listFolder(source.env.files, (folder + "/" + part).str()))
      if (StringRef(name).ends_with(".npy"))
        changes.try_emplace((part + name).str(), std::nullopt);
}

FailureOr<bool> FaultFolderWriter::write() {
  if (!fault.inputStep || !fault.action ||
      std::holds_alternative<CommandAction>(*fault.action) ||
      std::holds_alternative<EmitAction>(*fault.action))
    return false;
  if (failed(addPayload()))
    return failure();
  if (runs() &&
      (failed(addInputs()) || failed(addOutputs()) || failed(addProvenance())))
    return failure();
  addTarget();
  dropOld();
  if (failed(addManifest()) ||
      failed(updateFolder(folder, changes, {folder}, sink)))
    return failure();
  if (fault.property != FaultProperty::Slow)
    check();
  return true;
}

FailureOr<bool> lh::writeFaultFolder(const FaultSource &source,
                                     const std::string &folder,
                                     DiagnosticSink &sink) {
  return FaultFolderWriter(source, folder, sink).write();
}
