// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting a program and waiting for it.
#ifndef LH_RUNTIME_EMULATED_LAUNCH_H
#define LH_RUNTIME_EMULATED_LAUNCH_H

#include "runtime/emulated/MemoryFile.h"

#include <sys/types.h>

namespace lh {

/// A program that was started, or why it wasn't.
struct StartedProgram {
  pid_t process = -1;
  std::string problem; ///< "" when it was
};

/// Starts `words`, the first of which is looked up in PATH, in `folder` (empty:
/// where this process is), with these descriptors as its standard streams. It
/// dies with this thread.
StartedProgram startProgram(ArrayRef<std::string> words,
                            const std::string &folder, int input, int output,
                            int errors);

/// How a program ended.
struct LaunchResult {
  std::string problem; ///< why it didn't start; "" when it did
  int exitCode = 0;
  int signal = 0;     ///< that ended it; 0: none
  std::string errors; ///< what it wrote to standard error
};

/// Runs `words`, the first of which is looked up in PATH, with `input` behind
/// its standard input and `output` behind its standard output (null: nothing),
/// in `folder` (empty: where this process is). It inherits the descriptors in
/// `keeps` and dies with this process.
LaunchResult launch(ArrayRef<std::string> words,
                    ArrayRef<const MemoryFile *> keeps,
                    const MemoryFile *output = nullptr,
                    const MemoryFile *input = nullptr,
                    const std::string &folder = "");

/// What went wrong with a program that is to end with code 0: "ended with code
/// 3: it said no", with the end of what it wrote to standard error; "" when
/// nothing did.
std::string whyLaunchFailed(const LaunchResult &done);

/// At most the last `lines` lines of `text`.
StringRef lastLines(StringRef text, unsigned lines);

} // namespace lh

#endif // LH_RUNTIME_EMULATED_LAUNCH_H
