// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of several things can go together, by what a made-up pipeline says.
#include "core/bench/Redundancy.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

using namespace lh;

using Names = std::vector<std::string>;

namespace {
/// A pipeline that is the worse for it when all of one of `groups` are gone.
struct Needy {
  std::vector<Names> groups;
  size_t questions = 0;

  bool costs(ArrayRef<std::string> gone) {
    ++questions;
    return llvm::any_of(groups, [&](const Names &group) {
      return llvm::all_of(group, [&](const std::string &name) {
        return llvm::is_contained(gone, name);
      });
    });
  }
  Redundancy search(const Names &names) {
    return findRedundancy(
        names, [&](ArrayRef<std::string> gone) -> std::optional<bool> {
          return costs(gone);
        });
  }
};
} // namespace

static const Names five = {"a", "b", "c", "d", "e"};

TEST_CASE("what nobody misses goes with one question", "[redundancy]") {
  Needy needy;
  Redundancy found = needy.search(five);
  CHECK(found.removable == five);
  CHECK(found.pairs.empty());
  CHECK(found.needed.empty());
  CHECK(needy.questions == 1);
}

TEST_CASE("one alone has been tried already, and none is none",
          "[redundancy]") {
  Needy needy;
  CHECK(needy.search({"a"}).removable == Names{"a"});
  CHECK(needy.search({}).removable.empty());
  CHECK(needy.questions == 0);
}

TEST_CASE("of a pair one stays, and the other is named", "[redundancy]") {
  for (const std::string &one : five)
    for (const std::string &other : five) {
      if (one >= other)
        continue;
      Needy needy{{{one, other}}};
      Redundancy found = needy.search(five);
      REQUIRE(found.pairs.size() == 1);
      CHECK(found.pairs.front() == std::pair(one, other));
      CHECK(found.needed.empty());
      CHECK(found.removable.size() == 4);
      CHECK_FALSE(llvm::is_contained(found.removable, other));
      CHECK_FALSE(needy.costs(found.removable));
      CHECK(needy.questions < 12);
    }
}

TEST_CASE("two pairs with one member in common are both found",
          "[redundancy]") {
  Needy needy{{{"a", "c"}, {"a", "e"}}};
  Redundancy found = needy.search(five);
  CHECK(found.removable == Names{"a", "b", "d"});
  CHECK(found.pairs == std::vector<std::pair<std::string, std::string>>{
                           {"a", "c"}, {"a", "e"}});
}

TEST_CASE("what takes more than two to be missed has no partner",
          "[redundancy]") {
  Needy needy{{{"a", "b", "d"}}};
  Redundancy found = needy.search(five);
  CHECK(found.removable == Names{"a", "b", "c", "e"});
  CHECK(found.pairs.empty());
  CHECK(found.needed == Names{"d"});
}

TEST_CASE("without answers nothing more is asked", "[redundancy]") {
  size_t questions = 0;
  Redundancy found =
      findRedundancy(five, [&](ArrayRef<std::string>) -> std::optional<bool> {
        return ++questions < 3 ? std::optional(true) : std::nullopt;
      });
  CHECK(questions == 3);
  CHECK(found.pairs.empty());
}
