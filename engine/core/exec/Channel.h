// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A message queue from many worker processes to one coordinator.
#ifndef LH_CORE_EXEC_CHANNEL_H
#define LH_CORE_EXEC_CHANNEL_H

#include "core/support/Diagnostic.h"

#include <sys/types.h>

#include <map>
#include <optional>

namespace lh {

/// A socket pair that processes share through fork(). Messages of any length
/// are cut into packets; what a dying process had sent in part is dropped, and
/// disturbs no other sender.
class Channel {
public:
  struct Received {
    pid_t sender = 0;
    std::string text;
  };

  /// Check isOpen(): the system may be out of descriptors.
  Channel();
  ~Channel();
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  bool isOpen() const { return sendEnd >= 0; }

  /// Waits while the queue is full. False when the coordinator is gone.
  bool send(StringRef text);

  /// The next complete message, without waiting.
  std::optional<Received> receive();
  /// Forgets what `sender` had sent in part.
  void dropPartial(pid_t sender) { partial.erase(sender); }

  /// For poll().
  int receiveDescriptor() const { return receiveEnd; }

private:
  int sendEnd = -1, receiveEnd = -1;
  std::map<pid_t, std::string> partial;
};

} // namespace lh

#endif // LH_CORE_EXEC_CHANNEL_H
