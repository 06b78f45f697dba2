// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External tools, with what they read and write in memory.
#include "cli/ExternalCommand.h"

#include "runtime/emulated/Launch.h"

#include <unistd.h>

using namespace lh;

/// "ended with code 3: it said no".
static std::string endOf(const LaunchResult &done) {
  std::string end = done.signal == 0
                        ? "ended with code " + std::to_string(done.exitCode)
                        : "was ended by signal " + std::to_string(done.signal);
  constexpr unsigned lines = 5;
  StringRef complaint = lastLines(done.errors, lines);
  return complaint.empty() ? end : end + ": " + complaint.str();
}

FailureOr<std::string> lh::runExternalCommand(ArrayRef<std::string> words,
                                              StringRef input,
                                              DiagnosticSink &sink) {
  auto fail = [&](const Twine &what) {
    return sink.error(DiagKind::DriverCommandFailed, {},
                      "command '" + words.front() + "' " + what);
  };
  MemoryFile in, out;
  if (!in.isUsable() || !out.isUsable() || !in.write(input) ||
      lseek(in.descriptor(), 0, SEEK_SET) != 0)
    return fail("can't be started: there is no memory for its input");
  LaunchResult done = launch(words, {&in, &out}, &out, &in);
  if (!done.problem.empty())
    return fail("can't be started: " + done.problem +
                "; commands are looked up in PATH");
  if (done.exitCode != 0 || done.signal != 0)
    return fail(endOf(done));
  return out.read();
}
