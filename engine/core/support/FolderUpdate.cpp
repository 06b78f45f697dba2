// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes to several files of a folder that happen together or not at all.
#include "core/support/FolderUpdate.h"

#include "core/support/FileSystem.h"

#include "llvm/Support/Process.h"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>

using namespace lh;
namespace fs = std::filesystem;

/// A copy of `folder` whose unchanged files cost nothing where the file system
/// has hard links.
static std::error_code copyFolder(const fs::path &folder,
                                  const fs::path &copy) {
  std::error_code error;
  auto options = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
  fs::copy(folder, copy, options | fs::copy_options::create_hard_links, error);
  if (!error)
    return error;
  fs::remove_all(copy, error);
  fs::copy(folder, copy, options, error);
  return error;
}

static LogicalResult makeChanges(const fs::path &copy,
                                 const FolderChanges &changes,
                                 const SourceSpan &from, DiagnosticSink &sink) {
  for (const auto &[name, contents] : changes) {
    std::error_code ignored; // what isn't there need not go
    if (!contents)
      fs::remove(copy / name, ignored);
    // By a rename: a hard link's other end keeps what it has.
    else if (failed(writeFileAtomically((copy / name).string(), *contents, from,
                                        sink)))
      return failure();
  }
  return success();
}

/// Puts `copy` where `folder` is; what was there is at `copy` after that.
static std::error_code exchange(const fs::path &copy, const fs::path &folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) {
    fs::rename(copy, folder, error);
    return error;
  }
  if (renameat2(AT_FDCWD, copy.c_str(), AT_FDCWD, folder.c_str(),
                RENAME_EXCHANGE) == 0)
    return {};
  // Some file systems can't: then there is a moment without the folder.
  fs::path aside = copy.string() + "-old";
  fs::rename(folder, aside, error);
  if (error)
    return error;
  fs::rename(copy, folder, error);
  std::error_code ignored;
  fs::rename(aside, error ? folder : copy, ignored);
  return error;
}

LogicalResult lh::updateFolder(StringRef path, const FolderChanges &changes,
                               const SourceSpan &from, DiagnosticSink &sink) {
  std::error_code error, ignored;
  // A link to the folder stays one.
  fs::path folder = fs::weakly_canonical(path.str(), error);
  if (error)
    folder = path.str();
  fs::path copy = folder.string() + ".new-" +
                  std::to_string(llvm::sys::Process::getProcessId());
  fs::create_directories(folder.parent_path(), error);
  if (fs::exists(folder, ignored))
    error = copyFolder(folder, copy);
  LogicalResult result = success();
  if (!error && failed(makeChanges(copy, changes, from, sink)))
    result = failure();
  else if (!error)
    error = exchange(copy, folder);
  fs::remove_all(copy, ignored);
  if (error)
    return sink.error(DiagKind::SupportCannotWrite, from,
                      "cannot change folder '" + path +
                          "': " + error.message());
  return result;
}

LogicalResult
lh::replaceFolder(StringRef path,
                  const std::map<std::string, std::string> &contents,
                  const SourceSpan &from, DiagnosticSink &sink) {
  fs::path folder = path.str();
  fs::path fresh = folder.string() + ".new-" +
                   std::to_string(llvm::sys::Process::getProcessId());
  std::error_code error, ignored;
  fs::create_directories(fresh, error);
  LogicalResult result = success();
  for (const auto &[name, text] : contents)
    if (!error &&
        failed(writeFileAtomically((fresh / name).string(), text, from, sink)))
      result = failure();
  // Another process may have put its own there meanwhile.
  for (int attempt = 0; !error && succeeded(result); ++attempt) {
    error = exchange(fresh, folder);
    if (!error || attempt == 3)
      break;
    error.clear();
  }
  fs::remove_all(fresh, ignored);
  if (error)
    return sink.error(DiagKind::SupportCannotWrite, from,
                      "cannot write folder '" + path + "': " + error.message());
  return result;
}
