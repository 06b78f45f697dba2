// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork, exec and wait, with standard error in memory.
#include "runtime/emulated/Launch.h"

#include "llvm/Support/Program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

using namespace lh;

/// In the child: nothing here may allocate or take a lock.
[[noreturn]] static void become(const char *program, char *const *words,
                                const char *folder, int input, int output,
                                int errors, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  if (!*folder || chdir(folder) == 0)
    execv(program, words);
  static constexpr char complaint[] = "it can't be executed\n";
  (void)!write(STDERR_FILENO, complaint, sizeof complaint - 1);
  _exit(127);
}

static int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

StartedProgram lh::startProgram(ArrayRef<std::string> words,
                                const std::string &folder, int input,
                                int output, int errors) {
  llvm::ErrorOr<std::string> program =
      llvm::sys::findProgramByName(words.front());
  if (!program)
    return {-1, "there is no program '" + words.front() + "'"};
  std::vector<char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0)
    become(program->c_str(), pointers.data(), folder.c_str(), input, output,
           errors, parent);
  if (child < 0)
    return {-1, std::string("no process can be started: ") + strerror(errno)};
  return {child, ""};
}

LaunchResult lh::launch(ArrayRef<std::string> words,
                        ArrayRef<const MemoryFile *> keeps,
                        const MemoryFile *output, const MemoryFile *input,
                        const std::string &folder) {
  LaunchResult result;
  for (const MemoryFile *file : keeps)
    if (!file->isUsable())
      result.problem = "there is no memory for its job";
  MemoryFile errors;
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (!errors.isUsable() || nothing < 0)
    result.problem = std::string("no file can be opened: ") + strerror(errno);
  StartedProgram started;
  if (result.problem.empty()) {
    started = startProgram(words, folder, input ? input->descriptor() : nothing,
                           output ? output->descriptor() : nothing,
                           errors.descriptor());
    result.problem = started.problem;
  }
  if (nothing >= 0)
    close(nothing);
  if (!result.problem.empty())
    return result;
  int status = waitFor(started.process);
  if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  else
    result.exitCode = WEXITSTATUS(status);
  result.errors = errors.read();
  return result;
}

StringRef lh::lastLines(StringRef text, unsigned lines) {
  text = text.rtrim();
  size_t begin = text.size();
  for (; lines > 0 && begin != StringRef::npos && begin > 0; --lines)
    begin = text.rfind('\n', begin);
  return begin == StringRef::npos ? text : text.substr(begin).ltrim('\n');
}

std::string lh::whyLaunchFailed(const LaunchResult &done) {
  if (!done.problem.empty())
    return "can't be started: " + done.problem +
           "; commands are looked up in PATH";
  if (done.exitCode == 0 && done.signal == 0)
    return "";
  std::string end = done.signal == 0
                        ? "ended with code " + std::to_string(done.exitCode)
                        : "was ended by signal " + std::to_string(done.signal);
  constexpr unsigned lines = 5;
  StringRef complaint = lastLines(done.errors, lines);
  return complaint.empty() ? end : end + ": " + complaint.str();
}
