// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the engine writes into manifests reads back as what it was.
#include "core/manifest/FormText.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("a value's text keeps its type", "[manifest]") {
  CHECK(yamlText(true) == "true");
  CHECK(yamlText(int64_t(4)) == "4");
  CHECK(yamlText(4.0) == "4.0");
  CHECK(yamlText(1e300) == "1.0000000000000001e+300");
  CHECK(yamlText(std::string("4")) == "\"4\"");
  CHECK(yamlText(std::vector<int64_t>{1, 2}) == "[1, 2]");
  CHECK(quotedText("a \"b\"\n") == "\"a \\\"b\\\"\\n\"");
}

TEST_CASE("a contract's text says what it says, and only that", "[manifest]") {
  FormDecl form;
  CHECK(formText(form) == "{}");
  form.dialectsOnly.emplace(); // builtin alone
  form.typesSome = {"vector"};
  form.shapes = "static";
  CHECK(formText(form) ==
        "{dialects: {only: []}, types: {some: [\"vector\"]}, shapes: "
        "\"static\"}");
}
