// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder with a manifest that shows a fault alone.
#include "insight/debug/FaultFolder.h"

#include "core/graph/TargetFinder.h"
#include "core/manifest/ManifestText.h"
#include "core/numerics/Npy.h"
#include "core/numerics/TensorFile.h"
#include "core/plan/GoldenRecord.h"
#include "core/plan/OraclePipeline.h"
#include "core/plan/ReproducerManifest.h"
#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"
#include "core/support/Version.h"

#include "llvm/ADT/STLExtras.h"

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
  FailureOr<BubbleDecl> bubble(StepAction action, const std::string &name);
  VerifyDecl verify() const;
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

/// The bubble that does `action`, with a copy of its schedule.
FailureOr<BubbleDecl> FaultFolderWriter::bubble(StepAction action,
                                                const std::string &name) {
  if (auto *schedule = std::get_if<ScheduleAction>(&action)) {
    std::string contents;
    if (failed(readInto(schedule->file, contents, sink)))
      return failure();
    schedule->file = name + ".mlir";
    changes[schedule->file] = std::move(contents);
  }
  return bubbleDoing(action, name);
}

VerifyDecl FaultFolderWriter::verify() const {
  bool isSlow = fault.property == FaultProperty::Slow;
  double allowed = 2 * (isSlow ? std::max(goodError, badError) : goodError);
  if (!isSlow && std::isfinite(badError) && allowed >= badError)
    allowed = std::sqrt(goodError * badError);
  VerifyDecl verify;
  verify.against = {{"golden", {}}};
  verify.tolerance.atol = allowed;
  verify.tolerance.rtol = 0;
  return verify;
}

/// A pipeline of the bubbles whose names are there.
static void addPipeline(Manifest &manifest, const std::string &name,
                        std::vector<std::string> path) {
  llvm::erase_if(path, [&](const std::string &bubble) {
    return llvm::none_of(manifest.bubbles, [&](const BubbleDecl &declared) {
      return declared.name.value == bubble;
    });
  });
  addEdges(manifest, path);
  manifest.pipelines.push_back({{name, {}}, unlocated(path), ""});
}

LogicalResult FaultFolderWriter::addManifest() {
  Manifest manifest;
  manifest.name.value = "fault";
  if (!source.setup.graph.targets.empty())
    manifest.targets = unlocated(fault.key.target);
  ImportAction import;
  import.kind = IngressKind::Mlir;
  import.path = "golden/payload.mlir";
  manifest.bubbles.push_back(bubbleDoing(import, "import"));
  auto add = [&](const StepAction &action, const std::string &name) {
    auto declared = bubble(action, name);
    if (succeeded(declared))
      manifest.bubbles.push_back(std::move(*declared));
    return success(succeeded(declared));
  };
  if (failed(add(*fault.action, "guilty")))
    return failure();
  if (fault.soundAction && runs() && failed(add(*fault.soundAction, "sound")))
    return failure();
  auto finish = [&](const Completion *completion, const std::string &name) {
    if (!completion || completion->name.empty())
      return;
    BubbleDecl &bubble = manifest.bubbles.emplace_back();
    bubble.name.value = name;
    bubble.action = UseDecl{{completion->name, {}}};
  };
  if (runs()) {
    finish(fault.soundCompletion, "finish-sound");
    finish(fault.completion, "finish-guilty");
    manifest.bubbles.push_back(
        bubbleDoing(RunAction{"main", {}, 0, {}}, "run"));
    CaseDecl &failing = manifest.cases.emplace_back();
    failing.name.value = "fault";
    failing.source = GoldenCase{literal("golden")};
    manifest.verify = verify();
  }
  addPipeline(manifest, "guilty", {"import", "guilty", "finish-guilty", "run"});
  if (runs())
    addPipeline(manifest, "sound", {"import", "sound", "finish-sound", "run"});
  YamlNode document = documentOf(manifest);
  document.comment = "The fault that lh-run bisect found in bubble '" +
                     fault.bubble + "', alone.";
  changes["manifest.yaml"] = yamlText(document);
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
