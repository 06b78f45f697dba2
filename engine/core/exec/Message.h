// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What workers tell the coordinator, as text.
#ifndef LH_CORE_EXEC_MESSAGE_H
#define LH_CORE_EXEC_MESSAGE_H

#include "core/plan/RunRecord.h"

#include <sys/types.h>

#include <variant>

namespace lh {

/// The sender begins this step.
struct StepStarted {
  StepId step = 0;
};
/// The sender has ended this step.
struct StepFinished {
  StepOutcome outcome;
};
/// A child of the sender has ended; `status` is what waitpid() gave.
struct WorkerEnded {
  pid_t worker = 0;
  int status = 0;
};

using Message = std::variant<StepStarted, StepFinished, WorkerEnded>;

/// JSON; text that is not UTF-8 is repaired, numbers are finite.
std::string encode(const Message &message);

/// Nothing when `text` is not a message (a worker with a damaged memory).
std::optional<Message> decode(StringRef text);

} // namespace lh

#endif // LH_CORE_EXEC_MESSAGE_H
