// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are functions of others: what is emitted for them, and what
// their errors say. What they compute is checked end to end (golden/onnx-ops).
#include "TestModel.h"

#include "compiler/ingress/emit/Emitter.h"
#include "compiler/ingress/onnx/FunctionText.h"

#include "llvm/ADT/StringRef.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace lh;
using namespace lh::test;

/// One node; its inputs are named a, b, c, ...
static TestModel modelOf(const std::string &op,
                         const std::vector<std::string> &inputs,
                         const std::vector<std::string> &attributes = {}) {
  TestModel model;
  model.opset = 23;
  model.inputs = inputs;
  model.outputs = {valueInfo("y", 0, {-2})};
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i)
    names.push_back(std::string(1, static_cast<char>('a' + i)));
  model.nodes = {node(op, "n", names, {"y"}, attributes)};
  return model;
}

static size_t countOf(const std::string &text, llvm::StringRef words) {
  return llvm::StringRef(text).count(words);
}

TEST_CASE("what a function computes of each element is one loop", "[ingress]") {
  TestModel model =
      modelOf("LpNormalization", {valueInfo("a", float32, {2, 3})});
  model.outputs = {valueInfo("y", float32, {2, 3})};
  Imported result = importModel(model);
  INFO(result.messages());
  REQUIRE(result.succeeded);
  // The squares' sum, its root, what divides a row, and the rest.
  CHECK(countOf(result.text, "linalg.generic") == 4);
  CHECK(countOf(result.text, "arith.select") == 1);
}

TEST_CASE("a function computes half types in float32 and rounds once",
          "[ingress]") {
  TestModel model =
      modelOf("LpNormalization", {valueInfo("a", float16, {2, 3})});
  model.outputs = {valueInfo("y", float16, {2, 3})};
  Imported result = importModel(model);
  INFO(result.messages());
  REQUIRE(result.succeeded);
  CHECK(countOf(result.text, "arith.extf") == 1);
  CHECK(countOf(result.text, "arith.truncf") == 1);
}

TEST_CASE("an error inside a function speaks of the model's node",
          "[ingress]") {
  std::string matrix = valueInfo("a", float32, {2, 3});
  checkRefusedOnce(modelOf("LpNormalization", {matrix}, {intAttribute("p", 3)}),
                   "ingress-invalid-node",
                   "node 'n' (LpNormalization): 'p' must be 1 or 2");
  checkRefusedOnce(
      modelOf("LpNormalization", {matrix}, {intAttribute("axis", 5)}),
      "ingress-invalid-node",
      "node 'n' (LpNormalization): its ReduceL2: axis 5 is outside");
  checkRefusedOnce(
      modelOf("GroupNormalization",
              {valueInfo("a", float32, {2, 6, 4}), valueInfo("b", float32, {5}),
               valueInfo("c", float32, {6})},
              {intAttribute("num_groups", 3)}),
      "ingress-shape-mismatch",
      "the length of the scale and the number of channels must agree, but are "
      "5 and 6");
  checkRefusedOnce(
      modelOf("NegativeLogLikelihoodLoss", {valueInfo("a", float32, {2, 3, 4}),
                                            valueInfo("b", int32, {2, 5})}),
      "ingress-shape-mismatch", "labels 2x5 and scores 2x3x4");
}

TEST_CASE("functions that are there for others are unknown to models",
          "[ingress]") {
  checkRefusedOnce(modelOf("_real", {valueInfo("a", float32, {2}),
                                     valueInfo("b", float32, {})}),
                   "ingress-unsupported-op", "op '_real'");
}

TEST_CASE("what a model says in floats has a whole number", "[ingress]") {
  double infinity = std::numeric_limits<double>::infinity();
  CHECK(wholeNumber(-2.7) == -2);
  CHECK(wholeNumber(std::numeric_limits<double>::quiet_NaN()) == 0);
  CHECK(wholeNumber(infinity) == std::numeric_limits<int64_t>::max());
  CHECK(wholeNumber(-1e30) == std::numeric_limits<int64_t>::min());
}

TEST_CASE("text is read token by token", "[ingress]") {
  FunctionCursor cursor("com.microsoft.Op@12 # a comment\n [1..3, 1.5e-3] "
                        "\"a b\" {x {y} z} _end");
  CHECK(cursor.takeName() == "com.microsoft.Op");
  CHECK(cursor.take("@"));
  CHECK(cursor.takeNumber() == 12);
  CHECK(cursor.take("["));
  CHECK(cursor.takeNumber() == 1);
  CHECK(cursor.take(".."));
  CHECK(cursor.takeNumber() == 3);
  CHECK(cursor.take(","));
  CHECK(cursor.takeNumber() == 1.5e-3);
  CHECK(cursor.take("]"));
  CHECK(cursor.takeNumber() == std::nullopt);
  CHECK(cursor.takeText() == "a b");
  CHECK(cursor.takeBlock() == "x {y} z");
  CHECK(cursor.takeName() == "_end");
  CHECK(cursor.left().empty());
}
