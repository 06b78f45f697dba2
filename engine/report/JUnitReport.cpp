// A run's results for CI systems.
#include "report/JUnitReport.h"

#include "report/Summary.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

/// Text as XML 1.0 can hold it: escaped, without control characters, UTF-8.
static std::string xml(StringRef text) {
  std::string safe;
  for (char c : llvm::json::fixUTF8(text)) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      safe += '?';
    else
      safe += c;
  }
  return safe;
}

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
  stream << xml(place.file);
  if (place.line > 0)
    stream << ':' << place.line << ':' << place.column;
  stream << ": ";
}

static void printDiagnostics(const RunRecord &record, size_t result,
                             llvm::raw_ostream &stream) {
  for (StepId step : pathOf(record, result))
    for (const Diagnostic &diagnostic : record.outcomes[step].diagnostics) {
      printPlace(diagnostic.where, stream);
      stream << xml(diagnostic.message) << " [" << kindName(diagnostic.kind)
             << "]\n";
    }
}

static void printCase(const RunRecord &record, size_t index, bool strict,
                      llvm::raw_ostream &stream) {
  const ResultRecord &result = record.results[index];
  ResultKey name = result.key;
  name.pipeline.clear();
  stream << "  <testcase classname=\"" << xml(record.plan.manifest) << '.'
         << xml(result.key.pipeline) << "\" name=\"" << xml(resultName(name))
         << "\" time=\"" << llvm::format("%.6f", secondsOf(record, index))
         << "\"";
  bool fails = result.status == ResultStatus::Failed ||
               (strict && result.status == ResultStatus::Unverified);
  if (result.status == ResultStatus::Passed) {
    stream << "/>\n";
    return;
  }
  std::string message =
      (statusName(result.status) + ": " + result.reason).str();
  stream << ">\n    <" << (fails ? "failure" : "skipped") << " message=\""
         << xml(message) << "\">";
  if (fails)
    printDiagnostics(record, index, stream);
  stream << "</" << (fails ? "failure" : "skipped") << ">\n  </testcase>\n";
}

std::string lh::junitReport(const RunRecord &record, bool strict) {
  Summary summary = summarize(record);
  size_t failures = summary.failed + (strict ? summary.unverified : 0);
  size_t skipped = summary.skipped + summary.notApplicable +
                   (strict ? 0 : summary.unverified);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         << "<testsuite name=\"" << xml(record.plan.manifest) << "\" tests=\""
         << record.results.size() << "\" failures=\"" << failures
         << "\" errors=\"0\" skipped=\"" << skipped << "\" time=\""
         << llvm::format("%.6f", record.seconds) << "\">\n";
  for (size_t i = 0; i < record.results.size(); ++i)
    printCase(record, i, strict, stream);
  stream << "</testsuite>\n";
  return text;
}
