// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the jobs of a plan's folder as processes, some at a time.
#include "cli/JobRunner.h"

#include "cli/RunContext.h"
#include "core/support/VisibleText.h"
#include "insight/report/TerminalReport.h"

#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lh;

static double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {
/// While it lives, the signals that end lh-run, and that a child has ended,
/// wait to be asked for.
class HeldSignals {
public:
  HeldSignals() {
    sigemptyset(&held);
    for (int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
      sigaddset(&held, signal);
    sigprocmask(SIG_BLOCK, &held, &before);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before, nullptr); }
  HeldSignals(const HeldSignals &) = delete;
  HeldSignals &operator=(const HeldSignals &) = delete;

  int wait() const {
    int signal = 0;
    sigwait(&held, &signal);
    return signal;
  }

private:
  sigset_t held{}, before{};
};
} // namespace

static std::vector<std::string> wordsOf(const TaskJob &job,
                                        const std::string &folder) {
  std::vector<std::string> words = {job.command[0], job.command[1]};
  for (const auto &[flag, file] : job.files)
    words.insert(words.end(), {flag, folder + "/" + file});
  words.insert(words.end(), job.command.begin() + 2, job.command.end());
  return words;
}

/// In the child: becomes the job, or says by `report` why it can't.
[[noreturn]] static void become(const std::vector<std::string> &words,
                                const std::string &log, pid_t parent,
                                int report) {
  // A runner that is killed takes its jobs along.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (getppid() == parent && file >= 0 && dup2(input, STDIN_FILENO) >= 0 &&
      dup2(file, STDOUT_FILENO) >= 0 && dup2(file, STDERR_FILENO) >= 0) {
    std::vector<char *> arguments;
    for (const std::string &word : words)
      arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
  }
  int error = errno;
  (void)!write(report, &error, sizeof error);
  _exit(127);
}

/// What no job is to blame for: nothing more is begun, and nothing is noted.
bool JobRunner::giveUp(const Twine &message) {
  if (!isStopping)
    (void)sink.error(DiagKind::DriverCannotWork, {},
                     message + "; what is done stays, the rest is left");
  isStopping = true;
  return false;
}

bool JobRunner::launch(const TaskJob &job, unsigned start) {
  std::string folder = startFolder(folderOf(job), start);
  std::vector<std::string> words = wordsOf(job, folder);
  std::string log = folder + "/" + logFile;
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0)
    return giveUp("no process can be made: " + Twine(std::strerror(errno)));
  pid_t self = getpid();
  pid_t child = fork();
  if (child == 0)
    become(words, log, self, report[1]);
  close(report[1]);
  int error = child < 0 ? errno : 0;
  // Closed by exec: then nothing comes.
  while (child >= 0 && read(report[0], &error, sizeof error) < 0 &&
         errno == EINTR) {
  }
  close(report[0]);
  if (error == 0)
    running[child] = {&job, start, secondsNow()};
  else if (child > 0)
    waitpid(child, nullptr, 0); // it was never the job
  return error == 0 || giveUp("'" + words[0] + "' can't be started here for '" +
                              job.title + "': " + std::strerror(error));
}

bool JobRunner::begin(const TaskJob &job) {
  std::string folder = folderOf(job);
  if (std::optional<JobEnd> ended = readEnd(folder)) {
    ++done;
    return true;
  }
  llvm::ErrorOr<unsigned> start = countStart(folder);
  if (!start)
    return giveUp("cannot write in '" + folder +
                  "': " + start.getError().message());
  if (*start > 0)
    return launch(job, *start);
  if (isLost(job))
    return end(job, {JobEnd::lost, mostStarts, 0, hostName()});
  env.out << "left: " << visibleLine(job.title) << ": others have begun it "
          << mostStarts << " times, the last a short while ago\n";
  return true;
}

/// All starts are over: they died before this runner's eyes, or the last is so
/// long ago that whoever did it is gone.
bool JobRunner::isLost(const TaskJob &job) {
  constexpr std::chrono::minutes gone(15);
  llvm::sys::fs::file_status status;
  if (deaths[&job] >= mostStarts ||
      llvm::sys::fs::status(startFolder(folderOf(job), mostStarts), status))
    return true;
  return std::chrono::system_clock::now() - status.getLastModificationTime() >
         gone;
}

void JobRunner::tell(const TaskJob &job, const JobEnd &how) {
  StringRef word = how.code == 0              ? "passed"
                   : how.code == 77           ? "unsupported"
                   : how.code == JobEnd::lost ? "lost"
                                              : "failed";
  env.out << '[' << done << '/' << all << "] " << word << ' '
          << visibleLine(job.title) << ' ' << durationText(how.seconds) << '\n';
  env.out.flush();
}

bool JobRunner::end(const TaskJob &job, const JobEnd &how) {
  if (std::error_code error = writeEnd(folderOf(job), how))
    return giveUp("cannot write in '" + folderOf(job) +
                  "': " + error.message());
  ++done;
  tell(job, how);
  return true;
}

/// Whoever was ended from outside, or crashed, is begun again.
void JobRunner::collectEnded() {
  int status = 0;
  while (pid_t child = waitpid(-1, &status, WNOHANG)) {
    if (child < 0)
      return;
    auto found = running.find(child);
    if (found == running.end())
      continue;
    Running ended = found->second;
    running.erase(found);
    if (wasEnded)
      continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) < 128) {
      (void)end(*ended.job, {WEXITSTATUS(status), ended.start,
                             secondsNow() - ended.began, hostName()});
    } else {
      ++deaths[ended.job];
      waiting.push_back(ended.job);
    }
  }
}

bool JobRunner::run(ArrayRef<TaskJob> jobs) {
  HeldSignals signals;
  all += jobs.size();
  for (const TaskJob &job : jobs)
    waiting.push_back(&job);
  while (!running.empty() || (!waiting.empty() && !isStopping)) {
    while (!isStopping && running.size() < atATime && !waiting.empty()) {
      const TaskJob *job = waiting.front();
      waiting.pop_front();
      (void)begin(*job);
    }
    if (running.empty())
      continue;
    int signal = signals.wait();
    if (signal != SIGCHLD) {
      (void)giveUp(strsignal(signal) + Twine(" came"));
      wasEnded = true;
      for (const auto &[child, job] : running)
        kill(child, SIGTERM);
    }
    collectEnded();
  }
  return done == all;
}
