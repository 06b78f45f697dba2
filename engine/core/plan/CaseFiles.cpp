// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ONNX backend tests lie on disk.
#include "core/plan/CaseFiles.h"

#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

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
