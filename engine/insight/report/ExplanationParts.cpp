// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of an explanation, as text and as JSON.
#include "insight/report/ExplanationParts.h"

#include "core/plan/RecordFields.h"
#include "core/support/VisibleText.h"
#include "insight/report/ChoiceText.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace lh;
using llvm::raw_ostream;

static std::string megabytes(int64_t bytes) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

static std::string placeText(const SourceSpan &where) {
  return llvm::sys::path::filename(where.file).str() + ":" +
         std::to_string(where.line);
}

/// "linalg 12 -> 3, scf +4, tensor -2": what came, went, or is another number.
static std::string changeText(const ModuleCount &before,
                              const ModuleCount &after) {
  std::map<std::string, std::pair<int64_t, int64_t>> counts;
  for (const auto &[dialect, count] : before.operations)
    counts[dialect].first = count;
  for (const auto &[dialect, count] : after.operations)
    counts[dialect].second = count;
  std::string text;
  for (const auto &[dialect, count] : counts) {
    auto [was, is] = count;
    if (was == is)
      continue;
    text += (text.empty() ? "" : ", ") + dialect + " ";
    if (was == 0)
      text += "+" + std::to_string(is);
    else if (is == 0)
      text += "-" + std::to_string(was) + " (none left)";
    else
      text += std::to_string(was) + " -> " + std::to_string(is);
  }
  return text;
}

static std::string countText(const ModuleCount &count) {
  std::string text;
  for (const auto &[dialect, operations] : count.operations)
    text +=
        (text.empty() ? "" : ", ") + dialect + " " + std::to_string(operations);
  return text;
}

static StringRef verdictOf(const StepOutcome &outcome, StringRef contract) {
  bool isBroken = llvm::any_of(outcome.diagnostics, [&](const auto &said) {
    return said.kind == DiagKind::IrBrokenContract &&
           StringRef(said.message).contains("the bubble " + contract.str());
  });
  if (isBroken)
    return "broken";
  return outcome.status == StepStatus::Passed ? "met" : "not checked";
}

/// "requires met, ensures met".
static std::string contractText(const Step &step, const StepOutcome &outcome) {
  std::string text;
  if (step.requires_)
    text += ("requires " + verdictOf(outcome, "requires")).str();
  if (step.ensures)
    text += ((text.empty() ? "ensures " : ", ensures ") +
             verdictOf(outcome, "ensures"))
                .str();
  return text;
}

static void printMatches(const StepOutcome &outcome, raw_ostream &stream) {
  constexpr size_t mostShown = 12;
  size_t empty = 0, shown = 0, more = 0;
  for (const MatchCount &match : outcome.matches) {
    if (match.operations == 0) {
      ++empty;
      continue;
    }
    if (++shown > mostShown) {
      ++more;
      continue;
    }
    StringRef op = match.op;
    op.consume_front("transform.");
    stream << "    " << op << " at " << placeText(match.where) << " found "
           << match.operations << '\n';
  }
  if (more)
    stream << "    and " << more << " others found some\n";
  if (empty)
    stream << "    " << empty << " of " << outcome.matches.size()
           << " matches found nothing\n";
}

static void printDiagnostics(const StepOutcome &outcome, raw_ostream &stream) {
  constexpr size_t mostShown = 10;
  size_t shown = 0;
  for (const Diagnostic &diagnostic : outcome.diagnostics) {
    if (++shown > mostShown)
      break;
    stream << "    " << enumName(diagnostic.severity) << ": "
           << visibleLine(StringRef(diagnostic.message).split('\n').first);
    if (diagnostic.where.isKnown())
      stream << " (" << placeText(diagnostic.where) << ')';
    stream << '\n';
  }
  if (outcome.diagnostics.size() > mostShown)
    stream << "    and " << outcome.diagnostics.size() - mostShown
           << " more of these\n";
}

static void printStep(const Step &step, const StepOutcome &outcome,
                      raw_ostream &stream) {
  stream << "  " << step.bubble << "  " << durationText(outcome.seconds) << ", "
         << megabytes(outcome.peakBytes);
  if (outcome.after) {
    stream << ", " << outcome.after->total() << " ops";
    if (outcome.after->constantBytes)
      stream << " and " << megabytes(outcome.after->constantBytes)
             << " of constants";
  }
  if (outcome.status != StepStatus::Passed)
    stream << ", " << enumName(outcome.status)
           << (outcome.reason.empty() ? "" : ": ")
           << visibleMessage(outcome.reason);
  else if (outcome.before && !outcome.changedModule)
    stream << ", changed nothing"
           << (step.optional.empty() ? "" : ": " + visibleLine(step.optional));
  stream << '\n';
  if (outcome.before && outcome.after) {
    std::string change = changeText(*outcome.before, *outcome.after);
    if (!change.empty())
      stream << "    " << change << '\n';
  } else if (outcome.after) {
    stream << "    " << countText(*outcome.after) << '\n';
  }
  for (const std::string &line : choiceLines(outcome.choices))
    stream << "    chose " << line << '\n';
  printMatches(outcome, stream);
  std::string contracts = contractText(step, outcome);
  if (!contracts.empty())
    stream << "    " << contracts << '\n';
  printDiagnostics(outcome, stream);
}

static std::string titleOf(const RunRecord &record, size_t result) {
  return resultName(record.plan.results[result].key);
}

void lh::printExplanation(const RunRecord &record, size_t result,
                          raw_ostream &stream) {
  const PlannedResult &planned = record.plan.results[result];
  stream << titleOf(record, result) << '\n';
  std::vector<StepId> path = pathOf(record, result);
  if (path.empty())
    stream << "  doesn't run: "
           << (planned.skipped.empty() ? planned.notApplicable
                                       : planned.skipped)
           << '\n';
  for (StepId id : path)
    if (record.outcomes[id].status != StepStatus::NotRun)
      printStep(record.plan.steps[id], record.outcomes[id], stream);
}

static Json stepJson(const Step &step, const StepOutcome &outcome) {
  auto describe = [&](auto &v) {
    v("bubble", step.bubble);
    v("step", step.id);
    v("status", outcome.status);
    v("seconds", outcome.seconds);
    v("peak_bytes", outcome.peakBytes);
    v("changed_module", outcome.changedModule);
    v.ifAny("reason", outcome.reason);
    v.ifAny("optional", step.optional);
    for (auto [name, count] : {std::pair("before", &outcome.before),
                               std::pair("after", &outcome.after)})
      if (*count)
        v(name, [&, &module = **count](auto &inner) {
          inner("operations", module.total());
          fieldsOf(inner, module);
        });
    v.ifAny("matches", outcome.matches);
    v.ifAny("choices", outcome.choices);
    if (step.requires_ || step.ensures)
      v("contracts", [&](auto &inner) {
        if (step.requires_)
          inner("requires", verdictOf(outcome, "requires"));
        if (step.ensures)
          inner("ensures", verdictOf(outcome, "ensures"));
      });
    v.ifAny("diagnostics", outcome.diagnostics);
    v.ifAny("passes", outcome.passes);
  };
  return writeFields(describe, FieldUse::Report);
}

Json lh::explanationJson(const RunRecord &record, size_t result) {
  Json steps = Json::array();
  for (StepId id : pathOf(record, result))
    steps.push_back(stepJson(record.plan.steps[id], record.outcomes[id]));
  return {{"result", titleOf(record, result)}, {"steps", std::move(steps)}};
}

static std::string operationsText(const std::map<std::string, int64_t> &ops) {
  if (ops.empty())
    return "nothing";
  std::string text;
  for (const auto &[name, count] : ops)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  return text;
}

void lh::printHistory(const RunRecord &record, const OriginHistory &history,
                      raw_ostream &stream) {
  stream << "  '" << history.origin << "'\n";
  const std::map<std::string, int64_t> *last = nullptr;
  for (const auto &[step, operations] : history.after) {
    if (last && *last == operations)
      continue;
    last = &operations;
    stream << "    after " << record.plan.steps[step].bubble << ": "
           << operationsText(operations) << '\n';
  }
}

Json lh::historyJson(const RunRecord &record, const OriginHistory &history) {
  Json after = Json::array();
  for (const auto &[step, operations] : history.after)
    after.push_back({{"bubble", record.plan.steps[step].bubble},
                     {"operations", operations}});
  return {{"origin", history.origin}, {"after", std::move(after)}};
}
