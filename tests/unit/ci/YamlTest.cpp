// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts for YAML.
#include "insight/ci/Yaml.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("a text is quoted with JSON's escapes, in ASCII", "[ci]") {
  CHECK(yamlText("a b") == "\"a b\"");
  CHECK(yamlText("\"\\\n\t\x7f") == "\"\\\"\\\\\\n\\u0009\\u007f\"");
  CHECK(yamlText("\xc3\xa9\xe2\x80\xa8") == "\"\\u00e9\\u2028\"");
  CHECK(yamlText("no: [yes] # {x} %y") == "\"no: [yes] # {x} %y\"");
  CHECK(yamlList({"a", "b"}) == "[\"a\", \"b\"]");
}
