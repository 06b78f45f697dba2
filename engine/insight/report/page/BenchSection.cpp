// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured: bars with whiskers, and the machine's peak.
#include "insight/report/page/Html.h"
#include "insight/report/page/Sections.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>

using namespace lh;
using llvm::raw_ostream;

namespace {

constexpr double left = 220, plot = 620, barHeight = 22;

/// What bars stand for: work per second, of the unit that the case has.
struct Scale {
  double work = 0; ///< per call
  const char *unit = "";
  double most = 0; ///< at the right end
};

/// Draws the rows of one case.
class BenchChart {
public:
  explicit BenchChart(const BenchGroup &group) : group(group) {}

  void write(raw_ostream &out);

private:
  void chooseScale();
  double peakOf(const BenchRow &row) const;
  double rate(double seconds) const { return scale.work / seconds; }
  double x(double rate) const { return left + rate / scale.most * plot; }
  void writeBar(const BenchRow &row, size_t line, raw_ostream &out) const;
  void writePeak(const BenchRow &row, double top, raw_ostream &out) const;
  void writeAxis(double bottom, raw_ostream &out) const;
  void writeTable(raw_ostream &out) const;

  const BenchGroup &group;
  Scale scale;
};

} // namespace

/// "1.2 TFLOP/s".
static std::string rateText(double rate, StringRef unit) {
  static constexpr const char *prefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t i = 0;
  for (; rate >= 1000 && i + 1 < std::size(prefixes); ++i)
    rate /= 1000;
  return numberText(rate) + " " + prefixes[i] + unit.str();
}

static std::string rowName(const BenchRow &row) {
  std::string name = row.key.pipeline;
  for (const std::string *part : {&row.key.target, &row.key.sweep})
    if (!part->empty())
      name += " " + *part;
  return name;
}

double BenchChart::peakOf(const BenchRow &row) const {
  const auto &share =
      group.operations() ? row.shareOfPeak : row.shareOfBandwidth;
  if (!share || !(share->median > 0))
    return 0;
  return rate(row.seconds.median) / share->median;
}

void BenchChart::chooseScale() {
  std::optional<double> operations = group.operations();
  uint64_t bytes = 0;
  for (const BenchRow &row : group.rows)
    bytes = std::max(bytes, row.bytes);
  if (operations)
    scale = {*operations, "op/s", 0};
  else if (bytes > 0)
    scale = {static_cast<double>(bytes), "B/s", 0};
  else
    scale = {1, "calls/s", 0};
  for (const BenchRow &row : group.rows)
    if (row.whyNot.empty())
      scale.most = std::max({scale.most, rate(row.seconds.p05), peakOf(row)});
  scale.most *= 1.04;
}

void BenchChart::writePeak(const BenchRow &row, double top,
                           raw_ostream &out) const {
  double peak = peakOf(row);
  if (!(peak > 0))
    return;
  out << "<path class=\"peak\" d=\"M" << llvm::format("%.1f", x(peak)) << ' '
      << top - 3 << "v" << barHeight + 2 << "\"><title>"
      << (group.operations() ? "the machine's peak for this work: "
                             : "what the memory can do: ")
      << rateText(peak, scale.unit) << "</title></path>";
}

void BenchChart::writeBar(const BenchRow &row, size_t line,
                          raw_ostream &out) const {
  double top = static_cast<double>(line) * barHeight + 4;
  double middle = top + (barHeight - 6) / 2;
  out << "<text class=\"name\" x=\"" << left - 8 << "\" y=\"" << middle + 4
      << "\">" << Html{rowName(row)} << "</text>";
  if (!row.whyNot.empty()) {
    out << "<text class=\"reason\" x=\"" << left + 4 << "\" y=\"" << middle + 4
        << "\">" << Html{row.whyNot} << "</text>";
    return;
  }
  double value = rate(row.seconds.median);
  out << "<rect class=\"bar\" x=\"" << left << "\" y=\"" << top << "\" width=\""
      << llvm::format("%.1f", x(value) - left) << "\" height=\""
      << barHeight - 6 << "\"><title>" << timeText(row.seconds.median)
      << " a call</title></rect><path class=\"whisker\" d=\"M"
      << llvm::format("%.1f", x(rate(row.seconds.p95))) << ' ' << middle << "H"
      << llvm::format("%.1f", x(rate(row.seconds.p05)));
  for (double end : {row.seconds.p05, row.seconds.p95})
    out << 'M' << llvm::format("%.1f", x(rate(end))) << ' ' << middle - 4
        << "v8";
  out << "\"><title>9 of 10 samples</title></path>";
  writePeak(row, top, out);
  out << "<text class=\"value\" x=\"" << left + plot + 10 << "\" y=\""
      << middle + 4 << "\">" << rateText(value, scale.unit) << "</text>";
}

void BenchChart::writeAxis(double bottom, raw_ostream &out) const {
  constexpr int ticks = 4;
  for (int i = 0; i <= ticks; ++i) {
    double at = left + plot * i / ticks;
    out << "<path class=\"tick\" d=\"M" << llvm::format("%.0f", at) << " 0V"
        << bottom << "\"/><text x=\"" << llvm::format("%.0f", at) << "\" y=\""
        << bottom + 13 << "\">" << rateText(scale.most * i / ticks, scale.unit)
        << "</text>";
  }
}

static std::string percentText(const std::optional<SampleStatistics> &share) {
  return share ? numberText(share->median * 100) + "&thinsp;%" : "";
}

void BenchChart::writeTable(raw_ostream &out) const {
  out << "<div class=\"scroll\"><table><thead><tr><th>Pipeline</th><th>Target"
         "</th><th>A call</th><th>5 % to 95 %</th><th>Samples</th><th>Rate</th>"
         "<th>Of peak</th><th>Of memory</th><th>Ratio</th><th>Notes</th></tr>"
         "</thead><tbody>";
  for (size_t i = 0; i < group.rows.size(); ++i) {
    const BenchRow &row = group.rows[i];
    out << "<tr><td>" << Html{row.key.pipeline} << "</td><td>"
        << Html{row.key.target} << ' ' << Html{row.key.sweep} << "</td>";
    if (!row.whyNot.empty()) {
      out << "<td colspan=\"7\"></td><td>" << Html{row.whyNot} << "</td></tr>";
      continue;
    }
    out << "<td class=\"num\">" << timeText(row.seconds.median)
        << "</td><td class=\"num\">" << timeText(row.seconds.p05)
        << " \xE2\x80\xA6 " << timeText(row.seconds.p95)
        << "</td><td class=\"num\">" << countText(int64_t(row.seconds.count))
        << "</td><td class=\"num\">"
        << rateText(rate(row.seconds.median), scale.unit)
        << "</td><td class=\"num\">" << percentText(row.shareOfPeak)
        << "</td><td class=\"num\">" << percentText(row.shareOfBandwidth)
        << "</td><td class=\"num\">"
        << (row.ratio ? numberText(row.ratio->median) : "") << "</td><td>";
    std::vector<std::string> notes;
    if (group.fastest == i)
      notes.push_back(group.isClear ? "fastest" : "fastest, within the noise");
    if (!row.isSteady)
      notes.push_back("not steady");
    if (row.byCpuTime)
      notes.push_back("by CPU time");
    if (row.leftRace)
      notes.push_back("left the race");
    out << llvm::join(notes, ", ") << "</td></tr>";
  }
  out << "</tbody></table></div>\n";
}

void BenchChart::write(raw_ostream &out) {
  chooseScale();
  double bottom = static_cast<double>(group.rows.size()) * barHeight + 6;
  out << "<figure><figcaption><b>" << Html{group.caseName}
      << (group.dataSet.empty() ? "" : " ") << Html{group.dataSet}
      << "</b>, further right is faster; the dashed "
      << "line is "
      << (group.operations() ? "the machine's peak" : "the memory's speed")
      << "</figcaption>";
  if (scale.most > 0) {
    out << "<svg class=\"bench\" viewBox=\"0 0 960 " << bottom + 18
        << "\" role=\"img\" aria-label=\"Measured rates\">";
    writeAxis(bottom, out);
    for (size_t i = 0; i < group.rows.size(); ++i)
      writeBar(group.rows[i], i, out);
    out << "</svg>";
  }
  out << "</figure>\n";
  writeTable(out);
}

void lh::writeBench(const PageData &data, raw_ostream &out) {
  bool isFirst = true;
  for (const SavedRun &run : data.runs) {
    if (!run.bench)
      continue;
    if (std::exchange(isFirst, false))
      out << "<section id=\"bench\"><h2>Measurements</h2>\n";
    out << "<p class=\"run\">" << Html{run.bench->cpu} << ", "
        << run.bench->threads
        << (run.bench->threads == 1 ? " thread" : " threads")
        << (run.bench->interrupted ? ", interrupted" : "") << "</p>";
    for (const BenchGroup &group : run.bench->groups)
      BenchChart(group).write(out);
  }
  if (!isFirst)
    out << "</section>\n";
}
