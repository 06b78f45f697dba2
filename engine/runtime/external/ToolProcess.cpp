// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tool's program while it runs: a line is asked, and a line answered.
#include "runtime/external/ToolProcess.h"

#include "core/manifest/Placeholders.h"
#include "core/support/FileSystem.h"
#include "runtime/emulated/Launch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/VersionTuple.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lh;

/// Longer than Python takes to import a large package from a slow disk.
static constexpr double versionSeconds = 60;

ToolProcess::~ToolProcess() {
  closePipes();
  if (process <= 0)
    return;
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

void ToolProcess::closePipes() {
  for (int *pipe : {&toIt, &fromIt})
    if (*pipe >= 0)
      close(std::exchange(*pipe, -1));
}

std::string ToolProcess::start(ArrayRef<std::string> words,
                               const std::string &folder) {
  LaunchResult result;
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  if (!errors.isUsable() || pipe2(in, O_CLOEXEC) != 0 ||
      pipe2(out, O_CLOEXEC) != 0) {
    result.problem = std::string("no pipe can be made: ") + strerror(errno);
  } else {
    StartedProgram started =
        startProgram(words, folder, in[0], out[1], errors.descriptor());
    process = started.process;
    result.problem = started.problem;
  }
  toIt = in[1];
  fromIt = out[0];
  for (int theirs : {in[0], out[1]})
    if (theirs >= 0)
      close(theirs);
  return whyLaunchFailed(result);
}

std::optional<std::string> ToolProcess::readLine(double seconds) {
  for (;;) {
    if (size_t end = unread.find('\n'); end != std::string::npos) {
      std::string line = unread.substr(0, end);
      unread.erase(0, end + 1);
      return line;
    }
    pollfd waker{fromIt, POLLIN, 0};
    int milliseconds = seconds > 0 ? static_cast<int>(seconds * 1e3) : -1;
    int ready = poll(&waker, 1, milliseconds);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready == 0) {
      silentSeconds = seconds;
      kill(process, SIGKILL);
    }
    char bytes[4096];
    ssize_t count = ready > 0 ? read(fromIt, bytes, sizeof(bytes)) : 0;
    if (count <= 0)
      return std::nullopt;
    unread.append(bytes, static_cast<size_t>(count));
  }
}

std::string ToolProcess::ask(StringRef request, StringRef answer) {
  if (!request.empty()) {
    std::string line = (request + "\n").str();
    // That it has ended is seen below; the write must not end this process.
    auto old = signal(SIGPIPE, SIG_IGN);
    (void)!write(toIt, line.data(), line.size());
    signal(SIGPIPE, old);
  }
  while (std::optional<std::string> line = readLine()) {
    StringRef said = *line;
    if (!said.consume_front("lh: ")) // a library that talks
      continue;
    if (said.rtrim() == answer)
      return "";
    if (said.consume_front("failed "))
      return "failed: " + said.rtrim().str();
    return "answered '" + said.rtrim().str() + "' where '" + answer.str() +
           "' was expected";
  }
  std::string how = finish();
  return how.empty() ? "ended before its time" : how;
}

/// One that has closed its output has this long to end by itself.
static bool endsSoon(pid_t process) {
  constexpr int tries = 200;
  constexpr useconds_t pause = 10000;
  for (int i = 0; i < tries; ++i, usleep(pause)) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(process), &ended,
               WEXITED | WNOHANG | WNOWAIT) != 0 ||
        ended.si_pid == process)
      return true;
  }
  return false;
}

std::string ToolProcess::finish() {
  closePipes();
  int status = 0;
  pid_t ended = std::exchange(process, 0);
  bool goesOn = ended > 0 && !endsSoon(ended);
  if (goesOn)
    kill(ended, SIGKILL);
  while (ended > 0 && waitpid(ended, &status, 0) < 0 && errno == EINTR) {
  }
  if (silentSeconds > 0)
    return "said nothing for " + std::to_string(int(silentSeconds)) + " s";
  if (goesOn)
    return "closed its output and went on";
  LaunchResult done;
  if (WIFSIGNALED(status))
    done.signal = WTERMSIG(status);
  else
    done.exitCode = WEXITSTATUS(status);
  done.errors = errors.read();
  return whyLaunchFailed(done);
}

/// "1.13" of "v1.13.0a0 (OpenBLAS)", as far as it is numbers and dots.
static llvm::VersionTuple versionIn(StringRef text) {
  text = text.drop_until([](char c) { return llvm::isDigit(c); });
  StringRef numbers =
      text.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
  llvm::VersionTuple version;
  while (!numbers.empty() && version.tryParse(numbers))
    numbers = numbers.drop_back();
  return version;
}

static std::string withInstall(std::string lack, const ToolSpec &tool) {
  if (!tool.install.empty())
    lack += "; to get it: " + tool.install;
  return "tool '" + tool.name + "' " + lack;
}

ToolState lh::askTool(const ToolSpec &tool) {
  std::string folder = folderOf(tool.file);
  std::vector<std::string> words;
  for (const Located<std::string> &word : tool.version)
    words.push_back(withPlaces(word.value, {{"here", folder}}));
  ToolProcess program;
  ToolState state;
  if (std::string why = program.start(words, "/"); !why.empty())
    return {"",
            withInstall("isn't here: '" + words.front() + "' " + why, tool)};
  std::optional<std::string> line = program.readLine(versionSeconds);
  if (!line) {
    std::string how = program.finish();
    return {"", withInstall("tells no version: '" + words.front() + "' " +
                                (how.empty() ? "printed nothing" : how),
                            tool)};
  }
  state.version = StringRef(*line).trim().str();
  llvm::VersionTuple least;
  (void)least.tryParse(tool.least.value);
  if (!tool.least.value.empty() && versionIn(state.version) < least)
    state.lacks = withInstall("is version '" + state.version + "', and " +
                                  tool.least.value + " or later is needed",
                              tool);
  return state;
}
