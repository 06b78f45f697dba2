// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's results for people.
#include "insight/report/TerminalReport.h"

#include "core/plan/FailureSignature.h"
#include "core/support/FileSystem.h"
#include "core/support/Shell.h"
#include "core/support/VisibleText.h"
#include "insight/report/ChoiceText.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <set>

using namespace lh;
using llvm::raw_ostream;

std::string lh::durationText(double seconds) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (seconds > 0 && seconds < 1e-6)
    stream << llvm::format("%.1f ns", seconds * 1e9);
  else if (seconds < 1e-3)
    stream << llvm::format("%.1f us", seconds * 1e6);
  else if (seconds < 1)
    stream << llvm::format("%.2f ms", seconds * 1e3);
  else
    stream << llvm::format("%.2f s", seconds);
  return text;
}

static StringRef firstLine(StringRef reason) {
  return reason.split('\n').first.take_front(160);
}

/// The part of a reason that many results may share: '#' for each number.
static std::string commonReason(StringRef reason) {
  std::string common;
  for (StringRef rest = firstLine(reason); !rest.empty();) {
    // A digit in a name is not a number.
    bool inWord = !common.empty() &&
                  (llvm::isAlnum(common.back()) || common.back() == '_');
    size_t length =
        inWord ? 0
               : rest.take_while([](char c) {
                       return llvm::isDigit(c) || StringRef(".e+-").contains(c);
                     })
                     .size();
    if (length == 0 || !llvm::isDigit(rest.front())) {
      common += rest.front();
      rest = rest.drop_front();
      continue;
    }
    common += '#';
    rest = rest.drop_front(length);
  }
  return common;
}

namespace {

/// Prints one record. Everything is borrowed.
class Printer {
public:
  Printer(const RunRecord &record, raw_ostream &stream,
          DiagnosticSink &diagnostics, const TerminalReportOptions &options)
      : record(record), stream(stream), diagnostics(diagnostics),
        options(options) {}

  void print();

private:
  std::string causeOf(size_t result) const;
  void groupFailures();
  void printFailure(size_t result);
  void printAlike(ArrayRef<size_t> results);
  void printWorst(const OutputComparison &output);
  void printDiagnostics(StepId step);
  void printReproducer(StepId step);
  void printReproducers();
  void printComparisons(const ResultRecord &verdict);
  bool isHidden(size_t result) const;
  void noteHidden(ResultStatus status);
  void printResultLine(size_t result, size_t nameWidth);
  void printResultLines(size_t nameWidth);
  void printCompact();
  void printGrouped(ResultStatus status);
  void printUnverified();
  void printSummary();
  void printStatus(ResultStatus status);

  const RunRecord &record;
  raw_ostream &stream;
  DiagnosticSink &diagnostics;
  const TerminalReportOptions &options;
  std::set<StepId> shown, reproduced;
  /// Results that failed for one cause, the first of which speaks for all.
  std::vector<std::vector<size_t>> failures;
  std::set<size_t> spokenFor; ///< the rest of them
  size_t hiddenRemarks = 0, hiddenDraws = 0, hiddenFailures = 0;
};

} // namespace

void Printer::printStatus(ResultStatus status) {
  raw_ostream::Colors color = raw_ostream::YELLOW;
  if (status == ResultStatus::Passed)
    color = raw_ostream::GREEN;
  else if (status == ResultStatus::Failed)
    color = raw_ostream::RED;
  if (options.color)
    stream.changeColor(color, /*Bold=*/true);
  stream << enumName(status);
  if (options.color)
    stream.resetColor();
}

/// A step that several results share speaks once.
void Printer::printDiagnostics(StepId step) {
  if (!shown.insert(step).second)
    return;
  // What the oracle remarks is not about the user's steps.
  bool counts = !isReference(record.plan.steps[step]);
  const StepOutcome &outcome = record.outcomes[step];
  // Why a step failed is often in what it found nothing of.
  bool tellsAll =
      options.showRemarks || (outcome.status != StepStatus::Passed &&
                              outcome.status != StepStatus::NotApplicable);
  if (options.showRemarks && counts)
    for (const std::string &line : choiceLines(outcome.choices))
      stream << record.plan.steps[step].bubble << " chose " << line << '\n';
  stream.flush();
  for (Diagnostic diagnostic : outcome.diagnostics) {
    if (options.strict && isIdleness(record.plan.steps[step], diagnostic))
      diagnostic.severity = Severity::Error;
    if (diagnostic.severity != Severity::Remark || tellsAll)
      diagnostics.emit(diagnostic);
    else
      hiddenRemarks += counts;
  }
}

/// Where the numbers are furthest apart.
void Printer::printWorst(const OutputComparison &output) {
  if (output.result.passed)
    return;
  constexpr size_t shownElements = 3;
  ArrayRef<WorstElement> worst = output.result.worst;
  for (const WorstElement &element : worst.take_front(shownElements)) {
    stream << "    " << visibleLine(output.output) << '[';
    llvm::interleaveComma(element.index, stream);
    stream << "] is " << llvm::format("%.9g", element.actual) << ", expected "
           << llvm::format("%.9g", element.expected) << '\n';
  }
}

void Printer::printFailure(size_t result) {
  const ResultRecord &verdict = record.results[result];
  printStatus(verdict.status);
  stream << ": " << resultName(verdict.key) << "\n  "
         << visibleMessage(verdict.reason) << '\n';
  if (std::string command = reproducingCommand(record, result);
      !command.empty())
    stream << "  seed " << *seedOf(record, result) << "; again: " << command
           << '\n';
  if (std::string command = bisectingCommand(record, result); !command.empty())
    stream << "  which step: " << command << '\n';
  for (const OutputComparison &output : verdict.comparisons)
    printWorst(output);
  if (!verdict.diagnostics.empty())
    stream.flush();
  for (const Diagnostic &diagnostic : verdict.diagnostics)
    diagnostics.emit(diagnostic);
  for (StepId id : pathOf(record, result)) {
    const Step &step = record.plan.steps[id];
    if (record.outcomes[id].status != StepStatus::Passed &&
        record.outcomes[id].status != StepStatus::NotRun &&
        record.outcomes[id].status != StepStatus::NotApplicable &&
        step.declaredAt.isKnown())
      stream << "  bubble '" << step.bubble << "' is declared at "
             << step.declaredAt.file << ':' << step.declaredAt.line << '\n';
    printDiagnostics(id);
    printReproducer(id);
  }
}

/// The rest of a group whose first result was told of.
void Printer::printAlike(ArrayRef<size_t> results) {
  constexpr size_t shownNames = 3;
  if (results.empty())
    return;
  std::vector<std::string> names;
  for (size_t result : results.take_front(shownNames))
    names.push_back(resultName(record.results[result].key));
  stream << "  and " << results.size()
         << " more like it: " << llvm::join(names, ", ")
         << (results.size() > shownNames ? ", ..." : "") << '\n';
}

/// The folder that repeats the step, with the command that makes it smaller.
void Printer::printReproducer(StepId step) {
  const std::string &folder = record.outcomes[step].reproducer;
  if (folder.empty() || !reproduced.insert(step).second)
    return;
  std::string shown = displayPath(folder, options.workingDirectory);
  stream << "  this step alone: " << shown << "; smaller: lh-run reduce "
         << shellWord(shown) << '\n';
}

/// Where there is no block for each failure.
void Printer::printReproducers() {
  size_t count = 0;
  std::string first;
  for (const StepOutcome &outcome : record.outcomes)
    if (!outcome.reproducer.empty() && count++ == 0)
      first = displayPath(outcome.reproducer, options.workingDirectory);
  if (count > 0)
    stream << "failing steps, each alone in a folder: " << count
           << ", the first in " << first << '\n';
}

/// The criteria of all outputs, each once: "bound, exact".
static std::string criteriaText(const ResultRecord &verdict) {
  std::set<std::string> names;
  for (const OutputComparison &output : verdict.comparisons)
    names.insert(enumName(output.criterion).str());
  return llvm::join(names, ", ");
}

/// What makes a pass worth less, and, when asked for, how each output was
/// judged.
void Printer::printComparisons(const ResultRecord &verdict) {
  for (const OutputComparison &output : verdict.comparisons) {
    std::string place =
        visibleLine(output.output + " against " + output.against);
    for (const std::string &warning : output.warnings)
      stream << "    warning: " << place << ": " << visibleLine(warning)
             << '\n';
    if (!options.explainTolerance)
      continue;
    stream << "    " << place << ": by " << enumName(output.criterion);
    if (output.criterion != Criterion::Exact && isElementwise(output.criterion))
      stream << ", at " << llvm::format("%.3g", output.result.worstShare)
             << " of what is allowed";
    stream << '\n';
    for (const std::string &line : output.basis)
      stream << "      " << visibleLine(line) << '\n';
  }
}

/// "  97 % of "; "" where there is nothing to have a share of.
static std::string percentText(std::optional<double> share) {
  std::string text;
  if (share)
    llvm::raw_string_ostream(text)
        << "  " << llvm::format("%.0f", *share * 100) << " % of ";
  return text;
}

static std::string vectorisedText(const ArithmeticCount &count) {
  std::string text = percentText(count.vectorisedShare());
  if (!text.empty())
    text += "arithmetic vectorised," +
            percentText(count.instructionShare()).substr(1) + "instructions";
  std::string unknown = unknownCallees(count);
  if (!unknown.empty())
    text += (text.empty() ? "  arithmetic" : ",") + (" unknown in " + unknown);
  return text;
}

static std::string kernelText(const KernelShare &kernels) {
  std::string text = percentText(kernels.share());
  if (text.empty())
    return text;
  std::string names = kernelNames(kernels);
  return text + "multiply-adds " +
         (names.empty() ? "in matrix kernels" : "by " + names);
}

/// How much of the work is where it should be: in the CPU's vectors, or in a
/// GPU's matrix kernels.
static std::string shareText(const ResultFigures &figures) {
  if (figures.kernels)
    return kernelText(*figures.kernels);
  return figures.arithmetic ? vectorisedText(*figures.arithmetic) : "";
}

void Printer::printResultLine(size_t result, size_t nameWidth) {
  const ResultRecord &verdict = record.results[result];
  ResultFigures figures = figuresOf(record, result);
  std::string name = resultName(verdict.key);
  stream << name;
  stream.indent(static_cast<unsigned>(nameWidth - name.size() + 2));
  printStatus(verdict.status);
  if (figures.runSeconds)
    stream << "  " << durationText(*figures.runSeconds);
  if (figures.wasCompared && figures.hasErrors)
    stream << "  worst error " << llvm::format("%.2g", figures.worstAbsolute)
           << " (relative " << llvm::format("%.2g", figures.worstRelative)
           << "),";
  if (figures.wasCompared)
    stream << (figures.hasErrors ? " " : "  ") << "judged by "
           << criteriaText(verdict);
  if (auto rightly = verdict.classifiedRightly)
    stream << "  " << rightly->rightly << '/' << rightly->of
           << " classified rightly";
  stream << shareText(figures);
  if (verdict.status != ResultStatus::Passed &&
      verdict.status != ResultStatus::Failed)
    stream << "  (" << visibleMessage(verdict.reason) << ')';
  stream << '\n';
  printComparisons(verdict);
}

/// A set's further draws matter where they tell more than its first.
bool Printer::isHidden(size_t result) const {
  const ResultRecord &verdict = record.results[result];
  bool warns = llvm::any_of(verdict.comparisons, [](const auto &output) {
    return !output.warnings.empty();
  });
  return record.plan.results[result].isFurtherDraw && !options.showRemarks &&
         !warns &&
         (verdict.status == ResultStatus::Passed ||
          verdict.status == ResultStatus::NotApplicable ||
          spokenFor.count(result) > 0);
}

void Printer::noteHidden(ResultStatus status) {
  hiddenFailures += status == ResultStatus::Failed;
  hiddenDraws += status == ResultStatus::Passed;
}

void Printer::printResultLines(size_t nameWidth) {
  for (size_t i = 0; i < record.results.size(); ++i)
    if (isHidden(i))
      noteHidden(record.results[i].status);
    else
      printResultLine(i, nameWidth);
}

/// What is the same for results that one mistake spoils: a step's complaint,
/// whoever runs into it; of wrong numbers, the path that computes them.
std::string Printer::causeOf(size_t result) const {
  const ResultRecord &verdict = record.results[result];
  std::string cause = commonReason(verdict.reason);
  for (StepId id : pathOf(record, result))
    if (isFailure(record.outcomes[id].status))
      return cause;
  const ResultKey &key = verdict.key;
  return cause + '\n' + key.caseName + '\n' + key.target + '\n' + key.sweep +
         '\n' + key.pipeline;
}

void Printer::groupFailures() {
  std::map<std::string, size_t> groups;
  for (size_t i = 0; i < record.results.size(); ++i) {
    if (record.results[i].status != ResultStatus::Failed)
      continue;
    auto [group, isNew] = groups.try_emplace(causeOf(i), failures.size());
    if (isNew)
      failures.emplace_back();
    else
      spokenFor.insert(i);
    failures[group->second].push_back(i);
  }
}

void Printer::printGrouped(ResultStatus status) {
  std::map<std::string, size_t> counts;
  for (const ResultRecord &verdict : record.results)
    if (verdict.status == status)
      ++counts[commonReason(verdict.reason)];
  std::vector<std::pair<size_t, std::string>> groups;
  for (const auto &[reason, count] : counts)
    groups.emplace_back(count, reason);
  llvm::stable_sort(groups, [](const auto &left, const auto &right) {
    return left.first > right.first;
  });
  for (const auto &[count, reason] : groups) {
    stream << llvm::format("%6zu ", count);
    printStatus(status);
    stream << ": " << reason << '\n';
  }
}

void Printer::printCompact() {
  for (size_t result = 0; result < record.results.size(); ++result) {
    const ResultRecord &verdict = record.results[result];
    if (verdict.status != ResultStatus::Failed)
      continue;
    printStatus(verdict.status);
    stream << ": " << resultName(verdict.key) << ": "
           << firstLine(verdict.reason);
    if (auto seed = seedOf(record, result))
      stream << " (seed " << *seed << ')';
    stream << '\n';
  }
  for (ResultStatus status :
       {ResultStatus::Failed, ResultStatus::Skipped, ResultStatus::Unverified,
        ResultStatus::Emitted, ResultStatus::NotApplicable,
        ResultStatus::ExpectedFailure})
    printGrouped(status);
}

/// Results that are unverified for one reason speak once.
void Printer::printUnverified() {
  std::set<std::string> said;
  for (const ResultRecord &verdict : record.results) {
    if (verdict.status != ResultStatus::Unverified)
      continue;
    for (const Diagnostic &diagnostic : verdict.diagnostics) {
      if (!said.insert(commonReason(diagnostic.message)).second)
        continue;
      stream.flush();
      diagnostics.emit(diagnostic);
    }
  }
}

void Printer::printSummary() {
  if (hiddenRemarks)
    stream << "remarks on steps that found nothing to do or left work to plain "
              "loops: "
           << hiddenRemarks << " (-v shows them)\n";
  if (hiddenDraws)
    stream << "further draws of these data sets that passed: " << hiddenDraws
           << " (-v shows them)\n";
  if (hiddenFailures)
    stream << "further draws of these data sets that failed alike: "
           << hiddenFailures << " (-v shows them)\n";
  if (record.interrupted)
    stream << "interrupted: these results are partial\n";
  stream << countsText(record) << " in " << durationText(record.seconds)
         << '\n';
}

void Printer::print() {
  groupFailures();
  size_t nameWidth = 0, lines = 0;
  for (size_t i = 0; i < record.results.size(); ++i) {
    if (isHidden(i))
      continue;
    ++lines;
    nameWidth = std::max(nameWidth, resultName(record.results[i].key).size());
  }
  if (lines > options.compactAbove) {
    printCompact();
    printUnverified();
    printReproducers();
    return printSummary();
  }
  for (ArrayRef<size_t> group : failures) {
    printFailure(group.front());
    printAlike(group.drop_front());
  }
  printUnverified();
  // Warnings of steps that passed are not lost among them.
  for (const Step &step : record.plan.steps)
    printDiagnostics(step.id);
  printResultLines(nameWidth);
  printSummary();
}

void lh::printReport(const RunRecord &record, raw_ostream &stream,
                     DiagnosticSink &diagnostics,
                     const TerminalReportOptions &options) {
  Printer(record, stream, diagnostics, options).print();
}
