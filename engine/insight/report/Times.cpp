// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of a run went.
#include "core/json/Json.h"
#include "insight/report/Explanation.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <set>

using namespace lh;
using llvm::raw_ostream;

namespace {
/// Times of the same name in the same node, added up.
struct TimeNode {
  std::string name;
  double seconds = 0;
  size_t times = 0;
  std::vector<TimeNode> inside;

  TimeNode &child(const std::string &wanted) {
    auto found = llvm::find_if(
        inside, [&](const TimeNode &node) { return node.name == wanted; });
    if (found != inside.end())
      return *found;
    return inside.emplace_back(TimeNode{wanted, 0, 0, {}});
  }
};
} // namespace

/// Adds `passes[i...]` that are deeper than the node's own depth.
static size_t addPasses(ArrayRef<PassTime> passes, size_t i, unsigned depth,
                        TimeNode &node) {
  while (i < passes.size() && passes[i].depth >= depth) {
    TimeNode &child = node.child(passes[i].name);
    child.seconds += passes[i].seconds;
    ++child.times;
    i = addPasses(passes, i + 1, passes[i].depth + 1, child);
  }
  return i;
}

static void printNode(const TimeNode &node, unsigned depth, double total,
                      raw_ostream &stream) {
  constexpr double leastShare = 0.001;
  double inNamed = 0;
  stream << llvm::format("%9s %5.1f %%  ", durationText(node.seconds).c_str(),
                         total > 0 ? node.seconds / total * 100 : 0);
  stream.indent(2 * depth) << node.name;
  if (node.times > 1)
    stream << " x" << node.times;
  stream << '\n';
  for (const TimeNode &child : node.inside) {
    inNamed += child.seconds;
    if (child.seconds >= leastShare * total)
      printNode(child, depth + 1, total, stream);
  }
  double rest = node.seconds - inNamed;
  if (!node.inside.empty() && rest >= leastShare * total)
    printNode({"(itself)", rest, 1, {}}, depth + 1, total, stream);
}

void lh::printTimes(const RunRecord &record, raw_ostream &stream) {
  TimeNode root;
  for (const auto &[step, outcome] :
       llvm::zip(record.plan.steps, record.outcomes)) {
    if (outcome.status == StepStatus::NotRun)
      continue;
    TimeNode &bubble = root.child(step.bubble);
    bubble.seconds += outcome.seconds;
    ++bubble.times;
    root.seconds += outcome.seconds;
    addPasses(outcome.passes, 0, 0, bubble);
  }
  stream << "time of all steps: " << durationText(root.seconds) << '\n';
  for (const TimeNode &bubble : root.inside)
    printNode(bubble, 0, root.seconds, stream);
}

std::string lh::traceJson(const RunRecord &record) {
  constexpr double microseconds = 1e6;
  Json events = Json::array();
  auto add = [&](const std::string &name, const char *category, double begin,
                 double seconds, const StepOutcome &outcome, Json details) {
    events.push_back({{"name", name},
                      {"cat", category},
                      {"ph", "X"},
                      {"ts", begin * microseconds},
                      {"dur", seconds * microseconds},
                      {"pid", 1},
                      {"tid", outcome.worker},
                      {"args", std::move(details)}});
  };
  std::set<unsigned> workers;
  for (const auto &[step, outcome] :
       llvm::zip(record.plan.steps, record.outcomes)) {
    if (outcome.status == StepStatus::NotRun)
      continue;
    if (workers.insert(outcome.worker).second)
      events.push_back(
          {{"name", "thread_name"},
           {"ph", "M"},
           {"pid", 1},
           {"tid", outcome.worker},
           {"args", {{"name", "worker " + std::to_string(outcome.worker)}}}});
    add(step.bubble, "step", outcome.begin, outcome.seconds, outcome,
        {{"step", step.id}, {"status", enumName(outcome.status).str()}});
    for (const PassTime &pass : outcome.passes)
      add(pass.name, "pass", outcome.begin + pass.begin, pass.seconds, outcome,
          Json::object());
  }
  Json trace = {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}};
  return printJson(trace, 1);
}
