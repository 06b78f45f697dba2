// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values as text.
#include "core/manifest/ValueText.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("values print as a user writes them", "[manifest]") {
  CHECK(valueText(true) == "true");
  CHECK(valueText(int64_t(-4)) == "-4");
  CHECK(valueText(0.1) == "0.1");
  CHECK(valueText(1.0 / 3) == "0.33333333333333331");
  CHECK(valueText(std::string("x")) == "x");
  CHECK(valueText(std::vector<int64_t>{1, 2}) == "[1, 2]");
}

TEST_CASE("numbers are the same whatever their type", "[manifest]") {
  CHECK(sameValue(int64_t(4), 4.0));
  CHECK_FALSE(sameValue(int64_t(4), std::string("4")));
  CHECK_FALSE(sameValue(true, int64_t(1)));
}
