// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A drawer for each bubble: what it does, how long, what it matched.
#include "insight/report/page/Blobs.h"
#include "insight/report/page/Html.h"
#include "insight/report/page/ModuleText.h"
#include "insight/report/page/Sections.h"

#include "insight/report/ChoiceText.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace lh;
using llvm::raw_ostream;

namespace {

/// Writes one bubble. Everything is borrowed.
class BubbleDrawer {
public:
  BubbleDrawer(const PageData &data, size_t number, ModuleTexts &modules,
               raw_ostream &out)
      : data(data), bubble(data.bubbles[number]), number(number),
        modules(modules), out(out) {}

  void write();

private:
  void writeActions();
  void writeCounts();
  void writePasses();
  void writeMatches();
  void writeChoices();
  void writeTimes();
  void writeDiagnostics();
  void writeSteps();
  void writeModules();
  const SavedStep *slowestStep() const;

  const PageData &data;
  const BubbleFigures &bubble;
  size_t number;
  ModuleTexts &modules;
  raw_ostream &out;
};

} // namespace

static std::string placeText(const SourceSpan &where) {
  return where.file + ":" + std::to_string(where.line);
}

/// Those that differ; of many only the first few.
void BubbleDrawer::writeActions() {
  constexpr size_t most = 3;
  std::vector<const SavedAction *> actions;
  for (const StepPlace &place : bubble.steps) {
    const SavedStep &step = data.step(place);
    if (!step.action)
      continue;
    const SavedAction *action = &data.runs[place.run].actions[*step.action];
    bool isKnown = llvm::any_of(actions, [&](const SavedAction *other) {
      return other->kind == action->kind && other->what == action->what;
    });
    if (!isKnown)
      actions.push_back(action);
  }
  if (!actions.empty() && actions.front()->where.isKnown())
    out << "<p class=\"line\">declared at <code>"
        << Html{placeText(actions.front()->where)} << "</code></p>";
  for (const SavedAction *action : ArrayRef(actions).take_front(most)) {
    out << "<p class=\"what\"><b>" << Html{action->kind} << "</b> <code>"
        << Html{action->what} << "</code></p>";
    if (!action->mlirOpt.empty())
      out << "<div class=\"copy\"><pre><code>" << Html{action->mlirOpt}
          << "</code></pre></div>\n";
  }
  if (actions.size() > most)
    out << "<p class=\"note\">and " << countText(int64_t(actions.size() - most))
        << " others like it</p>\n";
}

void BubbleDrawer::writeTimes() {
  out << "<ul class=\"numbers\"><li><b>" << timeText(bubble.totalSeconds)
      << "</b> in all</li><li><b>" << timeText(bubble.medianSeconds)
      << "</b> median</li><li><b>" << timeText(bubble.maxSeconds)
      << "</b> longest</li><li><b>"
      << bytesText(static_cast<double>(bubble.peakBytes))
      << "</b> peak memory</li>";
  if (bubble.worst.wasCompared)
    out << "<li>at worst <b>" << allowedText(bubble.worst.share)
        << "</b> of the allowed error</li><li><b>"
        << numberText(bubble.worst.relative) << "</b> relative error</li>";
  out << "</ul>\n<p class=\"line\">on ";
  for (const std::string &pipeline : bubble.pipelines)
    out << "<span class=\"tag\">" << Html{pipeline} << "</span> ";
  for (const std::string &target : bubble.targets)
    out << "<span class=\"tag\">" << Html{target} << "</span> ";
  out << " <a class=\"through\" href=\"#through=" << number
      << "\">results through it</a></p>\n";
}

void BubbleDrawer::writeMatches() {
  struct Total {
    const SavedPlace *place = nullptr;
    int64_t operations = 0, steps = 0, empty = 0;
  };
  std::map<std::pair<std::string, unsigned>, Total> totals;
  for (const StepPlace &where : bubble.steps)
    for (auto [index, operations] : data.step(where).matchedAt) {
      const SavedPlace &place = data.runs[where.run].places[index];
      Total &total = totals[{place.where.file, place.where.line}];
      total.place = &place;
      total.operations += operations;
      ++total.steps;
      total.empty += operations == 0;
    }
  if (totals.empty())
    return;
  out << "<h4>Matched operations</h4><div class=\"scroll\"><table "
         "class=\"matches\"><thead><tr><th>Where</th><th>Match</th>"
         "<th>Found</th><th>Found none</th></tr></thead><tbody>";
  for (const auto &[key, total] : totals)
    out << "<tr" << (total.operations ? "" : " class=\"none\"") << "><td><code>"
        << Html{placeText(total.place->where)}
        << "</code></td><td><code class=\"mlir\">" << Html{total.place->text}
        << "</code></td><td class=\"num\">" << countText(total.operations)
        << "</td><td class=\"num\">" << countText(total.empty) << " of "
        << countText(total.steps) << "</td></tr>";
  out << "</tbody></table></div>\n";
}

/// How ops were chosen to be computed, and in how many steps.
void BubbleDrawer::writeChoices() {
  using Row = std::array<std::string, 4>;
  std::map<Row, int64_t> rows;
  for (const StepPlace &where : bubble.steps)
    for (const OpChoice &choice : data.step(where).choices)
      ++rows[{choice.strategy, choice.rule, numbersText(choice),
              chosenOpText(choice)}];
  if (rows.empty())
    return;
  out << "<h4>Choices</h4><div class=\"scroll\"><table "
         "class=\"matches\"><thead>"
         "<tr><th>Strategy</th><th>Rule</th><th>Numbers</th><th>Operation</th>"
         "<th>Times</th></tr></thead><tbody>";
  for (const auto &[row, count] : rows) {
    out << "<tr>";
    for (const std::string &cell : row)
      out << "<td>" << Html{cell} << "</td>";
    out << "<td class=\"num\">" << countText(count) << "</td></tr>";
  }
  out << "</tbody></table></div>\n";
}

/// Of its slowest step: what the module held before and after.
void BubbleDrawer::writeCounts() {
  const SavedStep *slowest = slowestStep();
  if (!slowest || !slowest->after)
    return;
  const ModuleCount none, &before = slowest->before ? *slowest->before : none,
                          &after = *slowest->after;
  std::set<std::string> dialects;
  for (const ModuleCount *count : {&before, &after})
    for (const auto &[dialect, operations] : count->operations)
      dialects.insert(dialect);
  auto numberOf = [](const ModuleCount &count, const std::string &dialect) {
    auto found = count.operations.find(dialect);
    return found == count.operations.end() ? int64_t{0} : found->second;
  };
  auto writeRow = [&](const std::string &name, int64_t was, int64_t is) {
    out << "<tr" << (was == is ? " class=\"none\"" : "") << "><td>"
        << Html{name} << "</td><td class=\"num\">" << countText(was)
        << "</td><td class=\"num\">" << countText(is) << "</td></tr>";
  };
  out << "<h4>Operations</h4><div class=\"scroll\"><table "
         "class=\"counts\"><thead><tr><th>Dialect</th><th>Before</th>"
         "<th>After</th></tr></thead><tbody>";
  for (const std::string &dialect : dialects)
    writeRow(dialect, numberOf(before, dialect), numberOf(after, dialect));
  writeRow("all", before.total(), after.total());
  out << "</tbody></table></div>\n";
  if (after.constantBytes)
    out << "<p class=\"note\">and constants of "
        << bytesText(static_cast<double>(after.constantBytes)) << "</p>\n";
}

/// Where the slowest step's time went, if times were asked for.
void BubbleDrawer::writePasses() {
  constexpr size_t most = 40;
  constexpr unsigned deepest = 100;
  const SavedStep *slowest = slowestStep();
  if (!slowest || slowest->passes.empty())
    return;
  std::vector<PassTime> passes = slowest->passes;
  double least = slowest->seconds / 200;
  llvm::erase_if(passes,
                 [&](const PassTime &pass) { return pass.seconds < least; });
  out << "<h4>Passes <small>of the slowest step</small></h4><div "
         "class=\"scroll\"><table class=\"passes\"><thead><tr><th>Pass</th>"
         "<th>Time</th></tr></thead><tbody>";
  for (const PassTime &pass : ArrayRef(passes).take_front(most)) {
    out << "<tr><td><code>";
    for (unsigned i = 0; i < std::min(pass.depth, deepest); ++i)
      out << "&emsp;";
    out << Html{pass.name} << "</code></td><td class=\"num\">"
        << timeText(pass.seconds) << "</td></tr>";
  }
  out << "</tbody></table></div>\n";
}

const SavedStep *BubbleDrawer::slowestStep() const {
  const SavedStep *slowest = nullptr;
  for (const StepPlace &place : bubble.steps) {
    const SavedStep &step = data.step(place);
    if (step.status != StepStatus::NotRun &&
        (!slowest || step.seconds > slowest->seconds))
      slowest = &step;
  }
  return slowest;
}

/// What its steps said, each text once with how often.
void BubbleDrawer::writeDiagnostics() {
  constexpr size_t most = 12;
  struct Said {
    const Diagnostic *first = nullptr;
    size_t times = 0;
  };
  std::map<std::string, Said> said;
  for (const StepPlace &place : bubble.steps)
    for (const Diagnostic &diagnostic : data.step(place).diagnostics) {
      Said &one = said[enumName(diagnostic.severity).str() +
                       diagnostic.message + placeText(diagnostic.where)];
      if (!one.first)
        one.first = &diagnostic;
      ++one.times;
    }
  if (said.empty())
    return;
  out << "<h4>What it said</h4><ul class=\"said\">";
  size_t shown = 0;
  for (const auto &[key, one] : said) {
    if (++shown > most)
      break;
    StringRef severity = enumName(one.first->severity);
    out << "<li class=\"" << severity << "\"><b>" << severity << "</b> "
        << Html{one.first->message};
    if (one.first->where.isKnown())
      out << " <code>" << Html{placeText(one.first->where)} << "</code>";
    if (one.times > 1)
      out << " <small>\xC3\x97" << countText(int64_t(one.times)) << "</small>";
    out << "</li>";
  }
  if (said.size() > most)
    out << "<li>and " << said.size() - most << " others</li>";
  out << "</ul>\n";
}

/// Those that failed, then those that took longest.
void BubbleDrawer::writeSteps() {
  constexpr size_t most = 12;
  std::vector<StepPlace> steps = bubble.steps;
  auto rank = [&](const StepPlace &place) {
    const SavedStep &step = data.step(place);
    bool isFine =
        step.status == StepStatus::Passed || step.status == StepStatus::NotRun;
    return std::pair(isFine, -step.seconds);
  };
  llvm::stable_sort(steps, [&](const StepPlace &a, const StepPlace &b) {
    return rank(a) < rank(b);
  });
  out << "<h4>Steps <small>" << countText(int64_t(steps.size()))
      << "</small></h4><div class=\"scroll\"><table class=\"steps\"><thead>"
         "<tr><th>Step</th><th>Verdict</th><th>Time</th><th>Module</th>"
         "<th>What</th></tr></thead><tbody>";
  for (const StepPlace &place : ArrayRef(steps).take_front(most)) {
    const SavedStep &step = data.step(place);
    StringRef what =
        step.action ? StringRef(data.runs[place.run].actions[*step.action].what)
                    : StringRef();
    out << "<tr><td class=\"num\">" << place.step << "</td><td><span class=\""
        << cssClass(enumName(step.status)) << " dot\">" << enumName(step.status)
        << "</span></td><td class=\"num\">" << timeText(step.seconds)
        << "</td><td>" << (step.changedModule ? "changed" : "as it was")
        << "</td><td>" << Html{step.reason.empty() ? what.str() : step.reason}
        << "</td></tr>";
  }
  out << "</tbody></table></div>\n";
  if (steps.size() > most)
    out << "<p class=\"note\">and " << countText(int64_t(steps.size() - most))
        << " more</p>\n";
}

/// How the first few steps with snapshots changed the module.
void BubbleDrawer::writeModules() {
  constexpr size_t most = 4;
  size_t shown = 0;
  for (const StepPlace &place : bubble.steps) {
    if (shown == most || bubble.isOracle())
      break;
    shown += modules.write(place, out);
  }
}

/// "0-4 7 9-12".
static std::string rangesText(ArrayRef<size_t> numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t begin = i++;
    while (i < numbers.size() && numbers[i] == numbers[i - 1] + 1)
      ++i;
    text += (text.empty() ? "" : " ") + std::to_string(numbers[begin]);
    if (i > begin + 1)
      text += "-" + std::to_string(numbers[i - 1]);
  }
  return text;
}

void BubbleDrawer::write() {
  out << "<article class=\"drawer\" id=\"bubble-" << number
      << "\" data-results=\"" << rangesText(bubble.resultNumbers)
      << "\"><header><h3>" << Html{bubble.name} << "</h3> ";
  if (bubble.hasFailed())
    writeVerdict(ResultStatus::Failed, out);
  out << "</header>\n";
  writeTimes();
  writeActions();
  writeModules();
  writeCounts();
  writePasses();
  writeChoices();
  writeMatches();
  writeDiagnostics();
  writeSteps();
  out << "</article>\n";
}

void lh::writeBubbleDetails(const PageData &data, Blobs &blobs,
                            raw_ostream &out) {
  ModuleTexts modules(data, blobs);
  out << "<section id=\"bubble-details\"><h2>Bubbles in detail</h2>\n";
  for (size_t i = 0; i < data.bubbles.size(); ++i)
    BubbleDrawer(data, i, modules, out).write();
  out << "</section>\n";
}
