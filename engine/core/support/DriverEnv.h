// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything with an effect that the commands use, handed in from main.
#ifndef LH_CORE_SUPPORT_DRIVERENV_H
#define LH_CORE_SUPPORT_DRIVERENV_H

#include "core/support/FileSystem.h"
#include "core/support/StreamSink.h"
#include "core/support/VisibleText.h"

#include "llvm/Support/VirtualFileSystem.h"

#include <string>
#include <vector>

namespace lh {

struct DriverEnv {
  llvm::vfs::FileSystem &files;
  /// What commands say goes out by these two, and nowhere else.
  VisibleStream &out;
  VisibleStream &err;
  bool errIsTerminal = false;
  bool color = false; ///< a terminal, and NO_COLOR is not set
  unsigned width = 80;
  /// Folders that hold `schedules/` and `targets/` for `lib:` names: the
  /// source tree's or share/lighthouse beside the executable.
  std::vector<std::string> libraryDirs;
  std::string cacheDir = {}; ///< for what steps do; empty: none
  std::string today = {};    ///< in UTC, as "2026-11-21"
  /// The command line behind the program's name, for who starts it again.
  std::vector<std::string> words = {};
};

/// Where diagnostics go: standard error, paths relative to here.
inline StreamSinkOptions sinkOptions(const DriverEnv &env) {
  return {.color = env.color, .workingDirectory = workingDirectory()};
}

} // namespace lh

#endif // LH_CORE_SUPPORT_DRIVERENV_H
