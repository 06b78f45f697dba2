// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's steps as a part of its JSON report.
#include "insight/report/StepsJson.h"

#include "insight/report/ChoiceText.h"

#include "core/support/FileSystem.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <tuple>

using namespace lh;
using Json = nlohmann::ordered_json;

Json lh::jsonNumber(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

static Json place(const SourceSpan &where) {
  return {{"file", where.file}, {"line", where.line}, {"column", where.column}};
}

Json lh::diagnosticJson(const Diagnostic &diagnostic) {
  static constexpr const char *severities[] = {"error", "warning", "remark"};
  Json json = {
      {"kind", kindName(diagnostic.kind).str()},
      {"severity", severities[static_cast<size_t>(diagnostic.severity) % 3]},
      {"message", diagnostic.message}};
  if (diagnostic.where.isKnown())
    json["where"] = place(diagnostic.where);
  for (const DiagnosticNote &note : diagnostic.notes)
    json["notes"].push_back(
        {{"message", note.message}, {"where", place(note.where)}});
  return json;
}

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
  Words operator()(const CommandAction &action) const {
    return {"command", llvm::join(action.words, " ")};
  }
  Words operator()(const CompileAction &action) const {
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
class StepsWriter {
public:
  StepsWriter(const RunRecord &record, const ReportContext &context)
      : record(record), context(context) {}

  void write(Json &json);

private:
  size_t actionOf(const Step &step);
  size_t placeOf(const SourceSpan &where);
  Json stepJson(const Step &step, const StepOutcome &outcome);
  void addFiles(const StepOutcome &outcome, Json &json);
  std::string relative(const std::string &path) const;

  const RunRecord &record;
  const ReportContext &context;
  std::map<std::pair<std::string, std::string>, size_t> actionNumbers;
  std::map<std::tuple<std::string, unsigned, unsigned>, size_t> placeNumbers;
  Json actions = Json::array(), places = Json::array();
};

} // namespace

size_t StepsWriter::actionOf(const Step &step) {
  auto [kind, what] = std::visit(ActionWords(), step.action);
  std::string line = step.id < context.repeatLines.size()
                         ? context.repeatLines[step.id]
                         : std::string();
  auto [known, isNew] = actionNumbers.try_emplace(
      {step.bubble + "\n" + kind, what + "\n" + line}, actions.size());
  if (!isNew)
    return known->second;
  Json action = {{"kind", kind}, {"what", what}};
  if (step.declaredAt.isKnown())
    action["where"] = place(step.declaredAt);
  if (!line.empty())
    action["mlir_opt"] = line;
  actions.push_back(std::move(action));
  return known->second;
}

size_t StepsWriter::placeOf(const SourceSpan &where) {
  auto [known, isNew] = placeNumbers.try_emplace(
      {where.file, where.line, where.column}, places.size());
  if (isNew) {
    Json json = place(where);
    if (context.lineAt)
      json["text"] = context.lineAt(where);
    places.push_back(std::move(json));
  }
  return known->second;
}

/// A report and its snapshots are moved together.
std::string StepsWriter::relative(const std::string &path) const {
  StringRef rest = path;
  if (!context.folder.empty() && rest.consume_front(context.folder + "/"))
    return rest.str();
  return path;
}

void StepsWriter::addFiles(const StepOutcome &outcome, Json &json) {
  for (const OutputFile &output : outcome.outputs)
    json["outputs"].push_back({{"name", output.name},
                               {"dtype", output.dtype},
                               {"path", output.path}});
  if (!outcome.snapshot.empty())
    json["snapshot"] = relative(outcome.snapshot);
  if (!outcome.reproducer.empty())
    json["reproducer"] = relative(outcome.reproducer);
}

Json StepsWriter::stepJson(const Step &step, const StepOutcome &outcome) {
  Json json = {{"id", step.id}, {"bubble", step.bubble}};
  if (step.parent)
    json["parent"] = *step.parent;
  json["action"] = actionOf(step);
  json["status"] = statusName(outcome.status).str();
  if (!outcome.reason.empty())
    json["reason"] = outcome.reason;
  json["begin"] = jsonNumber(outcome.begin);
  json["seconds"] = jsonNumber(outcome.seconds);
  json["worker"] = outcome.worker;
  json["peak_bytes"] = outcome.peakBytes;
  json["changed_module"] = outcome.changedModule;
  if (outcome.cache != CacheUse::None)
    json["cache"] = outcome.cache == CacheUse::Found ? "found" : "unneeded";
  if (!outcome.cacheNote.empty())
    json["cache_note"] = outcome.cacheNote;
  for (auto [key, count] : {std::pair("before", &outcome.before),
                            std::pair("after", &outcome.after)})
    if (*count)
      json[key] = {{"by_dialect", (*count)->operations},
                   {"constant_bytes", (*count)->constantBytes}};
  for (const PassTime &pass : outcome.passes)
    json["passes"].push_back({{"name", pass.name},
                              {"depth", pass.depth},
                              {"begin", jsonNumber(pass.begin)},
                              {"seconds", jsonNumber(pass.seconds)}});
  for (const MatchCount &match : outcome.matches)
    json["matches"][std::to_string(placeOf(match.where))] = match.operations;
  for (const OpChoice &choice : outcome.choices)
    json["choices"].push_back(choiceJson(choice));
  for (double seconds : outcome.runSeconds)
    json["run_seconds"].push_back(jsonNumber(seconds));
  addFiles(outcome, json);
  for (const Diagnostic &diagnostic : outcome.diagnostics)
    json["diagnostics"].push_back(diagnosticJson(diagnostic));
  if (!outcome.log.empty())
    json["log"] = outcome.log;
  return json;
}

void StepsWriter::write(Json &json) {
  Json steps = Json::array();
  for (const Step &step : record.plan.steps)
    steps.push_back(stepJson(step, record.outcomes[step.id]));
  json["actions"] = std::move(actions);
  json["places"] = std::move(places);
  json["steps"] = std::move(steps);
}

void lh::addStepsJson(const RunRecord &record, const ReportContext &context,
                      Json &json) {
  StepsWriter(record, context).write(json);
}
