// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How golden folders lie on disk, and which file is expected of whom.
#include "core/plan/GoldenStore.h"

#include "core/numerics/Tensor.h"
#include "core/plan/GoldenCheck.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace lh;

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
        add({path, "any", name, {}});
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
        add({inner, target, name, {}});
      else
        warnOfUnknown(inner);
    }
    if (!hasTypes || !listTensors(files, path).empty())
      add({path, target, "", {}});
  }

  void add(GoldenFolder folder) {
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
