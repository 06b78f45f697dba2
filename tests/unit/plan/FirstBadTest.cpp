// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search for the prefix at which things turn bad.
#include "core/plan/FirstBad.h"

#include <catch2/catch.hpp>

#include <set>

using namespace lh;

TEST_CASE("the first bad prefix is found by halves", "[first-bad]") {
  for (size_t length = 1; length < 40; ++length)
    for (size_t first = 1; first <= length; ++first) {
      FirstBad found = findFirstBad(0, length, [&](size_t prefix) {
        CHECK((prefix > 0 && prefix < length));
        return prefix < first ? Verdict::Good : Verdict::Bad;
      });
      CHECK(found.bad == first);
      CHECK(found.good == first - 1);
      CHECK(found.unknown.empty());
      CHECK(found.probes <= 6); // 2^6 > 40
    }
}

TEST_CASE("what tells nothing is asked once, and kept where it matters",
          "[first-bad]") {
  std::multiset<size_t> asked;
  FirstBad found = findFirstBad(0, 20, [&](size_t prefix) {
    asked.insert(prefix);
    if (prefix == 9 || prefix == 10 || prefix == 11 || prefix == 3)
      return Verdict::Unknown;
    return prefix < 10 ? Verdict::Good : Verdict::Bad;
  });
  CHECK(found.good == 8);
  CHECK(found.bad == 12);
  CHECK(found.unknown == std::vector<size_t>{9, 10, 11});
  for (size_t prefix : asked)
    CHECK(asked.count(prefix) == 1);
}

TEST_CASE("without a prefix that tells anything all stay suspect",
          "[first-bad]") {
  FirstBad found = findFirstBad(2, 6, [](size_t) { return Verdict::Unknown; });
  CHECK(found.good == 2);
  CHECK(found.bad == 6);
  CHECK(found.unknown == std::vector<size_t>{3, 4, 5});
  CHECK(found.probes == 3);
}
