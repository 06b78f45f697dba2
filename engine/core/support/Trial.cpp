// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether work that may crash comes to its end.
#include "core/support/Trial.h"

#include "llvm/Support/ErrorHandling.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace lh;

static void limit(__rlimit_resource_t resource, rlim_t most) {
  rlimit limits = {most, most};
  setrlimit(resource, &limits);
}

/// The address space of this process, in bytes.
static uint64_t heldBytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] static void tryIt(llvm::function_ref<void()> work,
                               const TrialLimits &limits) {
  for (int number = 1; number < NSIG; ++number)
    signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, heldBytes() + limits.bytes);
  limit(RLIMIT_CPU, limits.seconds);
  alarm(10 * limits.seconds);
  // What else stands on the stack and in handlers is the parent's.
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(
      [](void *, const char *, bool) { _exit(1); });
  std::atexit([] { _exit(1); });
  work();
  _exit(0);
}

std::string lh::endOfTrial(llvm::function_ref<void()> work,
                           const TrialLimits &limits) {
  pid_t child = fork();
  if (child == 0)
    tryIt(work, limits);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return "";
  if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
    return "";
  if (WIFEXITED(status))
    return "gives up";
  switch (int number = WTERMSIG(status)) {
  case SIGABRT:
    return "aborts";
  case SIGXCPU:
  case SIGALRM:
  case SIGKILL: // by the limits, or by the system for want of memory
    return "takes more than " + std::to_string(limits.seconds) + " s or " +
           std::to_string(limits.bytes >> 20) + " MiB";
  default:
    return std::string("crashes (") + strsignal(number) + ")";
  }
}
