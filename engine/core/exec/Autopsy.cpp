// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a worker died, in words.
#include "core/exec/Autopsy.h"

#include "llvm/ADT/StringExtras.h"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

using namespace lh;

/// The line of `log` that tells most: one that names an error, else the last.
static StringRef tellingLine(StringRef log) {
  llvm::SmallVector<StringRef> lines;
  log.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef mark : {"LLVM ERROR:", "what():", "Assertion", "UNREACHABLE",
                         "AddressSanitizer", "runtime error:"})
    for (StringRef line : lines)
      if (line.contains(mark))
        return line.trim();
  // A stack trace follows the message and tells a user nothing.
  for (StringRef line : llvm::reverse(lines)) {
    StringRef text = line.trim();
    if (!text.starts_with("#") && !text.starts_with("PLEASE submit") &&
        !text.starts_with("Stack dump"))
      return text;
  }
  return "";
}

static bool tellsOfMemory(StringRef log) {
  for (StringRef mark : {"out of memory", "bad_alloc", "Allocation failed",
                         "Cannot allocate memory"})
    if (log.contains_insensitive(mark))
      return true;
  return false;
}

static std::string describeSignal(int signal) {
  const char *name = sigabbrev_np(signal);
  const char *meaning = sigdescr_np(signal);
  return std::string("crashed with SIG") + (name ? name : "?") + " (" +
         (meaning ? llvm::StringRef(meaning).lower() : "unknown signal") + ")";
}

StepOutcome lh::autopsy(StepId step, int waitStatus, std::string log) {
  StepOutcome outcome;
  outcome.step = step;
  outcome.status = StepStatus::Crashed;
  if (WIFSIGNALED(waitStatus))
    outcome.reason = describeSignal(WTERMSIG(waitStatus));
  else
    outcome.reason = "ended its process with exit status " +
                     std::to_string(WEXITSTATUS(waitStatus));
  if (tellsOfMemory(log)) {
    outcome.status = StepStatus::OutOfMemory;
    outcome.reason = "ran out of memory";
  } else if (WIFSIGNALED(waitStatus) && WTERMSIG(waitStatus) == SIGKILL) {
    // Nobody else here sends it.
    outcome.status = StepStatus::OutOfMemory;
    outcome.reason = "was killed with SIGKILL, as the system does when memory "
                     "runs out";
  }
  StringRef line = tellingLine(log);
  if (!line.empty())
    outcome.reason += ": " + line.take_front(400).str();
  outcome.log = std::move(log);
  return outcome;
}
