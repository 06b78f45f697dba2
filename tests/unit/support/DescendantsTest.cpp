// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is ended with a run, and who is not.
#include "core/support/Descendants.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace lh;

/// A process that waits, started by one that has ended; its number comes
/// through `tell`.
template <typename Fork> static pid_t orphan(Fork fork) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  pid_t parent = ::fork();
  if (parent == 0) {
    pid_t child = fork();
    if (child == 0) {
      alarm(600);
      while (true)
        pause();
    }
    _exit(write(ends[1], &child, sizeof child) == sizeof child ? 0 : 1);
  }
  pid_t child = 0;
  REQUIRE(read(ends[0], &child, sizeof child) == sizeof child);
  REQUIRE(waitpid(parent, nullptr, 0) == parent);
  close(ends[0]);
  close(ends[1]);
  return child;
}

static bool isAlive(pid_t child) {
  return waitpid(child, nullptr, WNOHANG) == 0;
}

static void end(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("what was handed over is ended, what is kept is not", "[processes]") {
  Subreaper subreaper;
  pid_t stray = orphan(::fork), kept = orphan(forkKept);
  pid_t spared = orphan(::fork);
  CHECK(subreaper.endOrphans(spared) == 1);
  CHECK(isAlive(kept));
  CHECK(isAlive(spared));
  std::vector<pid_t> ended;
  subreaper.endAllOrphans([&](pid_t child) { ended.push_back(child); });
  CHECK(kill(stray, 0) != 0);
  CHECK(kill(spared, 0) != 0);
  CHECK(isAlive(kept));
  CHECK(subreaper.endOrphans(0) == 0);
  end(kept);
}

TEST_CASE("where there were children before, nobody is ended", "[processes]") {
  pid_t before = ::fork();
  if (before == 0) {
    alarm(600);
    while (true)
      pause();
  }
  {
    Subreaper subreaper;
    pid_t child = orphan(::fork);
    subreaper.endAllOrphans();
    CHECK(isAlive(child));
    end(child);
  }
  CHECK(isAlive(before));
  end(before);
}
