// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder for files that no run may leave behind.
#ifndef LH_CORE_SUPPORT_SCRATCHFOLDER_H
#define LH_CORE_SUPPORT_SCRATCHFOLDER_H

#include <sys/types.h>

#include <string>

namespace lh {

/// A folder in TMPDIR that goes with this object, and when a signal ends the
/// process that has made it. What SIGKILL leaves is dropped by whoever of the
/// same user makes such a folder next: its lock is free once all processes that
/// have inherited it have ended.
class ScratchFolder {
public:
  /// Check isUsable().
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  bool isUsable() const { return lock >= 0; }
  const std::string &path() const { return folder; }

private:
  friend struct OpenFolders;
  void remove();

  std::string folder;
  int lock = -1;   ///< the folder itself, locked
  pid_t maker = 0; ///< a forked process has no right to remove it
  ScratchFolder *next = nullptr;
};

} // namespace lh

#endif // LH_CORE_SUPPORT_SCRATCHFOLDER_H
