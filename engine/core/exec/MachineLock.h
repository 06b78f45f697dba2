// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timed steps have the machine to themselves.
#ifndef LH_CORE_EXEC_MACHINELOCK_H
#define LH_CORE_EXEC_MACHINELOCK_H

#include <optional>
#include <string>

namespace lh {

enum class MachineUse { Shared, Exclusive };

/// A lock between the processes of one run, on a file. Each process opens the
/// file itself: a descriptor that came through fork() shares its parent's lock.
class MachineLock {
public:
  /// Ends the hold when destroyed.
  class Hold {
  public:
    explicit Hold(int descriptor) : descriptor(descriptor) {}
    Hold(Hold &&other) noexcept;
    Hold &operator=(Hold &&) = delete;
    ~Hold();

  private:
    int descriptor;
  };

  /// Without a path the lock is always free.
  explicit MachineLock(std::string path) : path(std::move(path)) {}

  /// Waits until the machine is free for this use.
  Hold acquire(MachineUse use);
  /// The hold, if the machine is free for this use now.
  std::optional<Hold> tryAcquire(MachineUse use);

private:
  std::string path;
};

} // namespace lh

#endif // LH_CORE_EXEC_MACHINELOCK_H
