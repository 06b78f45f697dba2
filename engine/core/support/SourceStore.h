// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads text files and keeps them, so that diagnostics can show their lines.
#ifndef LH_CORE_SUPPORT_SOURCESTORE_H
#define LH_CORE_SUPPORT_SOURCESTORE_H

#include "core/support/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

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

  /// What `read` makes of the text of `path`; lives as long as the store. What
  /// is without errors is read once: hundreds of manifests use the same bubbles
  /// and targets. Null, after an error, where that fails.
  template <typename Parts>
  const Parts *
  parts(StringRef path, const SourceSpan &from, DiagnosticSink &sink,
        llvm::function_ref<FailureOr<Parts>(StringRef text)> read) {
    static const char typeOfParts = 0;
    std::pair<std::string, const void *> key(path.str(), &typeOfParts);
    if (auto known = parsed.find(key); known != parsed.end())
      return static_cast<const Parts *>(known->second.get());
    unsigned errors = sink.errorCount();
    FailureOr<StringRef> text = load(path, from, sink);
    if (failed(text))
      return nullptr;
    FailureOr<Parts> made = read(*text);
    if (failed(made))
      return nullptr;
    auto owned = std::make_shared<Parts>(std::move(*made));
    if (sink.errorCount() == errors)
      parsed[key] = owned;
    else
      broken.push_back(owned);
    return owned.get();
  }

private:
  llvm::ErrorOr<StringRef> read(StringRef path);

  llvm::vfs::FileSystem &files;
  std::map<std::string, std::unique_ptr<llvm::MemoryBuffer>, std::less<>>
      buffers;
  std::map<std::pair<std::string, const void *>, std::shared_ptr<void>> parsed;
  std::vector<std::shared_ptr<void>> broken;
};

} // namespace lh

#endif // LH_CORE_SUPPORT_SOURCESTORE_H
