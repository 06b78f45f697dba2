// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each path of a plan, step by step.
#include "cli/DryRun.h"

#include "compiler/session/MlirOptLine.h"
#include "core/support/VisibleText.h"

#include <set>

using namespace lh;

namespace {

/// One line for the steps that mlir-opt has no equal for.
struct StepText {
  std::string operator()(const ImportAction &action) const {
    return "import " + action.path;
  }
  std::string operator()(const CommandAction &action) const {
    std::string text = "pipe through";
    for (const std::string &word : action.words)
      text += " " + word;
    return text;
  }
  std::string operator()(const CompileAction &action) const {
    if (action.tool)
      return "give " + action.tool->model + " to " + labelOf(*action.tool);
    return "compile @" + action.entry + " for " + action.target->name;
  }
  std::string operator()(const RunAction &action) const {
    return "run @" + action.entry +
           (action.repeat
                ? " " + std::to_string(action.repeat) + " times, timed"
                : "") +
           (action.data.name.empty() ? "" : " on " + action.data.name);
  }
  std::string operator()(const EmitAction &action) const {
    return "write " + action.path;
  }
  std::string operator()(const PatternsAction &action) const {
    return "rewrite by " + action.file;
  }
  std::string operator()(const PassesAction &) const { return ""; }
  std::string operator()(const ScheduleAction &) const { return ""; }
};

} // namespace

static std::string nameOf(const ResultKey &key) {
  std::string name = key.pipeline, separator = " on ";
  for (const std::string *part :
       {&key.caseName, &key.dataSet, &key.target, &key.sweep})
    if (!part->empty()) {
      name += separator + *part;
      separator = ", ";
    }
  return name;
}

static LogicalResult printStep(const Step &step, bool loadsGaps,
                               MlirOptLines &lines, llvm::raw_ostream &out,
                               DiagnosticSink &sink) {
  std::string text = std::visit(StepText(), step.action);
  out << (text.empty() ? "" : ": " + visibleLine(text)) << '\n';
  FailureOr<std::string> line = lines.line(step, loadsGaps, sink);
  if (failed(line))
    return failure();
  if (!line->empty())
    out << "    " << *line << '\n';
  return success();
}

/// Of each step, whether it or one before it needs the gaps.
static std::vector<bool> needGaps(const Plan &plan, MlirOptLines &lines) {
  std::vector<bool> need;
  for (const Step &step : plan.steps) // parents come before children
    need.push_back((step.parent && need[*step.parent]) ||
                   lines.needsGaps(step));
  return need;
}

LogicalResult lh::printDryRun(const Plan &plan, MlirSession &session,
                              StringRef schedules, llvm::raw_ostream &out,
                              DiagnosticSink &sink) {
  MlirOptLines lines(session, schedules.str());
  std::vector<bool> loadsGaps = needGaps(plan, lines);
  std::set<StepId> printed;
  for (const PlannedResult &result : plan.results) {
    out << nameOf(result.key) << '\n';
    if (!result.notApplicable.empty() || !result.skipped.empty()) {
      out << "  does not run: " << result.notApplicable << result.skipped
          << '\n';
      continue;
    }
    for (StepId id : plan.pathTo(result.leaf)) {
      const Step &step = plan.steps[id];
      out << "  " << id << ' ' << step.bubble;
      if (!printed.insert(id).second)
        out << ": as above\n";
      else if (failed(printStep(step, loadsGaps[id], lines, out, sink)))
        return failure();
    }
  }
  return success();
}
