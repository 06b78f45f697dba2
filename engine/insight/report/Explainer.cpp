// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run explain`: puts together what was asked for.
#include "core/json/Fields.h"
#include "core/plan/BubbleNames.h"
#include "insight/report/Explanation.h"
#include "insight/report/ExplanationParts.h"
#include "insight/report/Summary.h"
#include "insight/report/page/TextDiff.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>

using namespace lh;
using llvm::raw_ostream;

namespace {

/// What was kept of the modules, and of whom to tell.
class Explainer {
public:
  Explainer(const RunRecord &record, const ExplainRequest &request,
            raw_ostream &out)
      : record(record), request(request), out(out) {}

  LogicalResult explain(DiagnosticSink &sink);

private:
  using Origins = std::map<std::string, std::map<std::string, int64_t>>;

  LogicalResult explainBubble(DiagnosticSink &sink);
  LogicalResult explainOrigins(DiagnosticSink &sink);
  std::vector<OriginHistory> historiesOf(ArrayRef<StepId> path);
  void printOrigins(ArrayRef<OriginHistory> histories, size_t result);
  std::string textAfter(StepId step) const;
  std::string textBefore(StepId step) const;
  Origins originsAfter(StepId step) const;
  bool matches(const std::string &origin, const Origins &origins) const;
  void flush();

  const RunRecord &record;
  const ExplainRequest &request;
  raw_ostream &out;
  Json json = Json::array();
};

} // namespace

static std::string contentsOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

std::string Explainer::textAfter(StepId step) const {
  return contentsOf(request.folder + "/" + std::to_string(step) + ".mlir");
}

std::string Explainer::textBefore(StepId step) const {
  std::optional<StepId> parent = record.plan.steps[step].parent;
  return parent ? textAfter(*parent) : std::string();
}

Explainer::Origins Explainer::originsAfter(StepId step) const {
  Origins origins;
  (void)readOwn(
      contentsOf(request.folder + "/" + std::to_string(step) + ".json"),
      [&](auto &v) { v("origins", origins); });
  return origins;
}

static void printDiff(StringRef before, StringRef after, StringRef name,
                      raw_ostream &out) {
  constexpr size_t around = 3;
  auto lines = diffLines(before, after);
  if (!lines) {
    out << "--- too many changes in " << name << " to show them\n";
    return;
  }
  std::vector<bool> isNear(lines->size());
  for (size_t i = 0; i < lines->size(); ++i)
    if ((*lines)[i].side != DiffSide::Both)
      for (size_t k = i > around ? i - around : 0;
           k <= std::min(i + around, lines->size() - 1); ++k)
        isNear[k] = true;
  out << "--- what '" << name << "' changed\n";
  for (size_t i = 0; i < lines->size(); ++i) {
    const DiffLine &line = (*lines)[i];
    if (!isNear[i])
      continue;
    if (i == 0 || !isNear[i - 1])
      out << "@@ line " << std::max<size_t>(line.after, line.before) << '\n';
    out << (line.side == DiffSide::Both     ? ' '
            : line.side == DiffSide::Before ? '-'
                                            : '+')
        << line.text << '\n';
  }
}

LogicalResult Explainer::explainBubble(DiagnosticSink &sink) {
  std::set<StepId> shown;
  std::vector<StringRef> known;
  for (size_t result = 0; result < record.results.size(); ++result) {
    std::vector<StepId> path = pathOf(record, result);
    std::vector<StringRef> names;
    for (StepId id : path)
      names.push_back(record.plan.steps[id].bubble);
    llvm::append_range(known, names);
    for (size_t named : bubblesNamed(names, request.bubble)) {
      StepId id = path[named];
      if (!shown.insert(id).second)
        continue;
      const Step &step = record.plan.steps[id];
      std::string before = textBefore(id), after = textAfter(id);
      if (request.asJson) {
        json.push_back({{"bubble", step.bubble},
                        {"step", id},
                        {"before", before},
                        {"after", after}});
        continue;
      }
      out << "--- before '" << step.bubble << "' (step " << id << ")\n"
          << before << "--- after '" << step.bubble << "'\n"
          << after;
      printDiff(before, after, step.bubble, out);
    }
  }
  if (!shown.empty())
    return success();
  return sink.error(DiagKind::GraphUnknownBubble, {},
                    "no bubble '" + request.bubble + "' on the paths that ran" +
                        didYouMean(request.bubble, namesToAskFor(known)));
}

/// Names of nodes may be asked for by their beginning.
bool Explainer::matches(const std::string &origin,
                        const Origins &origins) const {
  if (request.op.empty())
    return origin == request.node;
  auto found = origins.find(origin);
  return found != origins.end() && found->second.count(request.op) > 0;
}

std::vector<OriginHistory> Explainer::historiesOf(ArrayRef<StepId> path) {
  std::vector<std::pair<StepId, Origins>> steps;
  for (StepId id : path)
    if (record.outcomes[id].after)
      steps.emplace_back(id, originsAfter(id));
  std::set<std::string> wanted;
  for (const auto &[id, origins] : steps)
    for (const auto &[origin, operations] : origins)
      if (matches(origin, origins))
        wanted.insert(origin);
  std::vector<OriginHistory> histories;
  for (const std::string &origin : wanted) {
    OriginHistory history{origin, {}};
    for (const auto &[id, origins] : steps) {
      auto found = origins.find(origin);
      history.after.emplace_back(id, found == origins.end()
                                         ? std::map<std::string, int64_t>()
                                         : found->second);
    }
    histories.push_back(std::move(history));
  }
  return histories;
}

void Explainer::printOrigins(ArrayRef<OriginHistory> histories, size_t result) {
  constexpr size_t mostShown = 20;
  std::string title = resultName(record.plan.results[result].key);
  if (request.asJson) {
    Json list = Json::array();
    for (const OriginHistory &history : histories)
      list.push_back(historyJson(record, history));
    json.push_back({{"result", title}, {"origins", std::move(list)}});
    return;
  }
  out << title << '\n';
  for (const OriginHistory &history : histories.take_front(mostShown))
    printHistory(record, history, out);
  if (histories.size() > mostShown)
    out << "  and " << histories.size() - mostShown
        << " other places (--format json has all)\n";
}

LogicalResult Explainer::explainOrigins(DiagnosticSink &sink) {
  bool found = false;
  std::set<std::string> known;
  for (size_t result = 0; result < record.results.size(); ++result) {
    std::vector<StepId> path = pathOf(record, result);
    std::vector<OriginHistory> histories = historiesOf(path);
    for (StepId id : path)
      for (const auto &[origin, operations] : originsAfter(id)) {
        if (request.op.empty())
          known.insert(origin);
        else
          for (const auto &[name, count] : operations)
            known.insert(name);
      }
    if (histories.empty())
      continue;
    found = true;
    printOrigins(histories, result);
  }
  if (found)
    return success();
  const std::string &asked = request.op.empty() ? request.node : request.op;
  std::vector<StringRef> names(known.begin(), known.end());
  std::string hint = didYouMean(asked, names);
  return sink.error(
      DiagKind::DriverNothingToFind, {},
      "nothing on the paths that ran " +
          std::string(request.op.empty() ? "comes from '" : "is called '") +
          asked + "'" + hint);
}

void Explainer::flush() {
  if (request.asJson)
    out << printJson(json);
}

LogicalResult Explainer::explain(DiagnosticSink &sink) {
  LogicalResult found = success();
  if (!request.bubble.empty())
    found = explainBubble(sink);
  else if (!request.op.empty() || !request.node.empty())
    found = explainOrigins(sink);
  else
    for (size_t i = 0; i < record.results.size(); ++i) {
      // Steps that compile are the same for every data set.
      if (i > 0 &&
          record.results[i].key.caseName ==
              record.results[i - 1].key.caseName &&
          record.results[i].key.pipeline ==
              record.results[i - 1].key.pipeline &&
          record.results[i].key.target == record.results[i - 1].key.target)
        continue;
      if (request.asJson)
        json.push_back(explanationJson(record, i));
      else
        printExplanation(record, i, out);
    }
  if (succeeded(found))
    flush();
  return found;
}

LogicalResult lh::explain(const RunRecord &record,
                          const ExplainRequest &request, raw_ostream &out,
                          DiagnosticSink &sink) {
  return Explainer(record, request, out).explain(sink);
}
