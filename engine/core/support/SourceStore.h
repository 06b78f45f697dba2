// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads text files and keeps them, so that diagnostics can show their lines.
#ifndef LH_CORE_SUPPORT_SOURCESTORE_H
#define LH_CORE_SUPPORT_SOURCESTORE_H

#include "core/support/Diagnostic.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <map>
#include <memory>
#include <optional>

namespace lh {

/// Owns the text of every file loaded through it. The file system is borrowed
/// and must outlive the store.
class SourceStore {
public:
  explicit SourceStore(llvm::vfs::FileSystem &files) : files(files) {}

  /// The text of `path`, read at most once; valid as long as the store. Fails
  /// with an error at `from` (the place that named the file; may be unknown).
  FailureOr<StringRef> load(StringRef path, const SourceSpan &from,
                            DiagnosticSink &sink);

  /// Line `line` (from 1) of `path`, without its end; reads the file when it
  /// isn't loaded, and is nothing when there is no such line.
  std::optional<StringRef> line(StringRef path, unsigned line);

  llvm::vfs::FileSystem &fileSystem() { return files; }

private:
  llvm::ErrorOr<StringRef> read(StringRef path);

  llvm::vfs::FileSystem &files;
  std::map<std::string, std::unique_ptr<llvm::MemoryBuffer>, std::less<>>
      buffers;
};

} // namespace lh

#endif // LH_CORE_SUPPORT_SOURCESTORE_H
