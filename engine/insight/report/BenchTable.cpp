// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured, for people.
#include "insight/report/BenchTable.h"

#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"
#include "insight/report/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <set>

using namespace lh;

/// Columns with names; numbers follow.
static constexpr size_t benchNameColumns = 3;

static std::string formatted(const char *form, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(form, value);
  return text;
}

static std::string percent(const std::optional<SampleStatistics> &share) {
  return share ? percentText(share->median) : "-";
}

static std::string ratioText(const std::optional<SampleStatistics> &ratio) {
  if (!ratio)
    return "-";
  return threeDigits(ratio->median) + "x (" + threeDigits(ratio->p05) + " to " +
         threeDigits(ratio->p95) + ")";
}

/// Of few samples nothing is known.
static std::string errorText(const SampleStatistics &statistics) {
  return statistics.count > 2
             ? formatted("%.1f %%", statistics.relativeError * 100)
             : "-";
}

static std::string caseName(const BenchGroup &group) {
  return group.dataSet.empty() ? group.caseName
                               : group.caseName + "/" + group.dataSet;
}

static Cells header(const BenchRecord &record) {
  Cells cells = {"case", "pipeline", "target",  "median", "min",    "p95",
                 "+-",   "GFLOP/s",  "of peak", "GB/s",   "of copy"};
  if (record.isRace)
    cells.push_back("to the fastest");
  else if (!record.base.empty())
    cells.push_back("to " + record.base);
  return cells;
}

static Cells rowCells(const BenchRecord &record, const BenchGroup &group,
                      const BenchRow &row) {
  const ResultKey &key = row.key;
  std::string target =
      key.sweep.empty() ? key.target : key.target + " " + key.sweep;
  Cells cells = {caseName(group), key.pipeline, target};
  if (!row.whyNot.empty()) {
    cells.push_back("not measured");
    return cells;
  }
  double median = row.seconds.median;
  std::optional<double> operations = group.operations();
  cells.push_back(durationText(median));
  cells.push_back(durationText(row.seconds.min));
  cells.push_back(durationText(row.seconds.p95));
  cells.push_back(errorText(row.seconds) + (row.isSteady ? "" : "!"));
  cells.push_back(operations ? threeDigits(*operations / median * 1e-9) : "-");
  cells.push_back(percent(row.shareOfPeak));
  cells.push_back(threeDigits(static_cast<double>(row.bytes) / median * 1e-9));
  cells.push_back(percent(row.shareOfBandwidth));
  if (record.isRace || !record.base.empty())
    cells.push_back(ratioText(row.ratio));
  return cells;
}

static void printProbes(const BenchGroup &group, llvm::raw_ostream &stream) {
  for (const ProbeFigure &figure : group.probes)
    if (figure.rate.count > 0)
      stream << caseName(group) << ": " << figure.probe.name << ": "
             << threeDigits(figure.rate.median * 1e-9)
             << (figure.probe.dtype.empty() ? " GB/s" : " GFLOP/s") << " (p95 "
             << threeDigits(figure.rate.p95 * 1e-9) << ")\n";
  if (group.work && group.work->isOpen)
    stream << caseName(group)
           << ": no GFLOP/s: a size of a contraction isn't known\n";
}

/// Who else took part, and in which versions.
static void printTools(const BenchRecord &record, llvm::raw_ostream &stream) {
  std::set<std::string> tools;
  for (const BenchGroup &group : record.groups)
    for (const BenchRow &row : group.rows)
      if (!row.tool.empty())
        tools.insert(row.tool);
  if (!tools.empty())
    stream << "other compilers: " << llvm::join(tools, ", ") << '\n';
}

static void printNotes(const BenchRecord &record, const BenchRow &row,
                       llvm::raw_ostream &stream) {
  auto note = [&]() -> llvm::raw_ostream & {
    return stream << resultName(row.key) << ": ";
  };
  if (!row.whyNot.empty()) {
    note() << "not measured: " << row.whyNot << '\n';
    return;
  }
  if (row.onDevice)
    note() << "times by the device's clock\n";
  size_t laps = row.seconds.count + row.dropped;
  if (row.byCpuTime)
    note() << "CPU times: most of its " << laps << " samples were disturbed\n";
  if (row.dropped > 0)
    note() << row.dropped << " of " << laps
           << " samples were disturbed and are left out\n";
  if (row.leftRace)
    note() << "left the race after " << laps << " samples\n";
  else if (!row.isSteady)
    note() << "not steady: " << row.seconds.count << " samples within "
           << formatted("%g", record.limitSeconds)
           << " s have a standard error of " << errorText(row.seconds) << '\n';
}

static void printWinner(const BenchGroup &group, llvm::raw_ostream &stream) {
  if (!group.fastest)
    return;
  const ResultKey &key = group.rows[*group.fastest].key;
  stream << caseName(group) << ": the fastest is " << key.pipeline << " on "
         << key.target;
  if (!group.isClear)
    stream << ", but within the noise it is not alone";
  stream << '\n';
}

void lh::printBench(const BenchRecord &record, llvm::raw_ostream &stream) {
  if (record.groups.empty()) {
    stream << "nothing was measured: no case ran to an 'execute:' bubble\n";
    return;
  }
  stream << "\nmeasured on " << record.cpu;
  if (record.core >= 0)
    stream << ", core " << record.core;
  if (record.threads > 1)
    stream << ", " << record.threads
           << " threads (probes: one, times their number)";
  stream << '\n';
  std::vector<Cells> lines = {header(record)};
  for (const BenchGroup &group : record.groups)
    for (const BenchRow &row : group.rows)
      lines.push_back(rowCells(record, group, row));
  printTable(lines, benchNameColumns, stream);
  printTools(record, stream);
  for (const BenchGroup &group : record.groups)
    printProbes(group, stream);
  for (const BenchGroup &group : record.groups)
    for (const BenchRow &row : group.rows)
      printNotes(record, row, stream);
  for (const BenchGroup &group : record.groups)
    printWinner(group, stream);
  if (record.interrupted)
    stream << "interrupted: not all was measured\n";
}
