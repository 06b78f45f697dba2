// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What became of the jobs of a plan: one record of many.
#include "insight/ci/Merge.h"

#include "core/support/FileSystem.h"
#include "insight/ci/Tasks.h"
#include "insight/map/Text.h"
#include "insight/report/RecordReader.h"
#include "insight/report/ResultCodes.h"
#include "insight/report/SavedRunFields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace lh;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace lh {

static void fieldsOf(auto &v, Is<ExpectedJob> auto &job) {
  v("name", job.title);
  v("manifest_name", job.manifest);
  v("case", job.caseName);
  v("pipeline", job.pipeline);
  v("target", job.target);
  v("results", job.folder);
  v.late("labels", job.labels);
  v.late("runner", job.runner);
  v.late("skipped", job.skipped);
}

static void fieldsOf(auto &v, Is<MergedOutput> auto &output) {
  v("output", output.output);
  v("against", output.against);
  v("criterion", output.criterion);
  v("passed", output.passed);
  v("max_abs", output.maxAbs);
}

static void fieldsOf(auto &v, Is<MergedResult> auto &result) {
  v("key", result.key);
  v("status", result.status);
  v("code", result.code);
  v.ifAny("reason", result.reason);
  v("bubbles", result.bubbles);
  v.ifAny("run_seconds", result.runSeconds);
  v.ifAny("outputs", result.outputs);
}

static void fieldsOf(auto &v, Is<MergedRun> auto &run) {
  v("manifest", run.manifest);
  v("bubbles", run.bubbles);
  v("results", run.results);
}

} // namespace lh

FailureOr<std::vector<ExpectedJob>>
lh::readExpected(StringRef file, SourceStore &sources, DiagnosticSink &sink) {
  FailureOr<StringRef> text = sources.load(file, {}, sink);
  if (failed(text))
    return failure();
  JsonDocument document{file.str(), *text, sink, DiagKind::DriverBadPlan,
                        "lh-run ci --format json"};
  std::optional<nlohmann::json> json = parseJson(document);
  if (!json)
    return failure();
  std::vector<ExpectedJob> jobs;
  auto fields = [&](auto &v) { v("jobs", jobs); };
  if (failed(readFields(JsonCursor(document, *json), FieldUse::Report, fields)))
    return failure();
  for (ExpectedJob &job : jobs)
    job.folder = path::filename(job.folder).str();
  return jobs;
}

/// A folder's job is told by its name; what lies in it is the job's.
void Merger::addResults(StringRef root) {
  std::set<StringRef> names;
  for (const ExpectedJob &job : jobs)
    names.insert(job.folder);
  std::error_code code;
  for (fs::recursive_directory_iterator file(root, code), end;
       !code && file != end; file.increment(code)) {
    StringRef name = path::filename(file->path());
    if (names.count(name)) {
      folders[name.str()].push_back(file->path());
      file.no_push();
    } else if (name == recordFile) {
      unexpected.push_back(file->path());
    }
  }
}

namespace {
/// One of a job's results.
struct Candidate {
  std::optional<JobEnd> end;
  std::string record, log;
  llvm::sys::TimePoint<> when;
};
} // namespace

static std::optional<Candidate> candidateIn(const std::string &folder) {
  Candidate found;
  found.end = readEnd(folder);
  std::string last = folder + "/exit";
  std::string place = folder;
  if (found.end)
    place = startFolder(folder, found.end->start);
  found.record = place + "/" + recordFile;
  if (!found.end)
    last = found.record;
  if (found.end && fs::exists(place + "/" + logFile))
    found.log = place + "/" + logFile;
  fs::file_status status;
  if (fs::status(last, status) || status.type() != fs::file_type::regular_file)
    return std::nullopt;
  found.when = status.getLastModificationTime();
  return found;
}

/// Why a job ended, by what it printed: its first error, else its last line.
static std::string errorIn(const std::string &log) {
  auto text = llvm::MemoryBuffer::getFile(log);
  if (!text)
    return "";
  constexpr size_t most = 300;
  StringRef rest = (*text)->getBuffer().rtrim(), line;
  while (!rest.empty() && !line.contains("error: "))
    std::tie(line, rest) = rest.split('\n');
  return line.take_front(most).str();
}

static JobState stateOf(int code) {
  return code == 0              ? JobState::Passed
         : code == 77           ? JobState::Unsupported
         : code == JobEnd::lost ? JobState::Lost
                                : JobState::Failed;
}

/// By its results, where the record is of a version that doesn't say.
static int codeOf(const SavedRun &run) {
  if (run.exitCode)
    return *run.exitCode;
  bool fails = run.interrupted, ran = false;
  for (const SavedResult &result : run.results) {
    fails |= isFailure(result.code) || result.status == ResultStatus::Failed;
    ran |= result.status != ResultStatus::Skipped &&
           result.status != ResultStatus::NotApplicable;
  }
  return fails ? 1 : ran ? 0 : 77;
}

/// Why the run isn't one of `job`; empty: it is.
static std::string whyStranger(const SavedRun &run, const ExpectedJob &job) {
  if (run.manifest != job.manifest)
    return "it is a record of manifest '" + run.manifest + "'";
  for (const SavedResult &result : run.results)
    if (result.key.pipeline != job.pipeline || result.key.target != job.target)
      return "it is a record of pipeline '" + result.key.pipeline +
             "' for target '" + result.key.target + "'";
  return "";
}

static std::string firstReason(const SavedRun &run) {
  for (const SavedResult &result : run.results)
    if (isFailure(result.code) || result.status == ResultStatus::Failed)
      return result.reason;
  for (const SavedResult &result : run.results)
    if (!result.reason.empty())
      return result.reason;
  return run.interrupted ? "it was interrupted" : "";
}

/// What is kept of a run of one pipeline: results share its path.
static MergedRun keptOf(const SavedRun &run) {
  MergedRun merged;
  merged.manifest = run.manifest;
  std::map<std::string, double> seconds;
  for (const SavedStep &step : run.steps)
    seconds[step.bubble] += step.seconds;
  for (const SavedResult &result : run.results) {
    MergedResult &kept = merged.results.emplace_back();
    kept.key = result.key;
    kept.status = result.status;
    kept.code = result.code;
    kept.reason = result.reason;
    kept.runSeconds = result.runSeconds;
    for (const OutputComparison &output : result.comparisons)
      kept.outputs.push_back({output.output, output.against, output.criterion,
                              output.result.passed, output.result.maxAbs});
    StringRef last;
    for (StepId id : result.steps) {
      const SavedStep &step = run.steps[id];
      if (step.status == StepStatus::NotRun || step.bubble == last)
        continue;
      last = step.bubble;
      if (++kept.bubbles > merged.bubbles.size())
        merged.bubbles.emplace_back(step.bubble, seconds[step.bubble]);
    }
  }
  return merged;
}

/// The same as far as it was kept.
static SavedRun restored(const MergedRun &merged) {
  SavedRun run;
  run.manifest = merged.manifest;
  for (const auto &[bubble, seconds] : merged.bubbles) {
    SavedStep step;
    step.step = StepId(run.steps.size());
    step.bubble = bubble;
    step.status = StepStatus::Passed;
    step.seconds = seconds;
    run.steps.push_back(std::move(step));
  }
  for (const MergedResult &kept : merged.results) {
    SavedResult &result = run.results.emplace_back();
    result.key = kept.key;
    result.status = kept.status;
    result.code = kept.code;
    result.reason = kept.reason;
    result.runSeconds = kept.runSeconds;
    for (size_t i = 0; i < std::min(kept.bubbles, run.steps.size()); ++i)
      result.steps.push_back(StepId(i));
  }
  return run;
}

/// Reads what a candidate has left.
static MergedJob judge(const Candidate &found, const ExpectedJob &job) {
  MergedJob merged{&job, JobState::Damaged, "", found.end,
                   "",   found.log,         0,  {}};
  int code = found.end ? found.end->code : 0;
  if (code == JobEnd::lost) {
    merged.state = JobState::Lost;
    merged.reason = "it was begun " + std::to_string(mostStarts) +
                    " times and never ended; remove its folder to try again";
    return merged;
  }
  if (!fs::exists(found.record)) {
    merged.state = code == 0 ? JobState::Damaged : stateOf(code);
    merged.reason = code == 0 ? "it has left no record"
                              : "exit code " + std::to_string(code) + ": " +
                                    errorIn(found.log);
    return merged;
  }
  merged.record = found.record;
  SourceStore sources(*llvm::vfs::getRealFileSystem());
  CollectingSink problems;
  FailureOr<SavedRun> run =
      readRecord(found.record, sources, problems, RecordParts::Outcomes);
  if (failed(run)) {
    merged.reason = problems.diagnostics().front().message;
    return merged;
  }
  merged.reason = whyStranger(*run, job);
  if (!merged.reason.empty())
    return merged;
  if (!found.end)
    code = codeOf(*run);
  merged.state = stateOf(code);
  if (code != 0)
    merged.reason = firstReason(*run);
  if (code != 0 && merged.reason.empty())
    merged.reason = "exit code " + std::to_string(code);
  merged.run = keptOf(*run);
  return merged;
}

/// Why a job has no result, as far as that can be told.
MergedJob Merger::unfinished(const ExpectedJob &job) const {
  MergedJob merged;
  merged.job = &job;
  auto found = folders.find(job.folder);
  unsigned starts =
      found == folders.end() ? 0 : startsOf(found->second.front());
  auto refused = llvm::MemoryBuffer::getFile(
      planFolder + "/tasks/" + machineKind(job.runner, job.labels) +
      ".refused");
  if (starts > 0) {
    merged.reason = "it was begun " + std::to_string(starts) +
                    (starts == 1 ? " time" : " times") + " and has not ended";
  } else if (refused) {
    StringRef message = (*refused)->getBuffer().trim();
    merged.reason = message.str();
    if (isMissingMachine(message))
      merged.state = JobState::Skipped;
  } else {
    merged.reason = "it was not begun";
  }
  return merged;
}

MergedJob Merger::look(const ExpectedJob &job) const {
  std::vector<Candidate> candidates;
  if (auto found = folders.find(job.folder); found != folders.end())
    for (const std::string &folder : found->second)
      if (std::optional<Candidate> one = candidateIn(folder))
        candidates.push_back(std::move(*one));
  if (candidates.empty()) {
    MergedJob merged = unfinished(job);
    if (!job.skipped.empty()) {
      merged.state = JobState::Skipped;
      merged.reason = job.skipped;
    }
    return merged;
  }
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.when > b.when;
  });
  MergedJob merged;
  for (const Candidate &candidate : candidates) {
    merged = judge(candidate, job);
    if (merged.state != JobState::Damaged)
      break;
  }
  merged.others = candidates.size() - 1;
  return merged;
}

std::string lh::countsText(const JobCounts &counts) {
  std::string text;
  for (const auto &[state, count] : counts)
    if (count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " +
              enumName(state).str();
  return text.empty() ? "no jobs" : text;
}

int lh::exitCode(const JobCounts &counts) {
  size_t passed = 0, wrong = 0;
  for (const auto &[state, count] : counts)
    if (state == JobState::Passed)
      passed += count;
    else if (state != JobState::Unsupported && state != JobState::Skipped)
      wrong += count;
  return wrong > 0 ? 1 : passed > 0 ? 0 : 77;
}

Json lh::mergedJson(const MergedJob &merged) {
  Json json = {{"name", merged.job->title},
               {"state", enumName(merged.state).str()}};
  auto add = [&](const char *key, const std::string &text) {
    if (!text.empty())
      json[key] = text;
  };
  add("reason", merged.reason);
  add("record", merged.record);
  add("log", merged.log);
  if (merged.end) {
    json["code"] = merged.end->code;
    json["start"] = merged.end->start;
    json["seconds"] = merged.end->seconds;
    add("host", merged.end->host);
  }
  if (merged.others > 0)
    json["others"] = merged.others;
  if (merged.run)
    json["run"] = writeFields(*merged.run, FieldUse::Report);
  return json;
}

/// A job is a line, so that no more of them than one is in memory.
static LogicalResult
readMerged(StringRef file, StringRef text, DiagnosticSink &sink,
           llvm::function_ref<void(const SavedRun &)> visit) {
  unsigned number = 1;
  StringRef rest = text.drop_front(mergedHead.size());
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    rest = after;
    ++number;
    if (line == "],")
      return success();
    line.consume_back(",");
    std::optional<MergedRun> run;
    if (failed(readOwn(line, [&](auto &v) { v.ifAny("run", run); })))
      return sink.error(DiagKind::ReportBadRecord, {file.str(), number, 1, 0},
                        "this line is no job of a merged record");
    if (run)
      visit(restored(*run));
  }
  return sink.error(DiagKind::ReportBadRecord, {file.str(), number, 1, 0},
                    "the record ends too early; was it written to the end?");
}

LogicalResult lh::forEachRun(StringRef place, SourceStore &sources,
                             DiagnosticSink &sink,
                             llvm::function_ref<void(const SavedRun &)> visit) {
  llvm::vfs::FileSystem &files = sources.fileSystem();
  if (isFolder(files, place))
    return readRecords(place, files, sink, visit);
  FailureOr<StringRef> text = sources.load(place, {}, sink);
  if (failed(text))
    return failure();
  return text->starts_with(mergedHead) ? readMerged(place, *text, sink, visit)
                                       : readRecords(place, files, sink, visit);
}

static std::string attribute(const char *name, StringRef text) {
  return std::string(" ") + name + "=\"" + escapeMarkup(text) + "\"";
}

static std::string attribute(const char *name, double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6f", seconds);
  return attribute(name, text);
}

/// What an element says of a job or result that hasn't passed.
static std::string verdict(bool fails, bool isError, StringRef state,
                           StringRef reason) {
  std::string element = isError ? "error" : fails ? "failure" : "skipped";
  return "<" + element + attribute("message", (state + ": " + reason).str()) +
         "/>";
}

std::string lh::mergedSuite(const MergedJob &merged) {
  std::string cases;
  size_t failures = 0, errors = 0, skipped = 0, tests = 0;
  auto add = [&](const std::string &name, double seconds,
                 const std::string &inner) {
    ++tests;
    cases += "  <testcase" + attribute("classname", merged.job->manifest) +
             attribute("name", name) + attribute("time", seconds) +
             (inner.empty() ? "/>" : ">" + inner + "</testcase>") + "\n";
  };
  if (merged.run)
    for (const MergedResult &result : merged.run->results) {
      bool fails = isFailure(result.code);
      bool passes = result.code == "PASS";
      failures += fails;
      skipped += !fails && !passes;
      add(resultName(result.key), result.runSeconds.value_or(0),
          passes
              ? ""
              : verdict(fails, false, enumName(result.status), result.reason));
    }
  bool wrong =
      merged.state == JobState::Failed || merged.state == JobState::Lost ||
      merged.state == JobState::Missing || merged.state == JobState::Damaged;
  // A job may be wrong though each of its results is right.
  if (tests == 0 || (wrong && failures == 0)) {
    errors += wrong;
    skipped += !wrong && merged.state != JobState::Passed;
    add(merged.job->title, merged.end ? merged.end->seconds : 0,
        merged.state == JobState::Passed
            ? ""
            : verdict(false, wrong, enumName(merged.state), merged.reason));
  }
  return "<testsuite" + attribute("name", merged.job->title) +
         attribute("tests", std::to_string(tests)) +
         attribute("failures", std::to_string(failures)) +
         attribute("errors", std::to_string(errors)) +
         attribute("skipped", std::to_string(skipped)) + ">\n" + cases +
         "</testsuite>\n";
}
