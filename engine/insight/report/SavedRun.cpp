// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run as its JSON report tells it.
#include "insight/report/SavedRun.h"

#include "core/support/FileSystem.h"
#include "insight/report/ResultCodes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <tuple>

using namespace lh;

namespace {

/// What kind of step it is, and what it does in a line.
struct ActionWords {
  using Words = std::pair<const char *, std::string>;

  Words operator()(const ImportAction &action) const {
    return {"import", action.command.empty() ? action.path
                                             : llvm::join(action.command, " ")};
  }
  Words operator()(const PassesAction &action) const {
    return {"passes", action.pipeline};
  }
  Words operator()(const ScheduleAction &action) const {
    return {"schedule", action.file + " @" + action.entry};
  }
  Words operator()(const PatternsAction &action) const {
    return {"patterns", action.file};
  }
  Words operator()(const CommandAction &action) const {
    return {"command", llvm::join(action.words, " ")};
  }
  Words operator()(const CompileAction &action) const {
    if (action.tool)
      return {"tool", labelOf(*action.tool)};
    return {"compile", "@" + action.entry + " for " + action.target->name};
  }
  Words operator()(const RunAction &action) const {
    return {"run", "@" + action.entry};
  }
  Words operator()(const EmitAction &action) const {
    return {"emit", action.path};
  }
};

/// Steps of many cases do the same at the same places: each is said once.
class RunSaver {
public:
  RunSaver(const RunRecord &record, const ReportContext &context)
      : record(record), context(context) {}

  SavedRun save(const BenchRecord *bench);

private:
  size_t actionOf(const Step &step);
  size_t placeOf(const SourceSpan &where);
  SavedStep saveStep(const Step &step);
  SavedResult saveResult(size_t index) const;
  void makeRelative(std::string &path) const;

  const RunRecord &record;
  const ReportContext &context;
  std::map<std::pair<std::string, std::string>, size_t> actionNumbers;
  std::map<std::tuple<std::string, unsigned, unsigned>, size_t> placeNumbers;
  SavedRun run;
};

} // namespace

size_t RunSaver::actionOf(const Step &step) {
  auto [kind, what] = std::visit(ActionWords(), step.action);
  std::string line = step.id < context.repeatLines.size()
                         ? context.repeatLines[step.id]
                         : std::string();
  auto [known, isNew] = actionNumbers.try_emplace(
      {step.bubble + "\n" + kind, what + "\n" + line}, run.actions.size());
  if (isNew)
    run.actions.push_back({kind, what, step.declaredAt, line});
  return known->second;
}

size_t RunSaver::placeOf(const SourceSpan &where) {
  auto [known, isNew] = placeNumbers.try_emplace(
      {where.file, where.line, where.column}, run.places.size());
  if (isNew)
    run.places.push_back(
        {where, context.lineAt ? context.lineAt(where) : std::string()});
  return known->second;
}

/// A report and its snapshots are moved together.
void RunSaver::makeRelative(std::string &path) const {
  StringRef rest = path;
  if (!context.folder.empty() && rest.consume_front(context.folder + "/"))
    path = rest.str();
}

SavedStep RunSaver::saveStep(const Step &step) {
  SavedStep saved{
      record.outcomes[step.id], step.bubble, step.parent, actionOf(step), {}};
  saved.step = step.id;
  std::map<size_t, size_t> known;
  for (const MatchCount &match : std::exchange(saved.matches, {})) {
    size_t place = placeOf(match.where);
    auto [index, isNew] = known.try_emplace(place, saved.matchedAt.size());
    if (isNew)
      saved.matchedAt.emplace_back(place, 0);
    saved.matchedAt[index->second].second = match.operations;
  }
  makeRelative(saved.snapshot);
  makeRelative(saved.reproducer);
  return saved;
}

SavedResult RunSaver::saveResult(size_t index) const {
  ResultFigures figures = figuresOf(record, index);
  SavedResult saved{record.results[index],
                    resultCode(record, index).str(),
                    seedOf(record, index),
                    reproducingCommand(record, index),
                    bisectingCommand(record, index),
                    {},
                    pathOf(record, index),
                    figures.runSeconds,
                    figures.arithmetic,
                    figures.kernels};
  for (StepId id : saved.steps) {
    const std::string &bubble = record.plan.steps[id].bubble;
    auto known = llvm::find_if(saved.seconds, [&](const auto &entry) {
      return entry.first == bubble;
    });
    // `execute` is two steps of one bubble.
    if (known == saved.seconds.end())
      known = saved.seconds.insert(known, {bubble, 0});
    known->second += record.outcomes[id].seconds;
  }
  return saved;
}

SavedRun RunSaver::save(const BenchRecord *bench) {
  run.manifest = record.plan.manifest;
  run.file = record.plan.file;
  run.versions = context.versions;
  run.startedAt = context.startedAt;
  run.machine = context.machine;
  run.cpu = context.cpu;
  run.interrupted = record.interrupted;
  run.exitCode = context.exitCode;
  run.seconds = record.seconds;
  run.summary = summarize(record);
  for (size_t i = 0; i < record.results.size(); ++i)
    run.results.push_back(saveResult(i));
  for (const Step &step : record.plan.steps)
    run.steps.push_back(saveStep(step));
  run.space = context.space;
  if (bench)
    run.bench = *bench;
  return std::move(run);
}

SavedRun lh::savedRun(const RunRecord &record, const ReportContext &context,
                      const BenchRecord *bench) {
  return RunSaver(record, context).save(bench);
}
