// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes to several files of a folder that happen together or not at all.
#include "core/support/FolderUpdate.h"

#include "core/support/FileSystem.h"

#include "llvm/Support/Process.h"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>

using namespace lh;
namespace stdfs = std::filesystem;

/// A copy of `folder` whose unchanged files cost nothing where the file system
/// has hard links.
static std::error_code copyFolder(const stdfs::path &folder,
                                  const stdfs::path &copy) {
  std::error_code error;
  auto options = stdfs::copy_options::recursive | stdfs::copy_options::copy_symlinks;
  stdfs::copy(folder, copy, options | stdfs::copy_options::create_hard_links, error);
  if (!error)
    return error;
  stdfs::remove_all(copy, error);
  stdfs::copy(folder, copy, options, error);
  return error;
}

static LogicalResult makeChanges(const stdfs::path &copy,
                                 const FolderChanges &changes,
                                 const SourceSpan &from, DiagnosticSink &sink) {
  for (const auto &[name, contents] : changes) {
    std::error_code ignored; // what isn't there need not go
    if (!contents)
      stdfs::remove(copy / name, ignored);
    // By a rename: a hard link's other end keeps what it has.
    else if (failed(writeFileAtomically((copy / name).string(), *contents, from,
                                        sink)))
      return failure();
  }
  return success();
}

/// Puts `copy` where `folder` is; what was there is at `copy` after that.
static std::error_code exchange(const stdfs::path &copy, const stdfs::path &folder) {
  std::error_code error;
  if (!stdfs::exists(folder, error)) {
    stdfs::rename(copy, folder, error);
    return error;
  }
  if (renameat2(AT_FDCWD, copy.c_str(), AT_FDCWD, folder.c_str(),
                RENAME_EXCHANGE) == 0)
    return {};
  // Some file systems can't: then there is a moment without the folder.
  stdfs::path aside = copy.string() + "-old";
  stdfs::rename(folder, aside, error);
  if (error)
    return error;
  stdfs::rename(copy, folder, error);
  std::error_code ignored;
  stdfs::rename(aside, error ? folder : copy, ignored);
  return error;
}

LogicalResult lh::updateFolder(StringRef path, const FolderChanges &changes,
                               const SourceSpan &from, DiagnosticSink &sink) {
  std::error_code error, ignored;
  // A link to the folder stays one.
  stdfs::path folder = stdfs::weakly_canonical(path.str(), error);
  if (error)
    folder = path.str();
  stdfs::path copy = folder.string() + ".new-" +
                  std::to_string(llvm::sys::Process::getProcessId());
  stdfs::create_directories(folder.parent_path(), error);
  if (stdfs::exists(folder, ignored))
    error = copyFolder(folder, copy);
  LogicalResult result = success();
  if (!error && failed(makeChanges(copy, changes, from, sink)))
    result = failure();
  else if (!error)
    error = exchange(copy, folder);
  stdfs::remove_all(copy, ignored);
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
  stdfs::path folder = path.str();
  stdfs::path fresh = folder.string() + ".new-" +
                   std::to_string(llvm::sys::Process::getProcessId());
  std::error_code error, ignored;
  stdfs::create_directories(fresh, error);
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
  stdfs::remove_all(fresh, ignored);
  if (error)
    return sink.error(DiagKind::SupportCannotWrite, from,
                      "cannot write folder '" + path + "': " + error.message());
  return result;
}
