// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool's program while it runs: a line is asked, and a line answered.
#ifndef LH_RUNTIME_EXTERNAL_TOOLPROCESS_H
#define LH_RUNTIME_EXTERNAL_TOOLPROCESS_H

#include "core/manifest/Manifest.h"
#include "core/plan/MakePlan.h"
#include "runtime/emulated/MemoryFile.h"

#include <sys/types.h>

namespace lh {

/// A program with a pipe to its standard input and one from its standard
/// output. It ends with the object, and with the thread that has started it.
class ToolProcess {
public:
  ToolProcess() = default;
  ~ToolProcess();
  ToolProcess(const ToolProcess &) = delete;
  ToolProcess &operator=(const ToolProcess &) = delete;

  /// Starts `words` in `folder`. Why it can't; "" when it did.
  std::string start(ArrayRef<std::string> words, const std::string &folder);

  /// Asks for `request` (empty: for nothing, it is just starting) and waits for
  /// the line "lh: <answer>". Why there is none: it has ended, or says why it
  /// failed, "lh: failed REASON"; "" when the answer came.
  std::string ask(StringRef request, StringRef answer);

  /// The next line of its output; nothing when it has closed that, or has said
  /// nothing for so many seconds (0: it is waited for), and is then ended.
  std::optional<std::string> readLine(double seconds = 0);

  /// Waits for its end. How it ended, "" for code 0.
  std::string finish();

private:
  void closePipes();

  pid_t process = 0;
  int toIt = -1, fromIt = -1;
  std::string unread;       ///< of its output
  double silentSeconds = 0; ///< after which it was ended; 0: it wasn't
  MemoryFile errors;
};

/// Asks the tool's `version` program.
ToolState askTool(const ToolSpec &tool);

} // namespace lh

#endif // LH_RUNTIME_EXTERNAL_TOOLPROCESS_H
