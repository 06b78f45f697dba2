// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes that steps start and don't end.
#ifndef LH_CORE_SUPPORT_DESCENDANTS_H
#define LH_CORE_SUPPORT_DESCENDANTS_H

#include <sys/types.h>

#include <functional>
#include <set>

namespace lh {

/// Removes what the runtimes of `process` keep in memory that processes share
/// until it leaves main(), which neither a worker does nor lh-run.
void removeSharedMemory(pid_t process);

/// Ends the process group that the child `ended` has led, and removes its
/// shared memory. To be called before it is waited for: until then its number
/// is its own.
void clearUpAfter(pid_t ended);

/// Forks a process that outlives this one, and that endOrphans() spares. It has
/// a group of its own.
pid_t forkKept();

/// While it lives, this process is handed those whose parents end, however far
/// below it they were started.
class Subreaper {
public:
  Subreaper();
  ~Subreaper();
  Subreaper(const Subreaper &) = delete;
  Subreaper &operator=(const Subreaper &) = delete;

  /// Ends what was handed over but for `spared` and what is kept; calls `ended`
  /// for each that has gone. How many there were. Does nothing where this
  /// process had children before, since theirs can't be told apart.
  size_t endOrphans(pid_t spared,
                    const std::function<void(pid_t)> &ended = nullptr) const;

  /// The same, until there is none left. What an uninterruptible system call
  /// holds is left to the system after half a second.
  void endAllOrphans(const std::function<void(pid_t)> &ended = nullptr) const;

private:
  bool hadChildren; ///< which are not kept
  int previous = 0;
};

} // namespace lh

#endif // LH_CORE_SUPPORT_DESCENDANTS_H
