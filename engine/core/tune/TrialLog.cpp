// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file of one line per trial, which only grows.
#include "core/tune/TrialLog.h"

#include "core/support/FileSystem.h"
#include "core/tune/TrialFields.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

using namespace lh;

/// In bytes. What is longer is no trial and isn't looked at.
static constexpr size_t longestLine = size_t{1} << 20;

std::string lh::writeTrial(const TrialRecord &trial) {
  return printJson(writeFields(trial, FieldUse::Report), std::nullopt);
}

static std::optional<Value> valueOf(const nlohmann::json &json) {
  if (json.is_boolean())
    return json.get<bool>();
  if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX)
    return std::nullopt;
  if (json.is_number_integer())
    return json.get<int64_t>();
  if (json.is_number_float())
    return json.get<double>();
  if (json.is_string())
    return json.get<std::string>();
  if (!json.is_array())
    return std::nullopt;
  std::vector<int64_t> items;
  for (const nlohmann::json &item : json) {
    std::optional<Value> value = valueOf(item);
    if (!value || !std::holds_alternative<int64_t>(*value))
      return std::nullopt;
    items.push_back(std::get<int64_t>(*value));
  }
  return items;
}

static FailureOr<TunePoint> pointOf(const nlohmann::json &json) {
  if (!json.is_object())
    return failure();
  TunePoint point;
  for (const auto &[name, item] : json.items()) {
    std::optional<Value> value = valueOf(item);
    if (!value)
      return failure();
    point[name] = std::move(*value);
  }
  return point;
}

FailureOr<TrialRecord> lh::readTrial(StringRef line) {
  CollectingSink unheard;
  JsonDocument document{"", line, unheard, DiagKind::ReportBadRecord, ""};
  if (line.size() > longestLine)
    return failure();
  std::optional<nlohmann::json> json = parseJson(document);
  if (!json || !json->is_object() ||
      json->value("schema", nlohmann::json()) != TrialRecord::schema)
    return failure();
  TrialRecord trial;
  FailureOr<TunePoint> point = pointOf(json->value("point", nlohmann::json()));
  nlohmann::json seed = json->value("seed", nlohmann::json());
  if (failed(
          readFields(JsonCursor(document, *json), FieldUse::Report, trial)) ||
      failed(point) || !seed.is_number_unsigned())
    return failure();
  trial.point = std::move(*point);
  trial.seed = seed.get<uint64_t>();
  return trial;
}

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

/// Waits until no other process adds to the log. Folders of some networks have
/// no locks; there it is one write of whole lines all the same.
static void lockLog(int descriptor) {
  while (flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
  }
}

static bool endsInLine(int descriptor) {
  struct stat status;
  char last = '\n';
  if (fstat(descriptor, &status) == 0 && status.st_size > 0)
    (void)!pread(descriptor, &last, 1, status.st_size - 1);
  return last == '\n';
}

/// In one write, unless the system takes only a part.
static std::error_code writeAll(int descriptor, StringRef text) {
  while (!text.empty()) {
    ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return lastError();
    text = text.drop_front(written < 0 ? 0 : static_cast<size_t>(written));
  }
  // What has no disk, a pipe or a device, can't wait for it.
  if (fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS)
    return lastError();
  return {};
}

static std::error_code appendToLog(const std::string &path, std::string lines) {
  std::string folder = folderOf(path);
  if (!folder.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return error;
  int descriptor =
      open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return lastError();
  llvm::scope_exit closeIt([&] { close(descriptor); });
  lockLog(descriptor);
  return writeAll(descriptor,
                  endsInLine(descriptor) ? lines : "\n" + std::move(lines));
}

LogicalResult lh::appendTrials(StringRef path, ArrayRef<TrialRecord> trials,
                               DiagnosticSink &sink) {
  std::string lines;
  for (const TrialRecord &trial : trials)
    lines += writeTrial(trial) + "\n";
  if (lines.empty())
    return success();
  if (std::error_code error = appendToLog(path.str(), std::move(lines)))
    return sink.error(DiagKind::SupportCannotWrite, {},
                      "cannot write '" + path +
                          "': " + StringRef(error.message()).lower());
  return success();
}

FailureOr<TrialsRead> lh::readTrials(StringRef path, DiagnosticSink &sink) {
  // Not mapped: another process may be adding to it.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (buffer.getError() == std::errc::no_such_file_or_directory)
    return TrialsRead();
  if (std::error_code error = buffer.getError())
    return sink.error(DiagKind::SupportCannotRead, {},
                      "cannot read '" + path +
                          "': " + StringRef(error.message()).lower());
  TrialsRead read;
  for (StringRef rest = (*buffer)->getBuffer(); !rest.empty();) {
    auto [line, after] = rest.split('\n');
    rest = after;
    if (line.empty())
      continue;
    if (FailureOr<TrialRecord> trial = readTrial(line); succeeded(trial))
      read.trials.push_back(std::move(*trial));
    else
      ++read.damaged;
  }
  return read;
}
