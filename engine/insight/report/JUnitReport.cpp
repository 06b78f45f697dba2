// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run's results for CI systems.
#include "insight/report/JUnitReport.h"

#include "insight/map/Text.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>

using namespace lh;

static double secondsOf(const RunRecord &record, size_t result) {
  double seconds = 0;
  for (StepId step : pathOf(record, result))
    seconds += record.outcomes[step].seconds;
  return seconds;
}

/// `file:line:col: `, as far as it is known.
static void printPlace(const SourceSpan &place, llvm::raw_ostream &stream) {
  if (!place.isKnown())
    return;
  stream << escapeMarkup(place.file);
  if (place.line > 0)
    stream << ':' << place.line << ':' << place.column;
  stream << ": ";
}

static void printDiagnostic(const Diagnostic &diagnostic,
                            llvm::raw_ostream &stream) {
  printPlace(diagnostic.where, stream);
  stream << escapeMarkup(diagnostic.message) << " ["
         << kindName(diagnostic.kind) << "]\n";
}

static void printDiagnostics(const RunRecord &record, size_t result,
                             llvm::raw_ostream &stream) {
  for (const Diagnostic &diagnostic : record.results[result].diagnostics)
    printDiagnostic(diagnostic, stream);
  for (StepId step : pathOf(record, result))
    for (const Diagnostic &diagnostic : record.outcomes[step].diagnostics)
      printDiagnostic(diagnostic, stream);
}

static void printCase(const RunRecord &record, size_t index,
                      llvm::raw_ostream &stream) {
  const ResultRecord &result = record.results[index];
  ResultKey name = result.key;
  name.pipeline.clear();
  stream << "  <testcase classname=\"" << escapeMarkup(record.plan.manifest)
         << '.' << escapeMarkup(result.key.pipeline) << "\" name=\""
         << escapeMarkup(resultName(name)) << "\" file=\""
         << escapeMarkup(record.plan.file) << "\" time=\""
         << llvm::format("%.6f", secondsOf(record, index)) << "\"";
  bool fails = result.failsRun();
  if (result.status == ResultStatus::Passed) {
    stream << "/>\n";
    return;
  }
  std::string message = (enumName(result.status) + ": " + result.reason).str();
  stream << ">\n    <" << (fails ? "failure" : "skipped") << " message=\""
         << escapeMarkup(message) << "\">";
  if (fails)
    printDiagnostics(record, index, stream);
  stream << "</" << (fails ? "failure" : "skipped") << ">\n  </testcase>\n";
}

static void printSuite(const RunRecord &record, llvm::raw_ostream &stream) {
  auto failures = static_cast<size_t>(
      llvm::count_if(record.results, std::mem_fn(&ResultRecord::failsRun)));
  size_t skipped = record.results.size() - failures - summarize(record).passed;
  stream << "<testsuite name=\"" << escapeMarkup(record.plan.manifest)
         << "\" tests=\"" << record.results.size() << "\" failures=\""
         << failures << "\" errors=\"0\" skipped=\"" << skipped << "\" time=\""
         << llvm::format("%.6f", record.seconds) << "\">\n";
  for (size_t i = 0; i < record.results.size(); ++i)
    printCase(record, i, stream);
  stream << "</testsuite>\n";
}

static constexpr StringRef xmlHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

std::string lh::junitReport(const RunRecord &record) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << xmlHead;
  printSuite(record, stream);
  return text;
}

/// A test that came to nothing: there is none, or it could not be read.
static void printEmptySuite(const TestRun &run, bool strict,
                            llvm::raw_ostream &stream) {
  bool isError = run.code.has_value() || strict;
  std::string name = escapeMarkup(run.bubble);
  const char *element = isError ? "error" : "skipped";
  stream << "<testsuite name=\"" << name
         << "\" tests=\"1\" failures=\"0\" errors=\"" << (isError ? 1 : 0)
         << "\" skipped=\"" << (isError ? 0 : 1) << "\" time=\"0\">\n"
         << "  <testcase classname=\"bubble\" name=\"" << name
         << "\" time=\"0\">\n    <" << element << " message=\""
         << (run.code ? "the test is not usable" : "there is no test")
         << "\"></" << element << ">\n  </testcase>\n</testsuite>\n";
}

std::string lh::junitReports(ArrayRef<TestRun> runs, bool strict) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << xmlHead << "<testsuites>\n";
  for (const TestRun &run : runs)
    if (run.record)
      printSuite(*run.record, stream);
    else
      printEmptySuite(run, strict, stream);
  stream << "</testsuites>\n";
  return text;
}
