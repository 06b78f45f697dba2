// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds of a search as batches that other processes measure.
#include "cli/TuneDispatch.h"

#include "cli/JobRunner.h"
#include "cli/RunContext.h"
#include "core/support/FileSystem.h"
#include "core/support/Hash.h"
#include "core/support/Shell.h"
#include "core/tune/TrialFields.h"
#include "insight/ci/Tasks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace lh;

namespace lh {

static void fieldsOf(auto &v, Is<TuneBatch> auto &batch) {
  v("work", batch.work);
  v("module", batch.module);
  v("stamp", batch.stamp);
  v("everywhere", batch.everywhere);
  v("sittings", batch.sittings);
  v("time_limit", batch.timeLimit);
  v("error_percent", batch.errorPercent);
  v("drops_losers", batch.dropsLosers);
  v.each("trials", batch.trials, [](auto &inner, auto &trial) {
    inner.each("sites", trial, [](auto &one, auto &choice) {
      one("site", choice.first);
      one("point", choice.second);
    });
  });
}

static void fieldsOf(auto &v, Is<TrialResult> auto &trial) {
  v("outcome", trial.outcome);
  v("reason", trial.reason);
  v.ifAny("seconds", trial.seconds);
  v.ifAny("ratio", trial.ratio);
  v("sittings", trial.sittings);
  v.ifAny("base_seconds", trial.baseSeconds);
  v("code", trial.code);
  v("compile_seconds", trial.compileSeconds);
  v.ifAny("cost", trial.cost);
}

static void fieldsOf(auto &v, Is<TuneBatchResult> auto &result) {
  v("work", result.work);
  v("cpu", result.cpu);
  v("host", result.host);
  v("trials", result.trials);
}

} // namespace lh

FailureOr<TuneBatch> lh::readBatch(StringRef path, DiagnosticSink &sink) {
  auto text = llvm::MemoryBuffer::getFile(path);
  TuneBatch batch;
  if (text && succeeded(readOwn((*text)->getBuffer(), batch)))
    return batch;
  return sink.error(DiagKind::DriverBadPlan, {},
                    "'" + path + "' is no batch of a search");
}

std::string lh::writeBatchResult(const TuneBatchResult &result) {
  return writeOwn(result);
}

TuneBatchResult lh::measureBatch(const TuneBatch &batch, TuneTrials &trials) {
  RoundOptions options;
  options.everywhere = batch.everywhere;
  options.sittings = batch.sittings;
  options.measure.timeLimit = batch.timeLimit;
  options.measure.errorPercent = batch.errorPercent;
  options.measure.dropsLosers = batch.dropsLosers;
  std::vector<Assignment> round;
  for (const auto &trial : batch.trials)
    round.emplace_back(trial.begin(), trial.end());
  return {trials.workKey(), trials.host().cpu, hostName(),
          trials.tryAll(round, options)};
}

/// This program, whatever the folder in which a job runs.
static std::string ownProgram() {
  return llvm::sys::fs::getMainExecutable(
      "lh-run", reinterpret_cast<void *>(&ownProgram));
}

TuneDispatch::TuneDispatch(const DispatchOptions &options,
                           std::vector<std::string> words, DriverEnv &env,
                           DiagnosticSink &sink)
    : options(options), words(std::move(words)), env(env), sink(sink),
      place(absolutePath(options.folder, workingDirectory())) {}

/// Named after what it does: the same again is the same job.
TaskJob TuneDispatch::jobFor(const TuneBatch &batch) {
  std::string text = writeOwn(batch);
  TaskJob job;
  job.name = keyHex({text}).substr(0, 16);
  job.title = "batch " + job.name;
  std::string file = place + "/batches/" + job.name + ".json";
  (void)writeFileAtomically(file, text, {}, sink);
  job.command = {ownProgram()};
  llvm::append_range(job.command, words);
  job.command.insert(job.command.end(), {"--try", file});
  job.files = {{"--json", recordFile}};
  return job;
}

/// An array of tasks of one job each, which this process waits for. Slurm's
/// variables (SBATCH_PARTITION, SBATCH_ACCOUNT) say the rest.
void TuneDispatch::submit(ArrayRef<TaskJob> jobs, const TuneTrials &trials) {
  TaskArray array;
  array.kind = "batches";
  array.labels = trials.labels();
  constexpr double enough = 600; // three times as much is asked for
  array.longest = enough;
  std::string lines;
  for (const TaskJob &job : jobs)
    lines += writeTask({{job}}) + "\n";
  SlurmOptions slurm{.program = ownProgram(),
                     .folder = place,
                     .workingDirectory = workingDirectory(),
                     .cores = options.cores};
  std::string script = place + "/tasks/batches.sbatch";
  if (failed(writeFileAtomically(place + "/tasks/batches.jsonl", lines, {},
                                 sink)) ||
      failed(writeFileAtomically(script, slurmScript(array, slurm), {}, sink)))
    return;
  (void)llvm::sys::fs::create_directories(place + "/log");
  std::string command =
      shellLine({"sbatch", "--parsable", "--wait",
                 "--array=0-" + std::to_string(jobs.size() - 1), script}) +
      " 2>&1";
  std::string said;
  FILE *pipe = popen(command.c_str(), "re");
  for (int c = pipe ? fgetc(pipe) : EOF; c != EOF; c = fgetc(pipe))
    said += static_cast<char>(c);
  int status = pipe ? pclose(pipe) : -1;
  // Elements that failed show as batches without a result.
  if (StringRef(said).contains("error:") || status < 0)
    (void)sink.error(DiagKind::DriverCannotWork, {},
                     "sbatch: " + StringRef(said).trim());
}

void TuneDispatch::runAll(ArrayRef<TaskJob> jobs, const TuneTrials &trials) {
  std::vector<TaskJob> left;
  for (const TaskJob &job : jobs)
    if (!readEnd(place + "/results/" + job.name))
      left.push_back(job);
  if (left.empty())
    return;
  if (options.kind == DispatchKind::Slurm)
    return submit(left, trials);
  JobRunner runner(place + "/results", static_cast<unsigned>(options.batches),
                   env, sink);
  (void)runner.run(left);
}

/// Fails, silently, where the batch was lost; with an error where it ran on
/// another kind of CPU, whose times say nothing here.
FailureOr<TuneBatchResult> TuneDispatch::resultOf(const TaskJob &job,
                                                  const TuneTrials &trials) {
  std::string folder = place + "/results/" + job.name;
  std::optional<JobEnd> end = readEnd(folder);
  if (!end || end->code != 0)
    return failure();
  auto text = llvm::MemoryBuffer::getFile(startFolder(folder, end->start) +
                                          "/" + recordFile);
  TuneBatchResult result;
  if (!text || failed(readOwn((*text)->getBuffer(), result)))
    return failure();
  if (result.work != trials.workKey())
    return sink.error(DiagKind::DriverOtherMachine, {},
                      "a batch ran on '" + result.host + "', whose CPU is " +
                          result.cpu + "; here it is " + trials.host().cpu +
                          ", or the files differ");
  return result;
}

std::vector<TrialResult> TuneDispatch::tryAll(ArrayRef<Assignment> round,
                                              const RoundOptions &options,
                                              const TuneTrials &trials) {
  TuneBatch batch;
  batch.work = trials.workKey();
  batch.module = trials.module();
  if (options.everywhere)
    batch.stamp =
        std::to_string(std::time(nullptr)) + "-" + std::to_string(++finals);
  batch.everywhere = options.everywhere;
  batch.sittings = options.sittings;
  batch.timeLimit = options.measure.timeLimit;
  batch.errorPercent = options.measure.errorPercent;
  batch.dropsLosers = options.measure.dropsLosers;
  // A final is one measurement: who takes part takes turns with the others.
  size_t count = options.everywhere ? 1 : this->options.batches;
  size_t each = (round.size() + count - 1) / count;
  std::vector<TaskJob> jobs;
  for (ArrayRef<Assignment> rest = round; !rest.empty();
       rest = rest.drop_front(std::min(each, rest.size()))) {
    batch.trials.clear();
    for (const Assignment &assignment : rest.take_front(each))
      batch.trials.emplace_back(assignment.begin(), assignment.end());
    jobs.push_back(jobFor(batch));
  }
  unsigned errors = sink.errorCount();
  runAll(jobs, trials);
  std::vector<TrialResult> results;
  for (size_t i = 0; i < jobs.size(); ++i) {
    FailureOr<TuneBatchResult> result = resultOf(jobs[i], trials);
    size_t own = std::min(each, round.size() - i * each);
    TrialResult lost;
    lost.outcome = TrialOutcome::Lost;
    lost.reason =
        "its batch came to nothing: " + place + "/results/" + jobs[i].name;
    if (failed(result) || result->trials.size() != own)
      results.insert(results.end(), own, lost);
    else
      for (TrialResult &trial : result->trials) {
        trial.host = result->host;
        results.push_back(std::move(trial));
      }
  }
  broken = sink.errorCount() != errors;
  return results;
}
