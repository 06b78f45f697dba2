// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the files of a golden folder are what its sidecar says.
#include "core/plan/GoldenCheck.h"

#include "core/numerics/TensorFile.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace lh;

FailureOr<TensorFacts> lh::tensorFacts(StringRef bytes, StringRef path,
                                       DiagnosticSink &sink) {
  FailureOr<Tensor> tensor = readTensorBytes(bytes, path, sink);
  if (failed(tensor))
    return failure();
  TensorFacts facts{dtypeName(tensor->dtype()).str(), 0};
  if (isFloat(tensor->dtype()) || isSmallFloat(tensor->dtype()))
    for (int64_t i = 0; i < tensor->elementCount(); ++i)
      facts.nans += std::isnan(tensor->at(i));
  return facts;
}

namespace {

/// Checks one folder against its sidecar.
class FolderCheck {
public:
  FolderCheck(llvm::vfs::FileSystem &files, const GoldenFolder &folder,
              const SourceSpan &from, DiagnosticSink &sink)
      : files(files), folder(folder), from(from), sink(sink),
        sidecar(folder.path + "/provenance.json") {}

  LogicalResult check(StringRef model, StringRef modelHash) {
    FailureOr<Provenance> read = readSidecar();
    if (failed(read))
      return failure();
    provenance = std::move(*read);
    checkTarget();
    checkModel(model, modelHash);
    for (const auto &[name, path] : folder.outputs)
      checkOutput(name, path);
    for (const auto &[name, dtype] : provenance.dtypes)
      if (!llvm::any_of(folder.outputs, [&, &name = name](const auto &file) {
            return file.first == name;
          }))
        report(DiagKind::PlanGoldenProvenance,
               "'" + sidecar + "' records an output '" + name +
                   "', of which there is no file");
    checkHashes();
    return result;
  }

private:
  void report(DiagKind kind, const Twine &message) {
    result = sink.error(kind, from, message);
  }

  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> load(const Twine &path) {
    // A pipe or a device may never end.
    if (!isFile(files, path)) {
      report(DiagKind::PlanBadCase, "there is no file '" + path + "'");
      return failure();
    }
    auto buffer = files.getBufferForFile(path);
    if (buffer)
      return std::move(*buffer);
    report(DiagKind::PlanBadCase,
           "cannot read '" + path + "': " + buffer.getError().message());
    return failure();
  }

  FailureOr<Provenance> readSidecar() {
    if (!isFile(files, sidecar))
      return sink.error(DiagKind::PlanGoldenProvenance, from,
                        "golden folder '" + folder.path +
                            "' has no provenance.json, so nothing tells where "
                            "its numbers come from; 'lh-run record' writes it");
    auto buffer = load(sidecar);
    if (failed(buffer))
      return failure();
    return readProvenance((*buffer)->getBuffer(), sidecar, sink);
  }

  void checkTarget() {
    if (provenance.target != folder.target)
      report(DiagKind::PlanGoldenProvenance,
             "'" + sidecar + "' is for target '" + provenance.target +
                 "', but lies where '" + folder.target + "' belongs");
  }

  void checkModel(StringRef model, StringRef modelHash) {
    if (!StringRef(provenance.modelHash).equals_insensitive(modelHash))
      report(DiagKind::PlanGoldenHash,
             "'" + model + "' has SHA-256 " + modelHash + ", but '" + sidecar +
                 "' records " + provenance.modelHash +
                 "; the expected outputs are of another model; 'lh-run "
                 "record' makes new ones");
  }

  void checkOutput(const std::string &name, const std::string &path) {
    auto buffer = load(path);
    if (failed(buffer))
      return;
    FailureOr<TensorFacts> facts =
        tensorFacts((*buffer)->getBuffer(), path, sink);
    if (failed(facts)) {
      unreadable.push_back(path);
      result = failure();
      return;
    }
    auto recorded = provenance.dtypes.find(name);
    if (recorded == provenance.dtypes.end())
      report(DiagKind::PlanGoldenProvenance,
             "'" + sidecar + "' has no element type of output '" + name +
                 "' in its 'dtypes'");
    else if (recorded->second != facts->dtype)
      report(DiagKind::PlanGoldenProvenance,
             "'" + path + "' holds " + facts->dtype + ", but '" + sidecar +
                 "' records " + recorded->second);
    if (!folder.dtype.empty() && folder.dtype != facts->dtype)
      report(DiagKind::PlanGoldenProvenance,
             "'" + path + "' holds " + facts->dtype +
                 ", but lies where outputs of " + folder.dtype + " belong");
    checkNans(name, path, facts->nans);
  }

  void checkNans(const std::string &name, const std::string &path,
                 int64_t seen) {
    auto found = provenance.nans.find(name);
    int64_t announced = found == provenance.nans.end() ? 0 : found->second;
    if (seen != announced)
      sink.warning(DiagKind::PlanGoldenNan, from,
                   "'" + path + "' holds " + Twine(seen) + " NaN, but '" +
                       sidecar + "' announces " +
                       (announced ? Twine(announced) : Twine("none")));
  }

  void checkHashes() {
    for (const auto &[name, hash] : provenance.files) {
      std::string path = absolutePath(name, folder.path);
      if (llvm::is_contained(unreadable, path))
        continue;
      auto buffer = load(path);
      if (failed(buffer))
        continue;
      std::string actual = sha256Hex((*buffer)->getBuffer());
      if (!StringRef(hash).equals_insensitive(actual))
        report(DiagKind::PlanGoldenHash,
               "'" + path + "' has SHA-256 " + actual + ", but '" + sidecar +
                   "' records " + hash +
                   "; the file was changed after it was made");
    }
  }

  llvm::vfs::FileSystem &files;
  const GoldenFolder &folder;
  const SourceSpan &from;
  DiagnosticSink &sink;
  std::string sidecar;
  Provenance provenance;
  std::vector<std::string> unreadable; ///< said already
  LogicalResult result = success();
};

} // namespace

LogicalResult lh::checkGoldenFolder(llvm::vfs::FileSystem &files,
                                    const GoldenFolder &folder, StringRef model,
                                    StringRef modelHash, const SourceSpan &from,
                                    DiagnosticSink &sink) {
  return FolderCheck(files, folder, from, sink).check(model, modelHash);
}
