// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gaps are worth, for people.
#include "insight/report/GapTable.h"

#include "insight/report/TerminalReport.h"
#include "insight/report/TextTable.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;

static std::string timesText(const Slowdown &slowdown) {
  return threeDigits(slowdown.times) + "x";
}

std::string lh::trialText(const GapTrial &trial) {
  std::string text = enumName(trial.worth).str();
  if (trial.slowdown)
    text += ", " + timesText(*trial.slowdown);
  // Messages of passes may hold whole operations.
  constexpr size_t mostShown = 240;
  StringRef reason = trial.reason;
  if (!reason.empty())
    text += ": " + reason.take_front(mostShown).str();
  return reason.size() > mostShown ? text + " ..." : text;
}

static bool runs(const GapTrial &trial) {
  return trial.worth != GapWorth::Breaks;
}

static bool isRight(const GapTrial &trial) {
  return runs(trial) && trial.worth != GapWorth::Wrong;
}

static std::string lostText(const GapTrial &trial) {
  if (!isRight(trial))
    return "-";
  return trial.lostWork ? percentText(*trial.lostWork) : "unknown";
}

static Cells trialCells(const GapTrial &trial) {
  Cells cells = {trial.name, trial.topic, enumName(trial.worth).str(),
                 runs(trial) ? "yes" : "no",
                 isRight(trial) ? "yes"
                 : runs(trial)  ? "no"
                                : "-"};
  const std::optional<Slowdown> &slowdown = trial.slowdown;
  cells.push_back(slowdown ? timesText(*slowdown) : "-");
  cells.push_back(slowdown ? threeDigits(slowdown->low) + " to " +
                                 threeDigits(slowdown->high)
                           : "-");
  cells.push_back(lostText(trial));
  cells.push_back(durationText(trial.compileSeconds));
  return cells;
}

static void printTrials(StringRef what, ArrayRef<GapTrial> trials,
                        llvm::raw_ostream &stream) {
  if (trials.empty())
    return;
  constexpr size_t nameColumns = 5;
  std::vector<Cells> lines = {{what.str(), "topic", "worth", "runs", "right",
                               "takes", "from", "FLOPs lost", "compile"}};
  for (const GapTrial &trial : trials)
    lines.push_back(trialCells(trial));
  stream << '\n';
  printTable(lines, nameColumns, stream);
}

static void printRedundancy(const GapRecord &record,
                            llvm::raw_ostream &stream) {
  const Redundancy &found = record.redundancy;
  if (found.removable.empty())
    return;
  StringRef what = found.removable.size() == 1 ? "not missed here: "
                                               : "not missed together here: ";
  stream << '\n' << what << llvm::join(found.removable, ", ")
         << (record.seconds ? "" : " (without a time)") << '\n';
  for (const auto &[one, other] : found.pairs)
    stream << "one of two is enough: " << one << ", " << other << '\n';
  for (const std::string &name : found.needed)
    stream << "needed once those are gone: " << name << '\n';
}

void lh::printGaps(const GapRecord &record, llvm::raw_ostream &stream) {
  stream << "\ngaps of pipeline '" << record.pipeline << "' on target '"
         << record.target << "'";
  if (!record.caseName.empty())
    stream << ", case '" << record.caseName << "'";
  stream << ": " << record.cpu << ", LLVM " << record.llvm << ", "
         << record.startedAt << "; the full pipeline ";
  if (record.seconds)
    stream << "takes " << durationText(*record.seconds) << " a call and ";
  stream << "compiles in " << durationText(record.compileSeconds) << '\n';
  if (record.gaps.empty() && !record.interrupted)
    stream << "it uses no gap: all that changes its module is upstream's\n";
  printTrials("without", record.gaps, stream);
  printTrials("without topic", record.topics, stream);
  printRedundancy(record, stream);
  if (record.interrupted)
    stream << "interrupted: the rest was not tried\n";
}
