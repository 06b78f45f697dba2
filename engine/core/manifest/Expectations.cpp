// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures that a manifest announces, and when the announcement ends.
#include "core/manifest/Expectations.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/VersionTuple.h"

using namespace lh;

static constexpr StringRef programs[] = {"lh-run", "LLVM"};

/// Whether `text` is a day as "2027-06-30".
static bool isDate(StringRef text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-')
    return false;
  unsigned year = 0, month = 0, day = 0;
  return !text.take_front(4).getAsInteger(10, year) &&
         !text.substr(5, 2).getAsInteger(10, month) &&
         !text.substr(8, 2).getAsInteger(10, day) && month >= 1 &&
         month <= 12 && day >= 1 && day <= 31;
}

/// "LLVM 23" as the program and its version.
static std::optional<std::pair<StringRef, llvm::VersionTuple>>
versionOf(StringRef text) {
  auto [program, number] = text.split(' ');
  llvm::VersionTuple version;
  if (!llvm::is_contained(programs, program) || version.tryParse(number.trim()))
    return std::nullopt;
  return std::pair(program, version);
}

bool lh::isEnd(StringRef text) { return isDate(text) || versionOf(text); }

std::string lh::whyOver(StringRef until, const Present &present) {
  if (isDate(until)) {
    bool isOver = !present.today.empty() && until < present.today;
    return isOver ? "it was until " + until.str() : "";
  }
  auto end = versionOf(until);
  if (!end)
    return "";
  auto now = present.versions.find(end->first.str());
  llvm::VersionTuple version;
  if (now == present.versions.end() || version.tryParse(now->second) ||
      version < end->second)
    return "";
  return "it was until " + until.str() + ", and this is " + end->first.str() +
         " " + now->second;
}
