// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table of all bubbles.
#include "insight/report/page/Html.h"
#include "insight/report/page/Sections.h"

#include "insight/report/Summary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace lh;
using llvm::raw_ostream;

static void writeStatuses(const BubbleFigures &bubble, raw_ostream &out) {
  for (const auto &[status, count] : bubble.statuses)
    out << "<span class=\"dot " << cssClass(enumName(status)) << "\">"
        << countText(int64_t(count)) << ' ' << enumName(status) << "</span> ";
}

static void writeRow(const PageData &data, size_t number, double longest,
                     raw_ostream &out) {
  const BubbleFigures &bubble = data.bubbles[number];
  out << "<tr" << (bubble.isOracle() ? " class=\"oracle\"" : "") << "><td>";
  writeBubbleLink(data, number, out);
  double width = longest > 0 ? bubble.totalSeconds / longest * 100 : 0;
  out << "</td><td>";
  writeStatuses(bubble, out);
  out << "</td><td class=\"num share\"><i style=\"width:"
      << llvm::format("%.1f", width) << "%\"></i>"
      << timeText(bubble.totalSeconds) << "</td><td class=\"num\">"
      << timeText(bubble.medianSeconds) << "</td><td class=\"num\">"
      << timeText(bubble.maxSeconds) << "</td><td class=\"num\">"
      << bytesText(static_cast<double>(bubble.peakBytes)) << "</td>";
  if (bubble.worst.wasCompared)
    out << "<td class=\"num" << (bubble.worst.share <= 1 ? "" : " bad") << "\">"
        << allowedText(bubble.worst.share) << "</td><td class=\"num\">"
        << numberText(bubble.worst.relative) << "</td>";
  else
    out << "<td></td><td></td>";
  out << "<td>" << Html{llvm::join(bubble.pipelines, ", ")} << "</td></tr>\n";
}

void lh::writeBubbles(const PageData &data, raw_ostream &out) {
  double longest = 0;
  for (const BubbleFigures &bubble : data.bubbles)
    longest = std::max(longest, bubble.totalSeconds);
  out << "<section id=\"bubbles\"><h2>Bubbles</h2>\n<div class=\"scroll\">"
         "<table class=\"bubbles\"><thead><tr><th>Bubble</th><th>Steps</th>"
         "<th>Time</th><th>Median</th><th>Longest</th><th>Peak "
         "memory</th><th>Worst of allowed</th><th>Worst rel</th>"
         "<th>Pipelines</th></tr></thead><tbody>\n";
  for (size_t i = 0; i < data.bubbles.size(); ++i)
    writeRow(data, i, longest, out);
  out << "</tbody></table></div>\n<p class=\"note\">Errors are those of the "
         "results whose paths pass the bubble. Memory is the worker's peak "
         "until then.</p></section>\n";
}
