// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runs come to, and what failed in them.
#include "insight/report/page/Html.h"
#include "insight/report/page/Sections.h"

#include "core/plan/FailureSignature.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;
using llvm::raw_ostream;

/// In the order of ResultStatus.
static constexpr StringRef statusSigns[] = {"\xE2\x9C\x93", // check mark
                                            "\xE2\x86\x93", // arrow down
                                            "\xE2\x9C\x97", // cross
                                            "\xE2\x86\xB7", // arrow over
                                            "?",
                                            "\xE2\x80\x93", // dash
                                            "\xC3\x97"};    // times

void lh::writeVerdict(ResultStatus status, raw_ostream &out) {
  StringRef name = enumName(status);
  out << "<span class=\"verdict " << cssClass(name) << "\"><i>"
      << statusSigns[static_cast<size_t>(status)] << "</i> " << name
      << "</span>";
}

void lh::writeResultLink(const PageData &data, size_t result,
                         raw_ostream &out) {
  out << "<a href=\"#result-" << result << "\">"
      << Html{resultName(data.result(result).key)} << "</a>";
}

void lh::writeBubbleLink(const PageData &data, size_t bubble,
                         raw_ostream &out) {
  out << "<a href=\"#bubble-" << bubble << "\">"
      << Html{data.bubbles[bubble].name} << "</a>";
}

constexpr ResultStatus allStatuses[] = {
    ResultStatus::Failed,          ResultStatus::Unverified,
    ResultStatus::Skipped,         ResultStatus::NotApplicable,
    ResultStatus::ExpectedFailure, ResultStatus::Emitted,
    ResultStatus::Passed};

static void writeRunLine(const SavedRun &run, raw_ostream &out) {
  out << "<p class=\"run\"><b>" << Html{run.manifest} << "</b> <code>"
      << Html{run.file} << "</code> " << countText(int64_t(run.steps.size()))
      << " steps in " << timeText(run.seconds);
  if (!run.startedAt.empty())
    out << ", began <time>" << Html{run.startedAt} << "</time>";
  for (const auto &[program, version] : run.versions)
    out << ", " << Html{program} << ' ' << Html{version};
  if (run.interrupted)
    out << " <strong class=\"bad\">interrupted</strong>";
  out << "</p>\n";
}

void lh::writeSummary(const PageData &data, raw_ostream &out) {
  std::map<ResultStatus, size_t> counts;
  for (size_t i = 0; i < data.results.size(); ++i)
    ++counts[data.result(i).status];
  out << "<ul class=\"tiles\">";
  for (ResultStatus status : llvm::reverse(allStatuses)) {
    StringRef name = enumName(status);
    size_t count = counts[status];
    if (count == 0 && status != ResultStatus::Passed &&
        status != ResultStatus::Failed)
      continue;
    out << "<li class=\"" << cssClass(name) << (count ? "" : " none")
        << "\"><a href=\"#status=" << cssClass(name) << "\"><b>"
        << countText(int64_t(count)) << "</b> <span>" << name
        << "</span></a></li>";
  }
  out << "</ul>\n<div class=\"share\" aria-hidden=\"true\">";
  for (ResultStatus status : llvm::reverse(allStatuses))
    if (size_t count = counts[status])
      out << "<i class=\"" << cssClass(enumName(status))
          << "\" style=\"flex:" << count << "\"></i>";
  out << "</div>\n";
  for (const SavedRun &run : data.runs)
    writeRunLine(run, out);
}

void lh::writeFailures(const PageData &data, raw_ostream &out) {
  // Reasons that differ in numbers alone are one.
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < data.results.size(); ++i)
    if (data.result(i).status == ResultStatus::Failed)
      groups[withoutNumbers(data.result(i).reason)].push_back(i);
  if (groups.empty())
    return;
  std::vector<const std::vector<size_t> *> ordered;
  for (const auto &[kind, members] : groups)
    ordered.push_back(&members);
  llvm::stable_sort(ordered, [](const auto *a, const auto *b) {
    return a->size() > b->size();
  });
  out << "<section id=\"failures\"><h2>What failed</h2>\n<ol "
         "class=\"groups\">\n";
  constexpr size_t shown = 4;
  for (const std::vector<size_t> *members : ordered) {
    out << "<li><p><b class=\"count\">" << members->size() << "</b> "
        << Html{data.result(members->front()).reason} << "</p><p class=\"of\">";
    for (size_t i = 0; i < std::min(shown, members->size()); ++i) {
      out << (i ? " \xC2\xB7 " : "");
      writeResultLink(data, (*members)[i], out);
    }
    if (members->size() > shown)
      out << " and " << members->size() - shown << " more";
    out << "</p></li>\n";
  }
  out << "</ol></section>\n";
}
