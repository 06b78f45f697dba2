// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How golden folders lie on disk, and which file is expected of whom.
#include "core/plan/GoldenStore.h"

#include "core/numerics/Tensor.h"
#include "core/numerics/TensorFile.h"
#include "core/plan/Provenance.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <cmath>
#include <limits>
#include <utility>

using namespace lh;

namespace {

/// A folder with expected outputs and a provenance.json: a golden's own, or
/// one of its overrides.
struct GoldenFolder {
  std::string path;
  std::string target = "any"; ///< whom the sidecar must say it is for
  std::string dtype;          ///< of every file in it; empty: any
  /// The outputs in it, as (name, path).
  std::vector<std::pair<std::string, std::string>> outputs;
};

/// Of a tensor file.
struct TensorFacts {
  std::string dtype;
  int64_t nans = 0;
};
} // namespace

/// Fails as the reader does.
static FailureOr<TensorFacts> tensorFacts(StringRef bytes, StringRef path,
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

/// Checks the sidecar's presence and fields, the hashes of `model` and of the
/// files that it lists, and each output's readability and element type.
/// Reports every mistake, those outside of a file at `from`. NaNs that the
/// sidecar doesn't announce are a warning.
static LogicalResult checkGoldenFolder(llvm::vfs::FileSystem &files,
                                       const GoldenFolder &folder,
                                       StringRef model, StringRef modelHash,
                                       const SourceSpan &from,
                                       DiagnosticSink &sink) {
  return FolderCheck(files, folder, from, sink).check(model, modelHash);
}

using NamedFiles = std::vector<std::pair<std::string, std::string>>;

static bool isTensorName(StringRef name) {
  return name.ends_with(".npy") || name.ends_with(".pb");
}

NamedFiles lh::listTensors(llvm::vfs::FileSystem &files, StringRef folder) {
  struct Entry {
    uint64_t number;
    std::string name, path;
  };
  std::vector<Entry> entries;
  for (const std::string &file : listFolder(files, folder)) {
    if (!isTensorName(file))
      continue;
    StringRef name = StringRef(file).rsplit('.').first;
    StringRef rest = name;
    uint64_t number = 0;
    if (rest.consumeInteger(10, number) || !rest.consume_front("-"))
      number = std::numeric_limits<uint64_t>::max(), rest = name;
    entries.push_back({number, rest.str(), (folder + "/" + file).str()});
  }
  llvm::stable_sort(entries, [](const Entry &left, const Entry &right) {
    return left.number < right.number;
  });
  NamedFiles result;
  for (Entry &entry : entries)
    result.emplace_back(std::move(entry.name), std::move(entry.path));
  return result;
}

FailureOr<GoldenFiles> lh::locateGolden(llvm::vfs::FileSystem &files,
                                        const std::string &folder,
                                        const SourceSpan &from,
                                        DiagnosticSink &sink) {
  if (!isFolder(files, folder))
    return sink.error(DiagKind::PlanBadCase, from,
                      "there is no golden folder '" + folder + "'");
  GoldenFiles golden;
  golden.folder = folder;
  std::string onnx = folder + "/model.onnx", mlir = folder + "/payload.mlir";
  if (isFile(files, onnx) == isFile(files, mlir))
    return sink.error(DiagKind::PlanBadCase, from,
                      "golden folder '" + folder +
                          "' needs exactly one of model.onnx and payload.mlir");
  golden.model = isFile(files, onnx) ? onnx : mlir;
  golden.data.inputs = listTensors(files, folder + "/inputs");
  golden.data.expected = listTensors(files, folder + "/outputs");
  if (isFile(files, folder + "/labels.npy"))
    golden.data.labels = folder + "/labels.npy";
  return golden;
}

std::string lh::howToMakeModel(llvm::vfs::FileSystem &files, StringRef folder) {
  std::string sidecar = (folder + "/provenance.json").str();
  if (isFile(files, (folder + "/model.onnx").str()) ||
      isFile(files, (folder + "/payload.mlir").str()) ||
      !isFile(files, sidecar))
    return "";
  auto text = files.getBufferForFile(sidecar);
  CollectingSink told; // by findGolden(), once the model is there
  FailureOr<Provenance> provenance = failure();
  if (text)
    provenance = readProvenance((*text)->getBuffer(), sidecar, told);
  return succeeded(provenance) ? provenance->model : "";
}

namespace {

/// Finds the overrides of one golden folder and what nothing uses.
class OverrideFinder {
public:
  OverrideFinder(llvm::vfs::FileSystem &files, GoldenFiles &golden,
                 ArrayRef<StringRef> targets, const SourceSpan &from,
                 DiagnosticSink &sink)
      : files(files), golden(golden), targets(targets), from(from), sink(sink) {
  }

  /// The folders to check, the most specific first.
  std::vector<GoldenFolder> find() {
    for (const std::string &name : listFolder(files, golden.folder)) {
      std::string path = golden.folder + "/" + name;
      if (!isFolder(files, path))
        warnOfStray(name, path);
      else if (llvm::is_contained(targets, StringRef(name)))
        addTarget(name, path);
      else if (isType(name))
        addFolder({path, "any", name, {}});
      else if (name != "inputs" && name != "outputs")
        warnOfUnknown(path);
    }
    llvm::stable_sort(found, [](const auto &left, const auto &right) {
      return rank(left) > rank(right);
    });
    for (const GoldenFolder &folder : found)
      addOverrides(folder);
    return std::move(found);
  }

private:
  static bool isType(StringRef name) {
    std::optional<DType> dtype = parseDType(name);
    return dtype && dtypeName(*dtype) == name;
  }
  static int rank(const GoldenFolder &folder) {
    return (folder.target != "any" ? 2 : 0) + (folder.dtype.empty() ? 0 : 1);
  }
  void unused(const Twine &message) {
    sink.warning(DiagKind::PlanUnusedGolden, from, "unused golden: " + message);
  }

  void addTarget(const std::string &target, const std::string &path) {
    bool hasTypes = false;
    for (const std::string &name : listFolder(files, path)) {
      std::string inner = path + "/" + name;
      if (!isFolder(files, inner))
        continue;
      hasTypes |= isType(name);
      if (isType(name))
        addFolder({inner, target, name, {}});
      else
        warnOfUnknown(inner);
    }
    if (!hasTypes || !listTensors(files, path).empty())
      addFolder({path, target, "", {}});
  }

  void addFolder(GoldenFolder folder) {
    folder.outputs = listTensors(files, folder.path);
    if (folder.outputs.empty())
      return unused("'" + folder.path + "' overrides no output");
    found.push_back(std::move(folder));
  }

  void addOverrides(const GoldenFolder &folder) {
    std::string target = folder.target == "any" ? "" : folder.target;
    for (const auto &[name, path] : folder.outputs)
      if (llvm::any_of(golden.data.expected,
                       [&, &name = name](const auto &base) {
                         return base.first == name;
                       }))
        golden.data.overrides.push_back({target, folder.dtype, name, path});
      else
        unused("'" + path + "' overrides an output '" + name +
               "', of which there is none in outputs/");
  }

  void warnOfStray(StringRef name, StringRef path) {
    if (isTensorName(name) && name != "labels.npy")
      unused("'" + path + "' lies neither in inputs/ nor in outputs/");
  }

  void warnOfUnknown(StringRef path) {
    unused("'" + path +
           "' is named neither after a target of this manifest nor after an "
           "element type" +
           didYouMean(StringRef(path).rsplit('/').second, targets));
  }

  llvm::vfs::FileSystem &files;
  GoldenFiles &golden;
  ArrayRef<StringRef> targets;
  const SourceSpan &from;
  DiagnosticSink &sink;
  std::vector<GoldenFolder> found;
};

} // namespace

FailureOr<GoldenFiles> lh::findGolden(llvm::vfs::FileSystem &files,
                                      const std::string &folder,
                                      ArrayRef<StringRef> targets,
                                      const SourceSpan &from,
                                      DiagnosticSink &sink) {
  FailureOr<GoldenFiles> golden = locateGolden(files, folder, from, sink);
  if (failed(golden))
    return failure();
  if (golden->data.expected.empty())
    return sink.error(DiagKind::PlanBadCase, from,
                      "golden folder '" + folder +
                          "' has no expected outputs (outputs/*.npy); 'lh-run "
                          "record' makes them");
  auto model = files.getBufferForFile(golden->model);
  if (!model)
    return sink.error(DiagKind::PlanBadCase, from,
                      "cannot read '" + golden->model +
                          "': " + model.getError().message());
  std::string modelHash = sha256Hex((*model)->getBuffer());
  std::vector<GoldenFolder> folders =
      OverrideFinder(files, *golden, targets, from, sink).find();
  folders.push_back({folder, "any", "", golden->data.expected});
  LogicalResult result = success();
  for (const GoldenFolder &checked : folders)
    if (failed(checkGoldenFolder(files, checked, golden->model, modelHash, from,
                                 sink)))
      result = failure();
  if (failed(result))
    return failure();
  return golden;
}

const std::string &lh::expectedFile(const DataSet &data, size_t index,
                                    StringRef target, StringRef dtype) {
  for (const ExpectedOverride &override : data.overrides)
    if (override.name == data.expected[index].first &&
        (override.target.empty() || override.target == target) &&
        (override.dtype.empty() || override.dtype == dtype))
      return override.path;
  return data.expected[index].second;
}
