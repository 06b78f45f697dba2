// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns over a socket: a request of two numbers, a reply of times or a reason.
#include "core/bench/Seat.h"

#include "core/support/Descendants.h"

#include "llvm/ADT/ArrayRef.h"

#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace lh;

namespace {
/// No calls at all: finish.
struct Request {
  uint64_t warmUps = 0, calls = 0;
};
} // namespace

/// Also what a sitter says before its first turn. Plain bytes.
struct Seat::Reply {
  pid_t process = 0;
  uint64_t bytes = 0;
  bool onDevice = false;
  Lap lap;
  char failure[400] = "";
};

static double secondsOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Whether this process has the core now, as long as it or a child lives: its
/// number is the name of a socket, which no two have.
static bool takeCore(int core) {
  int holder = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  // Without a file: a name that begins with a zero (unix(7)).
  snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "lighthouse-core-%d",
           core);
  if (holder < 0 ||
      bind(holder, reinterpret_cast<sockaddr *>(&name), sizeof(name)) == 0)
    return true;
  bool isTaken = errno == EADDRINUSE;
  close(holder);
  return !isTaken;
}

static int pickCore() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return -1;
  int last = -1;
  for (int core = CPU_SETSIZE - 1; core >= 0; --core)
    if (CPU_ISSET(core, &set)) {
      last = std::max(last, core);
      if (takeCore(core))
        return core;
    }
  return last;
}

int lh::quietCore() {
  static const int core = pickCore();
  return core;
}

/// `core` and the ones before it that this process may use, `count` in all.
static std::vector<int> coresUpTo(int core, unsigned count) {
  std::vector<int> cores;
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0)
    return cores;
  for (; core >= 0 && cores.size() < count; --core)
    if (CPU_ISSET(core, &usable))
      cores.push_back(core);
  return cores;
}

/// A thread (0: this one), to any of `cores`; to none in particular if empty.
static void pin(pid_t thread, llvm::ArrayRef<int> cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores)
    CPU_SET(core, &set);
  if (!cores.empty())
    sched_setaffinity(thread, sizeof(set), &set);
}

/// Each thread of this process to a core of its own: the system may wake two
/// on one, next to an idle one.
static void spreadThreads(llvm::ArrayRef<int> cores) {
  DIR *threads = opendir("/proc/self/task");
  if (!threads)
    return;
  std::vector<pid_t> ids;
  while (dirent *entry = readdir(threads))
    if (int id = std::atoi(entry->d_name); id > 0)
      ids.push_back(id);
  closedir(threads);
  std::sort(ids.begin(), ids.end());
  for (size_t i = 0; i < ids.size(); ++i)
    pin(ids[i], cores[i % cores.size()]);
}

Seat::Seat() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return;
  teller = ends[0];
  sitter = ends[1];
}

Seat::~Seat() {
  if (teller >= 0)
    close(teller);
  if (sitter >= 0)
    close(sitter);
  if (process > 0) {
    kill(process, SIGKILL);
    clearUpAfter(process);
    waitpid(process, nullptr, 0);
  }
}

/// Times one turn in the sitter's process.
static std::string playTurn(Sitter &player, const Request &request,
                            llvm::ArrayRef<int> cores, Lap &lap) {
  std::string failure;
  if (request.warmUps > 0)
    failure = player.call(request.warmUps);
  if (!failure.empty())
    return failure;
  if (cores.size() > 1)
    spreadThreads(cores);
  double wall = secondsOf(CLOCK_MONOTONIC);
  double cpu = secondsOf(CLOCK_THREAD_CPUTIME_ID);
  failure = player.call(request.calls);
  lap.cpuSeconds = secondsOf(CLOCK_THREAD_CPUTIME_ID) - cpu;
  lap.wallSeconds = secondsOf(CLOCK_MONOTONIC) - wall;
  lap.calls = request.calls;
  if (player.callsElsewhere())
    lap.cpuSeconds = lap.wallSeconds;
  if (std::optional<double> seconds = player.deviceSeconds()) {
    lap.wallSeconds = lap.cpuSeconds = *seconds;
    lap.byDevice = true;
  }
  return failure;
}

/// What a process has open it shares with those it was forked from: their locks
/// and their ends of other sockets would live as long as it does.
static void closeAllBut(int descriptor) {
  if (descriptor > 3)
    close_range(3, static_cast<unsigned>(descriptor) - 1, 0);
  close_range(static_cast<unsigned>(descriptor) + 1, ~0U, 0);
}

/// The whole life of a sitter.
template <typename Reply>
[[noreturn]] static void sit(int socket, int core, unsigned count,
                             Seat::MakeSitter make) {
  closeAllBut(socket);
  const std::vector<int> cores = coresUpTo(core, count);
  pin(0, cores);
  std::unique_ptr<Sitter> player = make();
  Reply reply;
  reply.process = getpid();
  reply.bytes = player->bytes();
  reply.onDevice = player->deviceSeconds().has_value();
  Request request;
  while (send(socket, &reply, sizeof(reply), MSG_NOSIGNAL) == sizeof(reply) &&
         recv(socket, &request, sizeof(request), 0) == sizeof(request)) {
    // By now its parent is who tells: the workers have gone.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::string failure = request.calls == 0
                              ? player->finish()
                              : playTurn(*player, request, cores, reply.lap);
    // What this thread has waited for the others is no disturbance.
    if (cores.size() > 1)
      reply.lap.cpuSeconds = reply.lap.wallSeconds;
    std::strncpy(reply.failure, failure.c_str(), sizeof(reply.failure) - 1);
  }
  // Without destructors: what this process has is another's too.
  _exit(0);
}

bool Seat::take(int core, MakeSitter make, unsigned cores) {
  pid_t child = forkKept();
  if (child == 0)
    sit<Reply>(sitter, core, cores, make);
  return child > 0;
}

void Seat::giveUp(const std::string &why) {
  whyNot = why;
  close(teller);
  teller = -1;
}

/// How a process ended that said nothing.
static std::string howItEnded(pid_t process) {
  siginfo_t ended{};
  if (process > 0 &&
      waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT) == 0)
    clearUpAfter(process);
  int status = 0;
  if (process <= 0 || waitpid(process, &status, 0) != process)
    return "its process ended";
  if (WIFSIGNALED(status))
    return std::string("its process was ended by signal ") +
           std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  return "its process ended";
}

bool Seat::waitForReply() {
  pollfd wakers[] = {{teller, POLLIN, 0}, {interruptDescriptor, POLLIN, 0}};
  int milliseconds =
      patienceSeconds > 0 ? static_cast<int>(patienceSeconds * 1e3) : -1;
  int ready = poll(wakers, interruptDescriptor >= 0 ? 2 : 1, milliseconds);
  if (ready > 0 && (wakers[0].revents & (POLLIN | POLLHUP)))
    return true;
  giveUp(ready == 0 ? "it took too long" : "the measurement was interrupted");
  return false;
}

bool Seat::ask(uint64_t warmUps, uint64_t calls, Reply &reply) {
  if (teller < 0)
    return false;
  Request request{warmUps, calls};
  (void)!send(teller, &request, sizeof(request), MSG_NOSIGNAL);
  if (!waitForReply())
    return false;
  if (recv(teller, &reply, sizeof(reply), 0) != sizeof(reply)) {
    giveUp(howItEnded(std::exchange(process, 0)) + " while it was measured");
    return false;
  }
  if (reply.failure[0]) {
    giveUp(reply.failure);
    return false;
  }
  return true;
}

bool Seat::begin() {
  close(sitter);
  sitter = -1;
  Reply reply;
  if (!waitForReply())
    return false;
  if (recv(teller, &reply, sizeof(reply), 0) != sizeof(reply)) {
    giveUp("no process of it is left to measure");
    return false;
  }
  process = reply.process;
  bytesPerCall = reply.bytes;
  onDevice = reply.onDevice;
  return true;
}

std::optional<Lap> Seat::lap(uint64_t warmUps, uint64_t calls) {
  Reply reply;
  if (!ask(warmUps, calls, reply))
    return std::nullopt;
  return reply.lap;
}

std::string Seat::finish() {
  Reply reply;
  return ask(0, 0, reply) ? "" : whyNot;
}
