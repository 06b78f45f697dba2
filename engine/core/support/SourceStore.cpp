// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads text files and keeps them, so that diagnostics can show their lines.
#include "core/support/SourceStore.h"

#include "core/support/FileSystem.h"

using namespace lh;

llvm::ErrorOr<StringRef> SourceStore::read(StringRef path) {
  auto found = buffers.find(path.str());
  if (found != buffers.end())
    return found->second->getBuffer();
  llvm::ErrorOr<llvm::vfs::Status> status = files.status(path);
  if (!status)
    return status.getError();
  // Reading a device or a pipe could block for ever.
  if (!status->isRegularFile())
    return std::make_error_code(status->isDirectory()
                                    ? std::errc::is_a_directory
                                    : std::errc::invalid_argument);
  auto buffer = files.getBufferForFile(path);
  if (!buffer)
    return buffer.getError();
  auto &owned = buffers[path.str()] = std::move(*buffer);
  return owned->getBuffer();
}

FailureOr<StringRef> SourceStore::load(StringRef path, const SourceSpan &from,
                                       DiagnosticSink &sink) {
  llvm::ErrorOr<StringRef> text = read(path);
  if (text)
    return *text;
  return sink.error(DiagKind::SupportCannotRead, from,
                    "cannot read '" + path +
                        "': " + StringRef(text.getError().message()).lower() +
                        didYouMeanFile(path, files));
}

std::optional<StringRef> SourceStore::line(StringRef path, unsigned line) {
  llvm::ErrorOr<StringRef> text = read(path);
  if (!text || line == 0)
    return std::nullopt;
  StringRef rest = *text;
  for (unsigned i = 1; i < line; ++i) {
    size_t end = rest.find('\n');
    if (end == StringRef::npos)
      return std::nullopt;
    rest = rest.drop_front(end + 1);
  }
  return rest.take_until([](char c) { return c == '\n'; }).rtrim('\r');
}
