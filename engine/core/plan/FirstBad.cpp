// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds where a row of prefixes turns from good to bad.
#include "core/plan/FirstBad.h"

#include <optional>
#include <set>

using namespace lh;

/// The prefix strictly between the two that is nearest to the middle and not
/// known to tell nothing.
static std::optional<size_t> nextToAsk(size_t good, size_t bad,
                                       const std::set<size_t> &unknown) {
  size_t middle = good + (bad - good) / 2;
  for (size_t distance = 0; distance <= bad - good; ++distance) {
    if (middle + distance < bad && !unknown.count(middle + distance) &&
        middle + distance > good)
      return middle + distance;
    if (middle > good + distance && !unknown.count(middle - distance))
      return middle - distance;
  }
  return std::nullopt;
}

FirstBad lh::findFirstBad(size_t good, size_t bad,
                          llvm::function_ref<Verdict(size_t)> probe) {
  FirstBad found{good, bad, {}, 0};
  std::set<size_t> unknown;
  while (auto asked = nextToAsk(found.good, found.bad, unknown)) {
    ++found.probes;
    switch (probe(*asked)) {
    case Verdict::Good:
      found.good = *asked;
      break;
    case Verdict::Bad:
      found.bad = *asked;
      break;
    case Verdict::Unknown:
      unknown.insert(*asked);
      break;
    }
  }
  for (size_t prefix : unknown)
    if (prefix > found.good && prefix < found.bad)
      found.unknown.push_back(prefix);
  return found;
}
