// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What failed, as GitHub shows it beside a file's lines.
#include "insight/report/Annotations.h"

#include "core/support/FileSystem.h"
#include "core/support/Utf8.h"
#include "insight/report/ResultCodes.h"
#include "insight/report/Summary.h"

using namespace lh;

/// A command's message or, with `isProperty`, the value of a property.
static std::string escaped(StringRef text, bool isProperty) {
  std::string safe;
  for (char c : repairedUtf8(text)) {
    if (c == '%')
      safe += "%25";
    else if (c == '\n')
      safe += "%0A";
    else if (c == '\r')
      safe += "%0D";
    else if (isProperty && c == ':')
      safe += "%3A";
    else if (isProperty && c == ',')
      safe += "%2C";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\t')
      safe += '?';
    else
      safe += c;
  }
  return safe;
}

/// The line that declares what failed: the bubble's, else the manifest's first.
static SourceSpan placeOf(const RunRecord &record, size_t result) {
  const ResultRecord &verdict = record.results[result];
  if (!verdict.diagnostics.empty())
    return verdict.diagnostics.front().where;
  SourceSpan place{record.plan.file, 1, 1, 0};
  for (StepId step : pathOf(record, result)) {
    const Step &one = record.plan.steps[step];
    if (one.declaredAt.isKnown())
      place = one.declaredAt;
    if (record.outcomes[step].status != StepStatus::Passed)
      break;
  }
  return place;
}

static std::string line(StringRef kind, const SourceSpan &place,
                        StringRef folder, StringRef title, StringRef message) {
  std::string file = displayPath(place.file, folder);
  return ("::" + kind + " file=" + escaped(file, true) + ",line=" +
          Twine(std::max(place.line, 1U)) + ",title=" + escaped(title, true) +
          "::" + escaped(message, false) + "\n")
      .str();
}

namespace {

/// Annotations of one kind, of which only so many are shown.
struct Kind {
  StringRef name;
  std::string text;
  size_t count = 0;
};

} // namespace

std::string lh::githubAnnotations(const RunRecord &record, StringRef folder,
                                  size_t limit) {
  Kind errors{"error", "", 0}, warnings{"warning", "", 0};
  for (size_t i = 0; i < record.results.size(); ++i) {
    StringRef code = resultCode(record, i);
    bool isSkip = record.results[i].status == ResultStatus::Skipped;
    if (!isFailure(code) && !isSkip)
      continue;
    Kind &kind = isSkip ? warnings : errors;
    if (++kind.count < limit)
      kind.text += line(kind.name, placeOf(record, i), folder,
                        code.str() + " " + resultName(record.results[i].key),
                        record.results[i].reason);
  }
  std::string text;
  for (Kind *one : {&errors, &warnings}) {
    Kind &kind = *one;
    if (kind.count >= limit)
      kind.text += line(kind.name, {record.plan.file, 1, 1, 0}, folder,
                        record.plan.manifest,
                        std::to_string(kind.count) +
                            " such results in all; the report has them");
    text += kind.text;
  }
  return text;
}
