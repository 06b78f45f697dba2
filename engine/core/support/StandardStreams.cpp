// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process's standard streams: there, and standard output for results alone.
#include "core/support/StandardStreams.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

using namespace lh;

/// Where standardOutput() writes to.
static int outputDescriptor = STDOUT_FILENO;

void lh::setUpStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    // The lowest free descriptor is taken: this one.
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", O_RDWR);
  int aside = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (aside < 0)
    return; // then it is as it was
  outputDescriptor = aside;
  (void)dup2(STDERR_FILENO, STDOUT_FILENO);
}

llvm::raw_fd_ostream &lh::standardOutput() {
  static llvm::raw_fd_ostream stream(outputDescriptor, /*shouldClose=*/false,
                                     /*unbuffered=*/true);
  return stream;
}

LogicalResult lh::flushAll(llvm::raw_fd_ostream &stream, StringRef name,
                           const SourceSpan &from, DiagnosticSink &sink) {
  stream.flush();
  if (!stream.has_error())
    return success();
  std::string why = StringRef(stream.error().message()).lower();
  stream.clear_error();
  return sink.error(DiagKind::SupportCannotWrite, from,
                    "cannot write to " + name + ": " + why);
}

LogicalResult lh::writeToStandardOutput(StringRef contents,
                                        const SourceSpan &from,
                                        DiagnosticSink &sink) {
  standardOutput() << contents;
  return flushAll(standardOutput(), "standard output", from, sink);
}
