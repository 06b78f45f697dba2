// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All results: a square each, and a table.
#include "insight/report/page/Html.h"
#include "insight/report/page/Sections.h"

#include "insight/report/Summary.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace lh;
using llvm::raw_ostream;

/// One row of squares for each pipeline and target.
static void writeSquares(const PageData &data, raw_ostream &out) {
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> rows;
  for (size_t i = 0; i < data.results.size(); ++i) {
    const ResultKey &key = data.result(i).key;
    rows[{key.pipeline, key.target}].push_back(i);
  }
  out << "<div class=\"squares\">";
  for (const auto &[name, members] : rows) {
    out << "<div><span>" << Html{name.first} << " <small>" << Html{name.second}
        << "</small></span><p>";
    for (size_t i : members) {
      const SavedResult &result = data.result(i);
      out << "<a href=\"#result-" << i << "\" class=\""
          << cssClass(enumName(result.status)) << "\" title=\""
          << Html{resultName(result.key)} << "\"></a>";
    }
    out << "</p></div>\n";
  }
  out << "</div>\n";
}

static void writeNumber(double value, const std::string &text,
                        raw_ostream &out) {
  // What sorts last is NaN, and infinity before it.
  double key = std::isnan(value) ? 1e308 : std::clamp(value, -1e307, 1e307);
  out << "<td class=\"num\" data-v=\"" << llvm::format("%.6g", key) << "\">"
      << text << "</td>";
}

/// The error as a share of what was allowed, as a bar.
static void writeShare(const WorstErrors &worst, raw_ostream &out) {
  double percent = worst.share * 100;
  std::string text = std::isfinite(percent) ? numberText(percent) + "&thinsp;%"
                                            : numberText(percent);
  double width = std::isfinite(percent) ? std::min(percent, 100.0) : 100;
  bool isOver = !(worst.share <= 1);
  double key = std::isnan(percent) ? 1e308 : std::min(percent, 1e307);
  out << "<td class=\"num share" << (isOver ? " over" : "") << "\" data-v=\""
      << llvm::format("%.6g", key)
      << "\"><i style=\"width:" << llvm::format("%.0f", width) << "%\"></i>"
      << text << "</td>";
}

static void writeErrors(const SavedResult &result, raw_ostream &out) {
  WorstErrors worst = worstOf(result);
  if (!worst.wasCompared) {
    out << "<td></td><td></td><td></td><td></td>";
    return;
  }
  writeShare(worst, out);
  writeNumber(worst.absolute, numberText(worst.absolute), out);
  writeNumber(worst.relative, numberText(worst.relative), out);
  bool isSpecial = worst.ulp == std::numeric_limits<int64_t>::max();
  writeNumber(static_cast<double>(worst.ulp),
              isSpecial ? "\xE2\x88\x9E" : countText(worst.ulp), out);
}

static std::string criteriaText(const SavedResult &result) {
  std::set<StringRef> names;
  for (const OutputComparison &output : result.comparisons)
    names.insert(enumName(output.criterion));
  std::string text;
  for (StringRef name : names)
    text += (text.empty() ? "" : ", ") + name.str();
  return text;
}

static void writeRow(const PageData &data, size_t number, raw_ostream &out) {
  const SavedResult &result = data.result(number);
  const ResultKey &key = result.key;
  out << "<tr id=\"row-" << number << "\"><td>";
  writeVerdict(result.status, out);
  out << "</td><td><a href=\"#result-" << number << "\">" << Html{key.caseName}
      << "</a></td>";
  for (const std::string *part :
       {&key.dataSet, &key.pipeline, &key.target, &key.sweep})
    out << "<td>" << Html{*part} << "</td>";
  double compile = data.compileSeconds(number);
  if (result.steps.empty())
    out << "<td></td>";
  else
    writeNumber(compile, timeText(compile), out);
  if (result.runSeconds)
    writeNumber(*result.runSeconds, timeText(*result.runSeconds), out);
  else
    out << "<td></td>";
  writeErrors(result, out);
  out << "<td>" << criteriaText(result) << "</td><td class=\"why\">"
      << Html{result.reason} << "</td></tr>\n";
}

static void writeFilters(raw_ostream &out) {
  out << "<form class=\"filters\" id=\"filters\" hidden>"
         "<input type=\"search\" id=\"filter-text\" placeholder=\"Search "
         "(press /)\" aria-label=\"Search results\">";
  for (const char *name : {"Verdict", "Case", "Pipeline", "Target"})
    out << "<label>" << name << " <select data-column=\"" << name
        << "\"><option value=\"\">all</option></select></label>";
  out << "<label class=\"through\" hidden>Through <output></output> "
         "<button type=\"button\">\xC3\x97</button></label>"
         "<button type=\"reset\">Clear</button><output id=\"found\" "
         "aria-live=\"polite\"></output></form>\n";
}

void lh::writeResults(const PageData &data, raw_ostream &out) {
  out << "<section id=\"results\"><h2>Results</h2>\n";
  writeSquares(data, out);
  writeFilters(out);
  out << "<div class=\"scroll\"><table class=\"results\" id=\"table\">"
         "<thead><tr>";
  for (const char *name : {"Verdict", "Case", "Data set", "Pipeline", "Target",
                           "Sweep", "Compile", "Run", "Of allowed", "Max abs",
                           "Max rel", "Max ULP", "Judged by", "Why"})
    out << "<th scope=\"col\">" << name << "</th>";
  out << "</tr></thead><tbody>\n";
  for (size_t i = 0; i < data.results.size(); ++i)
    writeRow(data, i, out);
  out << "</tbody></table></div>\n<nav class=\"pages\" id=\"pages\" "
         "aria-label=\"Pages\" hidden></nav></section>\n";
}
