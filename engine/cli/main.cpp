// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the process begins: gathers what has an effect and hands it in.
#include "cli/Driver.h"

#include "cli/Command.h"
#include "core/support/StandardStreams.h"
#include "core/support/StreamSink.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <ctime>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace lh;

static unsigned terminalWidth() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

/// Installed, the library lies in share/lighthouse beside bin/; in a build
/// folder, in the source tree.
static std::vector<std::string> libraryFolders(const char *argv0) {
  std::string executable = llvm::sys::fs::getMainExecutable(
      argv0, reinterpret_cast<void *>(&libraryFolders));
  llvm::StringRef binaries = llvm::sys::path::parent_path(executable);
  llvm::SmallString<128> installed = llvm::sys::path::parent_path(binaries);
  llvm::sys::path::append(installed, "share", "lighthouse");
  auto source = llvm::MemoryBuffer::getFile(binaries + "/source-folder");
  for (llvm::StringRef folder :
       {installed.str(), source ? (*source)->getBuffer() : ""})
    if (llvm::sys::fs::is_directory(folder + "/schedules"))
      return {folder.str()};
  return {};
}

/// What LIGHTHOUSE_CACHE says ("off": none), else the user's folder for caches.
static std::string cacheFolder() {
  if (const char *named = std::getenv("LIGHTHOUSE_CACHE"))
    return named == std::string("off") ? "" : named;
  if (const char *caches = std::getenv("XDG_CACHE_HOME"); caches && *caches)
    return caches + std::string("/lighthouse");
  if (const char *home = std::getenv("HOME"); home && *home)
    return home + std::string("/.cache/lighthouse");
  return "";
}

static std::string today() {
  std::time_t now = std::time(nullptr);
  char text[16];
  size_t length = std::strftime(text, sizeof text, "%Y-%m-%d", gmtime(&now));
  return {text, length};
}

/// What LLVM says before it ends the process may quote a file.
static void sayWhyLlvmGaveUp(void *, const char *reason, bool) {
  VisibleStream(llvm::errs()) << "LLVM ERROR: " << reason << '\n';
}

/// The exit code: failure also where something that was written got lost.
static int finish(int code, DriverEnv &env) {
  env.out.finish();
  env.err.finish();
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, {.color = env.color});
  bool written =
      succeeded(flushAll(standardOutput(), "standard output", {}, sink));
  written &= succeeded(flushAll(llvm::errs(), "standard error", {}, sink));
  return written || (code != 0 && code != nothingRan) ? code : 1;
}

int main(int argc, char **argv) {
  setUpStandardStreams();
  llvm::install_fatal_error_handler(sayWhyLlvmGaveUp);
  bool errIsTerminal = isatty(STDERR_FILENO) != 0;
  VisibleStream out(standardOutput(), /*isBuffered=*/true);
  VisibleStream err(llvm::errs());
  out.enable_colors(standardOutput().is_displayed());
  DriverEnv env{.files = *llvm::vfs::getRealFileSystem(),
                .out = out,
                .err = err,
                .errIsTerminal = errIsTerminal,
                .color = errIsTerminal && std::getenv("NO_COLOR") == nullptr,
                .width = terminalWidth(),
                .libraryDirs = libraryFolders(argv[0]),
                .cacheDir = cacheFolder(),
                .today = today()};
  int code = finish(driverMain(argc, argv, env), env);
  // Skips the destructors of MLIR's registries, which cost milliseconds.
  _exit(code);
}
