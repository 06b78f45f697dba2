// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the fuzzers found, one test each.
#include "TestModel.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace lh;
using namespace lh::test;
using Catch::Matchers::Contains;

static Imported importNodes(const std::vector<std::string> &nodes,
                            int64_t opset = 17) {
  TestModel model;
  model.opset = opset;
  model.nodes = nodes;
  model.inputs = {valueInfo("x", float32, {2, 4})};
  model.outputs = {valueInfo("y", float32, {-1, -2})};
  return importModel(model);
}

TEST_CASE("a Constant of no opset is refused", "[ingress]") {
  Imported result = importNodes({node("Constant", "", {}, {"y"})}, 0);
  CHECK(result.has("ingress-unsupported-op"));
  CHECK_THAT(result.messages(), Contains("'Constant' (opset 0"));
}

TEST_CASE("an infinite number becomes an integer type's limit", "[ingress]") {
  Message lambd;
  lambd.bytes(1, "lambd").fixed32(2, -INFINITY).varint(20, 1);
  Imported result = importNodes(
      {node("Cast", "", {"x"}, {"a"}, {intAttribute("to", 6)}),
       node("Shrink", "", {"a"}, {"b"}, {lambd.str()}),
       node("Cast", "", {"b"}, {"y"}, {intAttribute("to", float32)})});
  INFO(result.messages());
  CHECK(result.succeeded);
  CHECK_THAT(result.text, Contains("-2147483648 : i32"));
}
