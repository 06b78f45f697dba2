// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that were counted and cycles that were modelled, for people.
#include "insight/report/ModelTable.h"

#include "insight/report/Summary.h"
#include "insight/report/TextTable.h"

#include "llvm/ADT/STLFunctionalExtras.h"

using namespace lh;

/// Columns with names; numbers follow.
static constexpr size_t modelNameColumns = 3;

static constexpr const char *kinds[] = {
    "sve", "sme", "neon", "rvv", "scalar", "fma", "load", "store", "branch"};

using RowVisitor = llvm::function_ref<void(const BenchGroup &, const BenchRow &,
                                           const ModelledCode &)>;

static void eachModelled(const BenchRecord &record, RowVisitor visit) {
  for (const BenchGroup &group : record.groups)
    for (const BenchRow &row : group.rows)
      if (row.modelled)
        visit(group, row, *row.modelled);
}

static Cells namesOf(const BenchGroup &group, const BenchRow &row) {
  const ResultKey &key = row.key;
  return {group.dataSet.empty() ? group.caseName
                                : group.caseName + "/" + group.dataSet,
          key.pipeline,
          key.sweep.empty() ? key.target : key.target + " " + key.sweep};
}

static std::string countText(double count) {
  return std::to_string(static_cast<uint64_t>(count + 0.5));
}

/// The share of each kind that some row has.
static std::vector<Cells> instructionLines(const BenchRecord &record) {
  std::vector<std::string> shown;
  for (const char *kind : kinds)
    eachModelled(record, [&](auto &, auto &, const ModelledCode &code) {
      if (code.kinds.count(kind) && (shown.empty() || shown.back() != kind))
        shown.push_back(kind);
    });
  std::vector<Cells> lines = {{"case", "pipeline", "target", "instructions"}};
  lines.front().insert(lines.front().end(), shown.begin(), shown.end());
  eachModelled(record, [&](const BenchGroup &group, const BenchRow &row,
                           const ModelledCode &code) {
    if (code.instructions == 0)
      return;
    Cells cells = namesOf(group, row);
    cells.push_back(countText(static_cast<double>(code.instructions)));
    for (const std::string &kind : shown) {
      auto count = code.kinds.find(kind);
      cells.push_back(
          count == code.kinds.end()
              ? "-"
              : percentText(static_cast<double>(count->second) /
                            static_cast<double>(code.instructions)));
    }
    lines.push_back(std::move(cells));
  });
  return lines;
}

static std::vector<Cells> cycleLines(const BenchRecord &record) {
  std::vector<Cells> lines = {{"case", "pipeline", "target", "core", "cycles",
                               "of peak", "op/cycle", "inner loop", "cycles",
                               "of peak"}};
  eachModelled(record, [&](const BenchGroup &group, const BenchRow &row,
                           const ModelledCode &code) {
    for (const ModelledCore &core : code.cores) {
      Cells cells = namesOf(group, row);
      cells.push_back(core.core);
      cells.push_back(countText(core.all.cycles));
      cells.push_back(percentText(core.all.shareOfPeak()));
      std::optional<double> operations = group.operations();
      cells.push_back(operations ? threeDigits(*operations / core.all.cycles)
                                 : "-");
      if (code.loopInstructions > 0) {
        cells.push_back(std::to_string(code.loopInstructions) +
                        " instructions");
        cells.push_back(threeDigits(core.loop.cycles));
        cells.push_back(percentText(core.loop.shareOfPeak()));
      }
      lines.push_back(std::move(cells));
    }
  });
  return lines;
}

void lh::printModels(const BenchRecord &record, llvm::raw_ostream &stream) {
  std::vector<Cells> instructions = instructionLines(record);
  std::vector<Cells> cycles = cycleLines(record);
  if (instructions.size() > 1) {
    stream << "\ninstructions of one call, counted under the emulator\n";
    printTable(instructions, modelNameColumns, stream);
  }
  if (cycles.size() > 1) {
    stream << "\ncycles of one call: " << cycleModelLabel << '\n';
    printTable(cycles, modelNameColumns + 1, stream);
  }
  eachModelled(record, [&](const BenchGroup &, const BenchRow &row,
                           const ModelledCode &code) {
    if (!code.whyNot.empty())
      stream << resultName(row.key) << ": not modelled: " << code.whyNot
             << '\n';
    else if (code.cores.empty())
      stream << resultName(row.key)
             << ": no cycles: the target names no core with vectors of "
             << code.vectorBits << " bits\n";
  });
}
