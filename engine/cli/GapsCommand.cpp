// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run gaps`: what each gap that a pipeline uses is worth to it.
#include "cli/Command.h"

#include "cli/GapTrials.h"
#include "cli/RunContext.h"
#include "cli/SharedOptions.h"
#include "compiler/gaps/Gaps.h"
#include "core/bench/GapFields.h"
#include "core/support/FileSystem.h"
#include "core/support/Suggestion.h"
#include "insight/report/GapTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

namespace {
struct GapsOptions {
  ManifestRunOptions run;
  MeasureOptions measure;
  std::vector<std::string> only; ///< gaps; empty: all
  std::string json;
};
} // namespace

static void addGapsFlags(CLI::App &command, GapsOptions &options) {
  addGraphFlags(command, options.run.graph);
  addValue(command, "--time-limit", "SECONDS", options.measure.timeLimit,
           "measure each trial for this long at most, steady or not (default: "
           "10)")
      ->check(CLI::NonNegativeNumber);
  addRepeatedFlag(
      command, "--gap", options.only, "NAME",
      "leave out this gap alone, and try no topics and no sets; may "
      "be repeated");
  addJsonFlag(command, options.json, "write what was found as JSON");
  addExecutionFlags(command, options.run);
}

namespace {
/// One call of the command.
class Gaps {
public:
  Gaps(const GapsOptions &options, DriverEnv &env)
      : options(options), env(env), sources(env.files),
        sink(env.err, sources, sinkOptions(env)),
        trials(options.run, options.measure, env, sources, sink) {}

  int run();

private:
  GapTrial &tryOut(std::vector<GapTrial> &done, std::string name,
                   std::vector<std::string> gaps);
  bool knowsGaps();
  void tryGaps();
  void tryTopic(const std::string &topic);
  void tryTopics();
  void tryTogether();
  GapRecord finished();

  const GapsOptions &options;
  DriverEnv &env;
  SourceStore sources;
  StreamSink sink;
  GapTrials trials;
  GapRecord found;
  std::string startedAt = timeText(std::time(nullptr));
};
} // namespace

GapTrial &Gaps::tryOut(std::vector<GapTrial> &done, std::string name,
                       std::vector<std::string> gaps) {
  GapTrial trial = trials.leaveOut(name, gaps);
  // An interrupted trial looks like one that breaks.
  if (trials.wasInterrupted())
    return done.emplace_back(GapTrial());
  env.out << "without " << name << ": " << visibleMessage(trialText(trial))
          << '\n';
  env.out.flush();
  return done.emplace_back(std::move(trial));
}

/// Whether those that are named are used.
bool Gaps::knowsGaps() {
  std::vector<StringRef> names(trials.used().begin(), trials.used().end());
  for (const std::string &gap : options.only) {
    if (llvm::is_contained(names, gap))
      continue;
    env.err << "lh-run: --gap: the pipeline makes no use of '" << gap << "'"
            << didYouMean(gap, names);
    if (!names.empty())
      env.err << "; it uses " << llvm::join(names, ", ");
    env.err << '\n';
    return false;
  }
  return true;
}

void Gaps::tryGaps() {
  for (const std::string &gap : trials.used()) {
    if (trials.wasInterrupted())
      return;
    if (!options.only.empty() && !llvm::is_contained(options.only, gap))
      continue;
    tryOut(found.gaps, gap, {gap}).topic = topicOfGap(gap).str();
  }
}

/// What a topic comes to beside those of its gaps that break the pipeline
/// alone: it does so with each of them.
void Gaps::tryTopic(const std::string &topic) {
  std::vector<std::string> breaking, others;
  const GapTrial *first = nullptr;
  for (const GapTrial &trial : found.gaps) {
    if (trial.topic != topic)
      continue;
    bool breaks = trial.worth == GapWorth::Breaks;
    (breaks ? breaking : others).push_back(trial.name);
    if (!first || (breaks && first->worth != GapWorth::Breaks))
      first = &trial;
  }
  if (others.size() > 1) {
    std::string but =
        breaking.empty() ? "" : " but " + llvm::join(breaking, ", ");
    tryOut(found.topics, topic + but, others);
    return;
  }
  // One that is left alone has been tried.
  GapTrial same = *first;
  same.name = topic;
  same.topic.clear();
  same.reason.clear(); // it is told with the gap
  found.topics.push_back(std::move(same));
}

void Gaps::tryTopics() {
  std::set<std::string> topics;
  for (const GapTrial &trial : found.gaps)
    topics.insert(trial.topic);
  for (const std::string &topic : topics)
    if (!trials.wasInterrupted())
      tryTopic(topic);
}

void Gaps::tryTogether() {
  if (trials.wasInterrupted())
    return;
  std::vector<std::string> costless;
  for (const GapTrial &trial : found.gaps)
    if (!costsSomething(trial.worth))
      costless.push_back(trial.name);
  found.redundancy = findRedundancy(
      costless, [&](ArrayRef<std::string> gaps) -> std::optional<bool> {
        const GapTrial &trial =
            tryOut(found.together, llvm::join(gaps, ", "), gaps.vec());
        if (trials.wasInterrupted())
          return std::nullopt;
        return costsSomething(trial.worth);
      });
}

/// All that was found, the worthiest first.
GapRecord Gaps::finished() {
  GapRecord record = trials.record();
  record.startedAt = startedAt;
  for (auto [to, from] : {std::pair(&record.gaps, &found.gaps),
                          std::pair(&record.topics, &found.topics),
                          std::pair(&record.together, &found.together)}) {
    *to = std::move(*from);
    llvm::erase_if(*to,
                   [](const GapTrial &trial) { return trial.name.empty(); });
  }
  record.redundancy = std::move(found.redundancy);
  sortByWorth(record.gaps);
  sortByWorth(record.topics);
  return record;
}

int Gaps::run() {
  if (failed(trials.setUp()) ||
      (!options.json.empty() && failed(checkWritable(options.json, {}, sink))))
    return badUsage;
  if (trials.cannotRun())
    return nothingRan;
  if (failed(trials.runFull()))
    return 1;
  if (!knowsGaps())
    return badUsage;
  tryGaps();
  if (options.only.empty()) {
    tryTopics();
    tryTogether();
  }
  GapRecord record = finished();
  printGaps(record, env.out);
  if (!options.json.empty() &&
      failed(writeFileAtomically(
          options.json, printJson(writeFields(record, FieldUse::Report)), {},
          sink)))
    return 1;
  return record.interrupted ? 1 : 0;
}

static int runGaps(const GapsOptions &options, DriverEnv &env) {
  return Gaps(options, env).run();
}

CommandRun lh::makeGapsCommand(CLI::App &command) {
  return makeCommand(command, addGapsFlags, runGaps);
}
