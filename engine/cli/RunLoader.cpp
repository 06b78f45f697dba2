// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run records from files and folders.
#include "cli/RunLoader.h"

#include "core/support/FileSystem.h"
#include "insight/report/RecordReader.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

/// The .json files in `folder` and the folders in it, sorted.
static std::vector<std::string> recordsIn(llvm::vfs::FileSystem &files,
                                          StringRef folder) {
  std::vector<std::string> records;
  for (const std::string &entry : listFolder(files, folder)) {
    std::string path = (folder + "/" + entry).str();
    if (isFolder(files, path))
      llvm::append_range(records, recordsIn(files, path));
    else if (StringRef(entry).ends_with(".json"))
      records.push_back(path);
  }
  return records;
}

FailureOr<std::vector<SavedRun>> lh::loadRuns(const std::string &place,
                                              const DriverEnv &env,
                                              SourceStore &sources,
                                              DiagnosticSink &sink) {
  std::vector<std::string> files = {place};
  if (isFolder(env.files, place))
    files = recordsIn(env.files, place);
  std::vector<SavedRun> runs;
  LogicalResult result = success();
  for (const std::string &file : files) {
    FailureOr<SavedRun> run = readRecord(file, sources, sink);
    if (succeeded(run))
      runs.push_back(std::move(*run));
    else
      result = failure();
  }
  if (failed(result))
    return failure();
  return runs;
}
