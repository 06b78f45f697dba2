// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder of a plan of jobs.
#include "insight/ci/WorkFolder.h"

#include "core/json/Fields.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lh;
namespace fs = llvm::sys::fs;

namespace lh {

static void fieldsOf(auto &v, Is<TaskJob> auto &job) {
  v("name", job.name);
  v("title", job.title);
  v("command", job.command);
  v("files", job.files);
}

static void fieldsOf(auto &v, Is<Task> auto &task) { v("jobs", task.jobs); }

static void fieldsOf(auto &v, Is<JobEnd> auto &end) {
  v("code", end.code);
  v("start", end.start);
  v("seconds", end.seconds);
  v("host", end.host);
}

} // namespace lh

std::string lh::writeTask(const Task &task) { return writeOwn(task); }

FailureOr<std::vector<Task>> lh::readTasks(StringRef path, SourceStore &sources,
                                           DiagnosticSink &sink) {
  FailureOr<StringRef> text = sources.load(path, {}, sink);
  if (failed(text))
    return failure();
  std::vector<Task> tasks;
  for (StringRef rest = *text; !rest.empty();) {
    auto [line, after] = rest.split('\n');
    rest = after;
    if (failed(readOwn(line, tasks.emplace_back())) ||
        llvm::any_of(tasks.back().jobs, [](const TaskJob &job) {
          return job.name.empty() || job.command.size() < 2;
        }))
      return sink.error(DiagKind::DriverBadPlan,
                        {path.str(), unsigned(tasks.size()), 1, 0},
                        "this line is no task; write the plan again with "
                        "'lh-run ci', which loses no result");
  }
  return tasks;
}

std::string lh::startFolder(StringRef folder, unsigned start) {
  return (folder + "/" + Twine(start)).str();
}

std::optional<JobEnd> lh::readEnd(StringRef folder) {
  // Not mapped: another machine may be replacing it.
  auto text = llvm::MemoryBuffer::getFile(folder + "/exit", /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false,
                                          /*IsVolatile=*/true);
  JobEnd end;
  if (!text || failed(readOwn((*text)->getBuffer(), end)))
    return std::nullopt;
  return end;
}

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

/// Waits until the disk has what is in the file, if there is one.
static std::error_code synchronize(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return errno == ENOENT ? std::error_code() : lastError();
  llvm::scope_exit closeIt([&] { close(file); });
  return fsync(file) == 0 || errno == EINVAL ? std::error_code() : lastError();
}

static std::error_code writeWhole(int file, StringRef text) {
  while (!text.empty()) {
    ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return lastError();
    text = text.drop_front(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return fsync(file) == 0 || errno == EINVAL ? std::error_code() : lastError();
}

std::error_code lh::writeEnd(StringRef folder, const JobEnd &end) {
  if (std::error_code error =
          synchronize(startFolder(folder, end.start) + "/" + recordFile))
    return error;
  int file = -1;
  llvm::SmallString<256> partial;
  if (std::error_code error =
          fs::createUniqueFile(folder + "/exit.%%%%%%%%.part", file, partial))
    return error;
  std::error_code error = writeWhole(file, writeOwn(end) + "\n");
  if (close(file) != 0 && !error)
    error = lastError();
  if (!error)
    error = fs::rename(partial, folder + "/exit");
  if (error)
    fs::remove(partial);
  return error;
}

llvm::ErrorOr<unsigned> lh::countStart(StringRef folder) {
  if (std::error_code error = fs::create_directories(folder))
    return error;
  for (unsigned start = 1; start <= mostStarts; ++start) {
    std::error_code error =
        fs::create_directory(startFolder(folder, start), false);
    if (!error)
      return start;
    if (error != std::errc::file_exists)
      return error;
  }
  return 0;
}

unsigned lh::startsOf(StringRef folder) {
  unsigned starts = 0;
  while (starts < mostStarts &&
         fs::is_directory(startFolder(folder, starts + 1)))
    ++starts;
  return starts;
}

std::string lh::arrayRanges(ArrayRef<size_t> numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i)
      text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}
