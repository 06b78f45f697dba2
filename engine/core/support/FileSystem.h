// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths, listings, and writing without leaving half a file behind.
#ifndef LH_CORE_SUPPORT_FILESYSTEM_H
#define LH_CORE_SUPPORT_FILESYSTEM_H

#include "core/support/Diagnostic.h"

#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace lh {

/// The current folder; empty when it can't be told.
std::string workingDirectory();

/// `path` made absolute against the folder `base`, without `.` and `..`.
std::string absolutePath(StringRef path, StringRef base);

/// The folder of the file that `path` names.
std::string folderOf(StringRef path);

/// `path` relative to `workingDirectory` when that is shorter.
std::string displayPath(StringRef path, StringRef workingDirectory);

bool isFile(llvm::vfs::FileSystem &files, const Twine &path);
bool isFolder(llvm::vfs::FileSystem &files, const Twine &path);

/// The names in `folder`, sorted; empty when it can't be read.
std::vector<std::string> listFolder(llvm::vfs::FileSystem &files,
                                    StringRef folder);

/// didYouMean() among the files beside a `path` that isn't there.
std::string didYouMeanFile(StringRef path, llvm::vfs::FileSystem &files);

/// The files in `folder` and the folders in it, as paths relative to it, in the
/// order of their names.
std::vector<std::string> listFilesBelow(llvm::vfs::FileSystem &files,
                                        StringRef folder);

/// The existing paths that match `pattern`, sorted. `*`, `?`, `[...]` and
/// `{a,b}` match within one path component. Fails, without a diagnostic, only
/// when the pattern is malformed.
FailureOr<std::vector<std::string>> glob(llvm::vfs::FileSystem &files,
                                         StringRef pattern);

/// Writes `contents` to `path` through a temporary file in the same folder and
/// a rename, so that `path` is never seen half written. Makes missing folders.
/// Fails with an error at `from` and leaves no file behind.
LogicalResult writeFileAtomically(StringRef path, StringRef contents,
                                  const SourceSpan &from, DiagnosticSink &sink);

/// The same, bit by bit, for what is too large to be in memory at once.
class AtomicFile {
public:
  /// Makes missing folders. What can't be written shows in commit().
  explicit AtomicFile(std::string name);
  /// Without commit() no file is left.
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  llvm::raw_ostream &stream() { return *out; }

  /// Puts the file in its place. Fails with an error at `from`.
  LogicalResult commit(const SourceSpan &from, DiagnosticSink &sink);

private:
  std::string path, temporary;
  std::error_code problem;
  std::unique_ptr<llvm::raw_fd_ostream> file;
  /// For what is no regular file and can't be replaced by one.
  std::string text;
  llvm::raw_string_ostream collected{text};
  llvm::raw_ostream *out;
};

/// Whether writeFileAtomically(`path`) has a folder to write into; makes it
/// when it is missing. Fails with an error at `from`.
LogicalResult checkWritable(StringRef path, const SourceSpan &from,
                            DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_SUPPORT_FILESYSTEM_H
