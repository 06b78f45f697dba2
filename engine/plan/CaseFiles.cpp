// How golden folders and ONNX backend tests lie on disk.
#include "plan/CaseFiles.h"

#include "support/FileSystem.h"
#include "support/Hash.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <limits>

using namespace lh;

using NamedFiles = std::vector<std::pair<std::string, std::string>>;

/// The .npy files of `folder` as (name, path): numbered ones first, in the
/// order of their numbers, then the others by name.
static NamedFiles listNpy(llvm::vfs::FileSystem &files, StringRef folder) {
  struct Entry {
    uint64_t number;
    std::string name, path;
  };
  std::vector<Entry> entries;
  for (const std::string &file : listFolder(files, folder)) {
    StringRef name = file;
    if (!name.consume_back(".npy"))
      continue;
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

/// `provenance.json` may say of which model the expected outputs are.
static LogicalResult checkProvenance(llvm::vfs::FileSystem &files,
                                     const std::string &folder,
                                     const std::string &model,
                                     const SourceSpan &from,
                                     DiagnosticSink &sink) {
  std::string path = folder + "/provenance.json";
  if (!isFile(files, path))
    return success();
  auto buffer = files.getBufferForFile(path);
  if (!buffer)
    return sink.error(DiagKind::PlanBadCase, from,
                      "cannot read '" + path +
                          "': " + buffer.getError().message());
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return sink.error(DiagKind::PlanBadCase, from,
                      "'" + path +
                          "' is not JSON: " + llvm::toString(json.takeError()));
  const llvm::json::Object *object = json->getAsObject();
  std::optional<StringRef> recorded =
      object ? object->getString("model_sha256") : std::nullopt;
  if (!recorded)
    return success();
  auto content = files.getBufferForFile(model);
  if (!content)
    return sink.error(DiagKind::PlanBadCase, from,
                      "cannot read '" + model +
                          "': " + content.getError().message());
  std::string actual = sha256Hex((*content)->getBuffer());
  if (recorded->equals_insensitive(actual))
    return success();
  return sink.error(DiagKind::PlanGoldenHash, from,
                    "'" + model + "' has SHA-256 " + actual + ", but '" + path +
                        "' records " + *recorded +
                        "; the expected outputs are of another model");
}

FailureOr<GoldenFiles> lh::findGolden(llvm::vfs::FileSystem &files,
                                      const std::string &folder,
                                      const SourceSpan &from,
                                      DiagnosticSink &sink) {
  if (!isFolder(files, folder))
    return sink.error(DiagKind::PlanBadCase, from,
                      "there is no golden folder '" + folder + "'");
  GoldenFiles golden;
  std::string onnx = folder + "/model.onnx", mlir = folder + "/payload.mlir";
  if (isFile(files, onnx) == isFile(files, mlir))
    return sink.error(DiagKind::PlanBadCase, from,
                      "golden folder '" + folder +
                          "' needs exactly one of model.onnx and payload.mlir");
  golden.model = isFile(files, onnx) ? onnx : mlir;
  golden.data.inputs = listNpy(files, folder + "/inputs");
  golden.data.expected = listNpy(files, folder + "/outputs");
  if (golden.data.expected.empty())
    return sink.error(DiagKind::PlanBadCase, from,
                      "golden folder '" + folder +
                          "' has no expected outputs (outputs/*.npy)");
  if (isFile(files, folder + "/labels.npy"))
    golden.data.labels = folder + "/labels.npy";
  if (failed(checkProvenance(files, folder, golden.model, from, sink)))
    return failure();
  return golden;
}

FailureOr<std::vector<std::string>>
lh::findOnnxTests(llvm::vfs::FileSystem &files, const std::string &pattern,
                  const SourceSpan &from, DiagnosticSink &sink) {
  auto hasModel = [&](const std::string &folder) {
    return isFile(files, folder + "/model.onnx");
  };
  std::vector<std::string> folders;
  if (hasModel(pattern)) {
    folders.push_back(pattern);
  } else if (isFolder(files, pattern)) {
    for (const std::string &name : listFolder(files, pattern))
      folders.push_back(pattern + "/" + name);
  } else {
    FailureOr<std::vector<std::string>> matched = glob(files, pattern);
    if (failed(matched))
      return sink.error(DiagKind::PlanBadCase, from,
                        "'" + pattern + "' is not a well-formed pattern");
    folders = std::move(*matched);
  }
  llvm::erase_if(folders,
                 [&](const std::string &name) { return !hasModel(name); });
  if (folders.empty())
    return sink.error(DiagKind::PlanBadCase, from,
                      "'" + pattern +
                          "' matches no folder that has a model.onnx");
  return folders;
}

/// Files `<prefix>N<suffix>` of `folder` by N.
static std::vector<std::pair<uint64_t, std::string>>
numbered(llvm::vfs::FileSystem &files, const std::string &folder,
         StringRef prefix, StringRef suffix) {
  std::vector<std::pair<uint64_t, std::string>> found;
  for (const std::string &file : listFolder(files, folder)) {
    StringRef name = file;
    uint64_t number = 0;
    if (name.consume_front(prefix) && name.consume_back(suffix) &&
        !name.getAsInteger(10, number))
      found.emplace_back(number, folder + "/" + file);
  }
  llvm::sort(found);
  return found;
}

FailureOr<std::vector<DataSet>>
lh::findOnnxDataSets(llvm::vfs::FileSystem &files, const std::string &folder,
                     const SourceSpan &from, DiagnosticSink &sink) {
  auto folders = numbered(files, folder, "test_data_set_", "");
  if (folders.empty())
    return sink.error(DiagKind::PlanBadCase, from,
                      "'" + folder + "' has no test_data_set_N folder");
  std::vector<DataSet> sets;
  for (const auto &[number, path] : folders) {
    DataSet data;
    if (folders.size() > 1)
      data.name = std::to_string(number);
    // The files' own names say nothing: inputs and outputs go by position.
    for (auto &[index, file] : numbered(files, path, "input_", ".pb"))
      data.inputs.emplace_back("", file);
    for (auto &[index, file] : numbered(files, path, "output_", ".pb"))
      data.expected.emplace_back("", file);
    if (data.expected.empty())
      return sink.error(DiagKind::PlanBadCase, from,
                        "'" + path + "' has no expected outputs");
    sets.push_back(std::move(data));
  }
  return sets;
}
