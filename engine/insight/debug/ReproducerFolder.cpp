// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the folder that repeats a step.
#include "insight/debug/ReproducerFolder.h"

#include "core/graph/TargetFinder.h"
#include "core/manifest/KernelParser.h"
#include "core/manifest/ManifestText.h"
#include "core/plan/ReproducerManifest.h"
#include "core/support/FileNames.h"
#include "core/support/FolderUpdate.h"
#include "core/support/VisibleText.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace lh;

namespace {

/// Collects the files of one folder; each copy is named in the steps instead of
/// the file itself.
class FolderMaker {
public:
  explicit FolderMaker(const ReproducerContents &contents)
      : contents(contents), steps(contents.steps) {}

  LogicalResult write(StringRef folder, DiagnosticSink &sink);

private:
  /// The copy's name, or `path` itself where there is nothing to copy.
  std::string copied(const std::string &path, const std::string &name) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return path;
    files[name] = (*buffer)->getBuffer().str();
    return name;
  }

  void gather(Step &step);
  void gather(ScheduleAction &action);
  void gather(const TargetSpec &target) {
    SourceStore sources(*llvm::vfs::getRealFileSystem());
    CollectingSink ignored; // then the library's is taken
    if (target.file.empty())
      return;
    if (auto text = wholeTargetText(target, sources, ignored); succeeded(text))
      files["targets/" + target.name + ".yaml"] = std::move(*text);
  }
  void gatherData(const DataSet &data);
  void
  gatherTensors(const std::vector<std::pair<std::string, std::string>> &tensors,
                const std::string &folder);
  void addInput();

  const ReproducerContents &contents;
  std::vector<Step> steps;
  std::map<std::string, std::string> files;
  ReproducerParts parts;
};

} // namespace

void FolderMaker::gather(ScheduleAction &action) {
  action.file = copied(action.file, "schedule.mlir");
  for (size_t i = 0; i < action.libraries.size(); ++i)
    action.libraries[i] = copied(action.libraries[i],
                                 "library-" + std::to_string(i + 1) + ".mlir");
  if (!action.tuned.empty()) {
    files["tuned.mlir"] = std::move(action.tuned);
    action.tuned.clear();
    action.libraries.push_back("tuned.mlir");
  }
  if (!action.kernel)
    return;
  gather(*action.kernelTarget);
  Located<std::string> &body = bodyFile(*action.kernel);
  // C may include what lies beside it.
  if (!std::holds_alternative<CSource>(action.kernel->body))
    body.value =
        copied(body.value,
               "kernel-body" + llvm::sys::path::extension(body.value).str());
  action.kernel->file = action.kernel->name + ".yaml";
  files[action.kernel->file] = yamlText(documentOf(*action.kernel));
}

void FolderMaker::gatherTensors(
    const std::vector<std::pair<std::string, std::string>> &tensors,
    const std::string &folder) {
  for (size_t i = 0; i < tensors.size(); ++i)
    copied(tensors[i].second,
           folder + std::to_string(i) + "-" + fileSafe(tensors[i].first) +
               llvm::sys::path::extension(tensors[i].second).str());
}

void FolderMaker::gatherData(const DataSet &data) {
  if (data.generate)
    return;
  parts.golden = "case";
  gatherTensors(data.inputs, "case/inputs/");
  gatherTensors(data.expected, "case/outputs/");
}

void FolderMaker::gather(Step &step) {
  if (auto *schedule = std::get_if<ScheduleAction>(&step.action))
    gather(*schedule);
  else if (auto *patterns = std::get_if<PatternsAction>(&step.action))
    patterns->file = copied(
        patterns->file,
        "patterns" + llvm::sys::path::extension(patterns->file).str());
  else if (const auto *compile = std::get_if<CompileAction>(&step.action))
    gather(*compile->target);
  else if (const auto *run = std::get_if<RunAction>(&step.action))
    gatherData(run->data);
  else if (auto *emit = std::get_if<EmitAction>(&step.action)) {
    if (emit->target)
      gather(*emit->target);
    // The place that it wrote to is not this folder's to change.
    emit->path = "emitted";
  }
  size_t number = 0;
  auto copyCheck = [&](CheckFile &check) {
    check.file =
        copied(check.file, "expect-" + std::to_string(++number) + ".check");
  };
  for (Rare<FormDecl> *form : {&step.requires_, &step.ensures})
    if (*form && (*form)->checkFile)
      copyCheck(*(*form)->checkFile);
  for (CheckFile &check : step.expect)
    copyCheck(check);
}

void FolderMaker::addInput() {
  if (contents.input.empty())
    return;
  parts.input =
      contents.isBytecode ? reproducerFiles::bytecode : reproducerFiles::text;
  files[parts.input] = contents.input;
  // A golden folder has its own; nothing imports it.
  if (!parts.golden.empty())
    files[parts.golden + "/payload.mlir"] = contents.input;
}

LogicalResult FolderMaker::write(StringRef folder, DiagnosticSink &sink) {
  for (Step &step : steps)
    gather(step);
  addInput();
  for (size_t i = 0; i < contents.dialects.size(); ++i)
    parts.dialects.push_back(
        copied(contents.dialects[i],
               "dialect-" + std::to_string(i + 1) + ".irdl.mlir"));
  const Reproducer &record = contents.record;
  parts.name = plainBubbleName(record.bubble);
  parts.summary = "Repeats a failure: " + record.reason;
  files[reproducerFiles::manifest] = reproducerManifest(parts, steps);
  files[reproducerFiles::record] = recordText(record);
  files[reproducerFiles::notes] = visible(notesText(record, parts.input));
  return replaceFolder(folder, files, {}, sink);
}

LogicalResult lh::writeReproducer(const ReproducerContents &contents,
                                  StringRef folder, DiagnosticSink &sink) {
  return FolderMaker(contents).write(folder, sink);
}
