// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process that does steps, and forks where the plan's tree does.
#include "core/exec/Worker.h"

#include "core/exec/Signals.h"
#include "core/exec/StepWrapper.h"
#include "core/support/Descendants.h"

#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

extern "C" { // glibc 2.36 declares it for C alone.
#include <sys/pidfd.h>
}

using namespace lh;

namespace {

/// One worker process, from its first step to its exit.
class Worker {
public:
  Worker(const WorkerShared &shared, StepRunner &runner)
      : shared(shared), runner(runner), machine(shared.machine) {}

  void runSiblings(ArrayRef<StepId> steps);

private:
  bool runOne(StepId id);
  void forkEach(ArrayRef<StepId> steps);
  void forkNext(StepId step);
  void awaitChange(bool wantsToken);
  void reapChildren();
  void tell(const Message &message) {
    // Without a coordinator there is nobody to work for.
    if (!shared.channel.send(encode(message)))
      _exit(1);
  }

  const WorkerShared &shared;
  StepRunner &runner;
  MachineLock machine;
  std::map<pid_t, int> children; ///< with what is readable once they ended
};

} // namespace

std::string lh::standardErrorPath(const std::string &scratchFolder,
                                  pid_t worker) {
  return scratchFolder + "/stderr-" + std::to_string(worker);
}

/// Takes what is in the file behind standard error since the last time.
static std::string takeStandardError() {
  std::string text;
  struct stat status {};
  if (fstat(STDERR_FILENO, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size <= 0)
    return text;
  text.resize(static_cast<size_t>(status.st_size));
  ssize_t size = pread(STDERR_FILENO, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  // What stays in the file belongs to the step that never returned.
  if (ftruncate(STDERR_FILENO, 0) != 0)
    text.clear();
  return text;
}

static void flushStreams() {
  llvm::outs().flush();
  std::fflush(nullptr);
}

bool Worker::runOne(StepId id) {
  StepOutcome outcome =
      runStep(shared.plan.steps[id], runner, machine,
              [&](const Step &step) { tell(StepStarted{step.id}); });
  flushStreams();
  outcome.log += takeStandardError();
  bool passed = outcome.status == StepStatus::Passed;
  tell(StepFinished{std::move(outcome)});
  return passed;
}

/// Goes down the tree in this process as long as there is one way to go.
void Worker::runSiblings(ArrayRef<StepId> steps) {
  while (steps.size() == 1) {
    StepId step = steps.front();
    if (shared.stop && shared.beginsCase[step])
      return;
    if (!runOne(step))
      return;
    steps = shared.plan.steps[step].children;
  }
  if (!steps.empty())
    forkEach(steps);
}

/// From here on this process only starts workers and waits for them, so that
/// no step can take its siblings along. It owns one token, which its first
/// child uses, and takes more while there are any.
void Worker::forkEach(ArrayRef<StepId> steps) {
  size_t owned = 1;
  while (!steps.empty() || !children.empty()) {
    while (!steps.empty()) {
      if (children.size() == owned) {
        if (!shared.tokens.tryTake())
          break;
        ++owned;
      }
      forkNext(steps.front());
      steps = steps.drop_front();
    }
    for (; steps.empty() && owned > std::max<size_t>(children.size(), 1);
         --owned)
      shared.tokens.giveBack();
    if (children.empty())
      continue;
    awaitChange(!steps.empty());
    reapChildren();
  }
}

/// Waits until a child has ended, or a token may be there. Not by SIGCHLD: a
/// thread that a step left behind may be the one that is given it.
void Worker::awaitChange(bool wantsToken) {
  std::vector<pollfd> wakers;
  for (auto [child, descriptor] : children)
    wakers.push_back({descriptor, POLLIN, 0});
  if (wantsToken)
    wakers.push_back({shared.tokens.descriptor(), POLLIN, 0});
  poll(wakers.data(), wakers.size(), -1);
}

void Worker::forkNext(StepId step) {
  if (shared.stop && shared.beginsCase[step])
    return;
  pid_t child = startWorker(shared, runner, step);
  int descriptor = child > 0 ? pidfd_open(child, 0) : -1;
  if (descriptor >= 0) {
    children.emplace(child, descriptor);
    return;
  }
  if (child > 0) { // Nothing tells of its end, so it is waited for.
    int status = 0;
    waitpid(child, &status, 0);
    return tell(WorkerEnded{child, status});
  }
  tell(StepFinished{notStarted(step)});
}

void Worker::reapChildren() {
  for (siginfo_t ended{};
       waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
       ended.si_pid > 0;
       ended = {}) {
    pid_t child = ended.si_pid;
    clearUpAfter(child); // what its steps have started and not ended
    int status = 0;
    waitpid(child, &status, 0);
    auto known = children.find(child);
    if (known == children.end())
      continue;
    close(known->second);
    children.erase(known);
    tell(WorkerEnded{child, status});
  }
}

/// Unwinding would end in the coordinator's code, in the wrong process.
[[noreturn]] static void outOfMemory() {
  static constexpr char text[] = "out of memory\n";
  (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
  _exit(1);
}

/// Its group is ended with a worker, tools and what these have started.
static void endWithGroup(int) {
  kill(-getpid(), SIGKILL);
  _exit(1);
}

/// Ends this process, and its group, when `parent` has ended, were it by
/// SIGKILL. The terminal's Ctrl-C reaches the coordinator alone.
static void tieTo(pid_t parent) {
  setpgid(0, 0);
  struct sigaction action {};
  action.sa_handler = endWithGroup;
  sigaction(SIGTERM, &action, nullptr);
  sigset_t parentEnded;
  sigemptyset(&parentEnded);
  sigaddset(&parentEnded, SIGTERM);
  sigprocmask(SIG_UNBLOCK, &parentEnded, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    _exit(1);
}

/// Catches what is printed, limits memory, and ties this process to `parent`.
static void becomeWorker(const WorkerShared &shared, pid_t parent) {
  tieTo(parent);
  // What its steps and tools leave there goes with the run.
  setenv("TMPDIR", shared.scratchFolder.c_str(), /*overwrite=*/1);
  std::string path = standardErrorPath(shared.scratchFolder, getpid());
  int file = open(path.c_str(),
                  O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (file >= 0) {
    // What a pass prints is no result, wherever it prints it.
    dup2(file, STDERR_FILENO);
    dup2(file, STDOUT_FILENO);
    close(file);
  }
  std::set_new_handler(outOfMemory);
  if (shared.memoryLimitBytes == 0)
    return;
  rlimit limit{shared.memoryLimitBytes, shared.memoryLimitBytes};
  setrlimit(RLIMIT_DATA, &limit);
}

/// The whole life of a worker. An exception ends it here, as a crash.
[[noreturn]] static void workerMain(const WorkerShared &shared,
                                    StepRunner &runner, ArrayRef<StepId> steps,
                                    pid_t parent) noexcept {
  becomeWorker(shared, parent);
  Worker(shared, runner).runSiblings(steps);
  flushStreams();
  // Without destructors: what this process has is the parent's too.
  _exit(0);
}

StepOutcome lh::notStarted(StepId step) {
  StepOutcome outcome;
  outcome.step = step;
  outcome.status = StepStatus::Failed;
  outcome.reason =
      std::string("cannot start a worker process: ") + std::strerror(errno);
  return outcome;
}

pid_t lh::startWorker(const WorkerShared &shared, StepRunner &runner,
                      ArrayRef<StepId> steps, const SignalCollector *signals) {
  flushStreams();
  pid_t parent = getpid();
  pid_t child = fork();
  if (child != 0)
    return child;
  if (signals)
    signals->restoreMask();
  workerMain(shared, runner, steps, parent);
}
