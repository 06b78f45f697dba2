// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the cache had to do with each step, for people.
#include "insight/report/CacheTable.h"

#include "insight/report/TextTable.h"

#include "llvm/ADT/MapVector.h"

using namespace lh;

static std::string useText(const StepOutcome &outcome) {
  switch (outcome.cache) {
  case CacheUse::Found:
    return "known";
  case CacheUse::Unneeded:
    return "known, not needed";
  case CacheUse::None:
    break;
  }
  return outcome.cacheNote.empty() ? "ran" : "ran: " + outcome.cacheNote;
}

void lh::printCacheUse(const RunRecord &record, llvm::raw_ostream &stream) {
  size_t known = 0, all = 0;
  llvm::MapVector<std::pair<std::string, std::string>, size_t,
                  std::map<std::pair<std::string, std::string>, unsigned>>
      counts;
  for (const Step &step : record.plan.steps) {
    const StepOutcome &outcome = record.outcomes[step.id];
    if (outcome.status == StepStatus::NotRun)
      continue;
    ++all;
    known += outcome.cache != CacheUse::None;
    ++counts[{step.bubble, useText(outcome)}];
  }
  stream << "cache: " << known << " of " << all << " steps were known\n";
  std::vector<Cells> lines;
  for (const auto &[line, count] : counts)
    lines.push_back(
        {"  " + line.first,
         line.second +
             (count > 1 ? " (" + std::to_string(count) + " steps)" : "")});
  printTable(lines, 2, stream);
}
