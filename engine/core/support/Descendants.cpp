// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processes that steps start and don't end.
#include "core/support/Descendants.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

using namespace lh;

/// As /proc shows it.
static constexpr const char *keptName = "lh-run-kept";

void lh::removeSharedMemory(pid_t process) {
  // By which OpenMP's runtime is found a second time in a process.
  for (const char *folder : {"/dev/shm", "/tmp"})
    unlink((std::string(folder) + "/__KMP_REGISTERED_LIB_" +
            std::to_string(process) + "_" + std::to_string(getuid()))
               .c_str());
}

void lh::clearUpAfter(pid_t ended) {
  kill(-ended, SIGKILL);
  removeSharedMemory(ended);
}

pid_t lh::forkKept() {
  // It has the name from its first moment on: this process may end before it
  // comes to do anything.
  char own[16];
  prctl(PR_GET_NAME, own);
  prctl(PR_SET_NAME, keptName);
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    return child;
  }
  prctl(PR_SET_NAME, own);
  if (child > 0)
    setpgid(child, child);
  return child;
}

static bool isKept(pid_t process) {
  std::string name;
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  return std::getline(file, name) && name == keptName;
}

/// This process's children but for those that are kept; none where the system
/// doesn't list them.
static std::set<pid_t> children() {
  std::set<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end;
       !error && task != end; task.increment(error)) {
    std::ifstream file(task->path() / "children");
    for (pid_t child = 0; file >> child;)
      if (!isKept(child))
        found.insert(child);
  }
  return found;
}

Subreaper::Subreaper() : hadChildren(!children().empty()) {
  prctl(PR_GET_CHILD_SUBREAPER, &previous);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Subreaper::~Subreaper() { prctl(PR_SET_CHILD_SUBREAPER, previous); }

size_t Subreaper::endOrphans(pid_t spared,
                             const std::function<void(pid_t)> &ended) const {
  size_t count = 0;
  if (hadChildren)
    return count;
  for (pid_t orphan : children()) {
    if (orphan == spared)
      continue;
    ++count;
    kill(orphan, SIGKILL);
    clearUpAfter(orphan);
    if (waitpid(orphan, nullptr, WNOHANG) == orphan && ended)
      ended(orphan);
  }
  return count;
}

void Subreaper::endAllOrphans(const std::function<void(pid_t)> &ended) const {
  constexpr int tries = 100;
  constexpr unsigned microseconds = 5000;
  for (int i = 0; i < tries && endOrphans(0, ended) > 0; ++i)
    usleep(microseconds);
}
