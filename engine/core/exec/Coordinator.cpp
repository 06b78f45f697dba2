// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process that watches over workers and keeps the record.
#include "core/exec/Coordinator.h"

#include "core/exec/Autopsy.h"
#include "core/exec/Signals.h"
#include "core/exec/StepWrapper.h"
#include "core/exec/Worker.h"
#include "core/support/Descendants.h"

#include "llvm/Support/MemoryBuffer.h"

#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <new>

using namespace lh;

using Clock = std::chrono::steady_clock;

namespace {

/// A flag in memory that stays shared after fork().
class SharedFlag {
public:
  SharedFlag()
      : memory(mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory != MAP_FAILED)
      flag = new (memory) std::atomic<bool>(false);
  }
  ~SharedFlag() {
    if (memory != MAP_FAILED)
      munmap(memory, sizeof(std::atomic<bool>));
  }
  SharedFlag(const SharedFlag &) = delete;
  SharedFlag &operator=(const SharedFlag &) = delete;

  std::atomic<bool> &get() { return *flag; }

private:
  void *memory;
  std::atomic<bool> inThisProcess{false};
  std::atomic<bool> *flag = &inThisProcess;
};

class Coordinator {
public:
  Coordinator(const Plan &plan, StepRunner &runner, const ExecOptions &options,
              Ledger &ledger, unsigned jobs)
      : plan(plan), runner(runner), options(options), ledger(ledger),
        tokens(jobs), beginsCase(stepsThatBeginCases(plan)),
        shared{plan,
               channel,
               tokens,
               MachineLock(options.scratchFolder + "/machine"),
               stop.get(),
               beginsCase,
               options.memoryLimitBytes,
               options.scratchFolder} {}

  bool run();

private:
  /// A step that a worker is in.
  struct Running {
    StepId step = 0;
    Clock::time_point begin = Clock::now();
    Clock::time_point deadline = Clock::time_point::max();
    bool timedOut = false;
  };

  bool start();
  void wait();
  void readMessages();
  void handle(pid_t sender, Message message);
  void began(pid_t worker, StepId step);
  void workerEnded(pid_t worker, int status);
  bool reapRoot();
  void killLate();
  void judge();
  void killAll();
  std::string takeLog(pid_t worker);
  unsigned numberOf(pid_t worker);

  const Plan &plan;
  StepRunner &runner;
  const ExecOptions &options;
  Ledger &ledger;
  Subreaper subreaper;
  // What a terminal that goes, a reader that goes and a full quota send would
  // end this process before it has cleared up.
  SignalCollector signals{SIGINT,  SIGTERM, SIGCHLD, SIGHUP,
                          SIGQUIT, SIGPIPE, SIGXFSZ};
  SharedFlag stop;
  Channel channel;
  Tokens tokens;
  std::vector<bool> beginsCase;
  WorkerShared shared;
  pid_t root = 0;
  bool interrupted = false;
  std::map<pid_t, Running> running;
  std::map<pid_t, unsigned> workerNumbers;
};

} // namespace

std::vector<bool> lh::stepsThatBeginCases(const Plan &plan) {
  std::vector<std::set<std::string>> cases(plan.steps.size());
  std::set<std::string> all;
  auto add = [&](StepId leaf, const std::string &name) {
    for (StepId step : plan.pathTo(leaf))
      cases[step].insert(name);
  };
  for (const PlannedResult &result : plan.results) {
    if (!result.notApplicable.empty() || !result.skipped.empty())
      continue;
    all.insert(result.key.caseName);
    add(result.leaf, result.key.caseName);
  }
  for (const PlannedComparison &comparison : plan.comparisons)
    for (StepId leaf : comparison.referenceLeaves())
      add(leaf, plan.results[comparison.result].key.caseName);
  std::vector<bool> begins(plan.steps.size());
  for (const Step &step : plan.steps)
    begins[step.id] = cases[step.id].size() <
                      (step.parent ? cases[*step.parent] : all).size();
  return begins;
}

bool Coordinator::start() {
  root = startWorker(shared, runner, plan.roots, &signals);
  if (root > 0)
    return true;
  for (StepId step : plan.roots)
    ledger.finished(notStarted(step));
  return false;
}

bool Coordinator::run() {
  if (plan.roots.empty() || !start())
    return false;
  while (true) {
    wait();
    for (int signal; (signal = signals.next()) != 0;)
      if (signal != SIGCHLD) {
        killAll();
        return true;
      }
    // All that the root worker said lies in the queue once it has ended.
    bool ended = reapRoot();
    readMessages();
    judge();
    if (ended) {
      subreaper.endAllOrphans();
      return false;
    }
    killLate();
  }
}

/// Until there is something to do; not longer than the next deadline.
void Coordinator::wait() {
  Clock::time_point next = Clock::time_point::max();
  for (const auto &[worker, state] : running)
    next = std::min(next, state.timedOut ? next : state.deadline);
  // Verdicts that wait for a timed step are tried again soon.
  int milliseconds = ledger.hasReady() ? 20 : -1;
  if (next != Clock::time_point::max()) {
    std::chrono::duration<double, std::milli> left = next - Clock::now();
    double capped = std::clamp(std::ceil(left.count()), 0.0, 1e6);
    milliseconds = milliseconds < 0
                       ? static_cast<int>(capped)
                       : std::min(milliseconds, static_cast<int>(capped));
  }
  pollfd wakers[] = {{channel.receiveDescriptor(), POLLIN, 0},
                     {signals.descriptor(), POLLIN, 0}};
  poll(wakers, 2, milliseconds);
}

void Coordinator::readMessages() {
  while (std::optional<Channel::Received> received = channel.receive())
    if (std::optional<Message> message = decode(received->text))
      handle(received->sender, std::move(*message));
}

void Coordinator::handle(pid_t sender, Message message) {
  if (const auto *started = std::get_if<StepStarted>(&message))
    return began(sender, started->step);
  if (const auto *ended = std::get_if<WorkerEnded>(&message))
    return workerEnded(ended->worker, ended->status);
  running.erase(sender);
  StepOutcome outcome = std::move(std::get<StepFinished>(message).outcome);
  outcome.worker = numberOf(sender);
  ledger.finished(std::move(outcome));
}

unsigned Coordinator::numberOf(pid_t worker) {
  auto next = static_cast<unsigned>(workerNumbers.size());
  return workerNumbers.try_emplace(worker, next).first->second;
}

void Coordinator::began(pid_t worker, StepId step) {
  if (step >= plan.steps.size())
    return;
  Running state;
  state.step = step;
  if (options.stepTimeoutSeconds > 0)
    state.deadline = state.begin + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(std::min(
                                           options.stepTimeoutSeconds, 1e6)));
  running[worker] = state;
  ledger.started(step);
}

std::string Coordinator::takeLog(pid_t worker) {
  std::string path = standardErrorPath(options.scratchFolder, worker);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  std::string text = buffer ? (*buffer)->getBuffer().str() : "";
  unlink(path.c_str());
  return text;
}

void Coordinator::workerEnded(pid_t worker, int status) {
  channel.dropPartial(worker);
  subreaper.endOrphans(root);
  std::string log = takeLog(worker);
  // Of an end that the user asked for there is nothing to say.
  if (interrupted)
    return;
  auto found = running.find(worker);
  if (found == running.end())
    return;
  Running state = found->second;
  running.erase(found);
  StepOutcome outcome = autopsy(state.step, status, std::move(log));
  outcome.begin = secondsOfClock(state.begin);
  outcome.seconds = secondsOfClock(Clock::now()) - outcome.begin;
  outcome.worker = numberOf(worker);
  if (state.timedOut) {
    outcome.status = StepStatus::TimedOut;
    char seconds[32];
    std::snprintf(seconds, sizeof(seconds), "%g", options.stepTimeoutSeconds);
    outcome.reason =
        std::string("took longer than ") + seconds + " s (--step-timeout)";
  }
  ledger.finished(std::move(outcome));
}

bool Coordinator::reapRoot() {
  siginfo_t ended{};
  if (waitid(P_PID, static_cast<id_t>(root), &ended,
             WEXITED | WNOHANG | WNOWAIT) != 0 ||
      ended.si_pid != root)
    return false;
  clearUpAfter(root);
  int status = 0;
  waitpid(root, &status, 0);
  readMessages();
  workerEnded(root, status);
  return true;
}

/// Ends workers whose step takes too long. What they did say comes first.
void Coordinator::killLate() {
  for (auto &[worker, state] : running)
    if (!state.timedOut && Clock::now() >= state.deadline) {
      state.timedOut = true;
      kill(-worker, SIGKILL);
      kill(worker, SIGKILL);
    }
}

/// Not while a timed step has the machine: comparing costs time too.
void Coordinator::judge() {
  if (ledger.hasReady())
    if (auto hold = shared.machine.tryAcquire(MachineUse::Shared))
      ledger.judgeReady();
  if (ledger.hasFailure() && !options.keepGoing)
    stop.get() = true;
}

/// Everything dies with the root worker; tools have their workers' groups.
void Coordinator::killAll() {
  interrupted = true;
  for (const auto &[worker, state] : running)
    kill(-worker, SIGKILL);
  kill(-root, SIGKILL);
  kill(root, SIGKILL);
  subreaper.endAllOrphans([&](pid_t ended) { takeLog(ended); });
  readMessages();
}

static unsigned processorCount() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  return static_cast<unsigned>(std::max(CPU_COUNT(&set), 1));
}

bool lh::coordinate(const Plan &plan, StepRunner &runner,
                    const ExecOptions &options, Ledger &ledger) {
  unsigned jobs = options.jobs > 0 ? options.jobs : processorCount();
  bool interrupted = Coordinator(plan, runner, options, ledger, jobs).run();
  unlink((options.scratchFolder + "/machine").c_str());
  return interrupted;
}
