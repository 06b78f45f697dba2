// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder for files that no run may leave behind.
#include "core/support/ScratchFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>

using namespace lh;

static constexpr const char *prefix = "lh-scratch";

namespace lh {
/// The folders of this process, for its signal handler: the one thing here that
/// has to be global.
struct OpenFolders {
  static std::atomic<ScratchFolder *> first;
  static void add(ScratchFolder &folder);
  static void drop(ScratchFolder &folder);
  static void handle(int signal);
};
} // namespace lh

std::atomic<ScratchFolder *> OpenFolders::first = nullptr;

namespace {
/// No signal comes between making a folder and noting it down.
class SignalsWait {
public:
  SignalsWait() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &previous);
  }
  ~SignalsWait() { sigprocmask(SIG_SETMASK, &previous, nullptr); }
  SignalsWait(const SignalsWait &) = delete;
  SignalsWait &operator=(const SignalsWait &) = delete;

private:
  sigset_t previous;
};
} // namespace

/// Drops all that is in the folder behind `folder`, links as such. By system
/// calls alone, for the signal handler. False when something stays.
static bool clear(int folder, unsigned depth = 64) {
  alignas(dirent64) char buffer[4096];
  long size = 0;
  bool gone = lseek(folder, 0, SEEK_SET) == 0;
  while ((size = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0)
    for (long at = 0; at < size;) {
      auto *entry = reinterpret_cast<dirent64 *>(buffer + at);
      at += entry->d_reclen;
      const char *name = entry->d_name;
      if (!std::strcmp(name, ".") || !std::strcmp(name, "..") ||
          unlinkat(folder, name, 0) == 0)
        continue;
      int inner =
          openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (inner >= 0 && depth > 0)
        clear(inner, depth - 1);
      if (inner >= 0)
        close(inner);
      gone &= unlinkat(folder, name, AT_REMOVEDIR) == 0;
    }
  return gone && size == 0;
}

/// This user's, locked, and still there. -1: another process has it, or it has
/// gone.
static int lockFolder(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status {};
  if (folder < 0 ||
      (fstat(folder, &status) == 0 && status.st_uid == geteuid() &&
       flock(folder, LOCK_EX | LOCK_NB) == 0 && fstat(folder, &status) == 0 &&
       status.st_nlink > 0))
    return folder;
  close(folder);
  return -1;
}

/// Drops what processes have left that were killed. A folder that is just being
/// made may be dropped too: its maker notices, and makes another.
static void sweep(llvm::StringRef folders) {
  std::error_code code;
  for (llvm::sys::fs::directory_iterator
           each(folders, code, /*follow_symlinks=*/false),
       end;
       !code && each != end; each.increment(code)) {
    const std::string &path = each->path();
    if (!llvm::sys::path::filename(path).starts_with(prefix))
      continue;
    int folder = lockFolder(path.c_str());
    if (folder < 0)
      continue;
    if (clear(folder))
      rmdir(path.c_str());
    close(folder);
  }
}

/// In a process forked from the maker nothing goes but the process.
void OpenFolders::handle(int signal) {
  for (ScratchFolder *each = first; each; each = each->next)
    each->remove();
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  raise(signal); // it comes once this handler has returned
}

void OpenFolders::add(ScratchFolder &folder) {
  folder.next = first;
  first = &folder;
  struct sigaction clearing {
  }, current{};
  clearing.sa_handler = handle;
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ,
                     SIGXCPU, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    // What is ignored, or handled by somebody else, stays so.
    if (sigaction(signal, nullptr, &current) == 0 &&
        current.sa_handler == SIG_DFL)
      sigaction(signal, &clearing, nullptr);
}

void OpenFolders::drop(ScratchFolder &folder) {
  if (first == &folder) {
    first = folder.next;
    return;
  }
  for (ScratchFolder *each = first; each; each = each->next)
    if (each->next == &folder)
      each->next = folder.next;
}

ScratchFolder::ScratchFolder() : maker(getpid()) {
  llvm::SmallString<128> folders, made;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folders);
  sweep(folders);
  SignalsWait signals;
  constexpr int tries = 16;
  for (int i = 0; i < tries && lock < 0; ++i)
    if (!llvm::sys::fs::createUniqueDirectory(prefix, made))
      lock = lockFolder(made.c_str());
  if (lock < 0)
    return;
  folder = made.str().str();
  OpenFolders::add(*this);
}

ScratchFolder::~ScratchFolder() {
  SignalsWait signals;
  OpenFolders::drop(*this);
  remove();
  if (lock >= 0)
    close(lock);
}

void ScratchFolder::remove() {
  if (lock >= 0 && getpid() == maker && clear(lock))
    rmdir(folder.c_str());
}
