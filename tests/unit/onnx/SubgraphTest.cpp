// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and subgraphs that contradict themselves are refused. What right
// ones compute is checked end to end (golden/onnx-ops).
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;
using Catch::Matchers::Contains;

/// x (2x4) -> own.F -> y.
static TestModel callingModel(const std::vector<std::string> &functions) {
  TestModel model;
  model.nodes = {call("F", {"x"}, {"y"})};
  model.functions = functions;
  model.inputs = {valueInfo("x", float32, {2, 4})};
  model.outputs = {valueInfo("y", float32, {2, 4})};
  return model;
}

TEST_CASE("a function's nodes take the place of its call", "[ingress]") {
  Imported result = importModel(callingModel(
      {function("F", {"a"}, {"b"}, {node("Relu", "inside", {"a"}, {"b"})})}));
  INFO(result.messages());
  CHECK(result.succeeded);
  CHECK_THAT(result.text, Contains("arith.maximumf"));
}

TEST_CASE("operators inside functions and subgraphs are checked too",
          "[ingress]") {
  checkRefusedOnce(
      callingModel(
          {function("F", {"a"}, {"b"}, {node("Foo", "", {"a"}, {"b"})}),
           function("Unused", {}, {}, {node("Bar", "", {}, {"b"})})}),
      "ingress-unsupported-op", "op 'Foo' (opset 13, node 'Foo_0')");
}

TEST_CASE("a function that calls itself is refused", "[ingress]") {
  checkRefusedOnce(
      callingModel({function("F", {"a"}, {"b"}, {call("G", {"a"}, {"b"})}),
                    function("G", {"a"}, {"b"}, {call("F", {"a"}, {"b"})})}),
      "ingress-invalid-node", "calls the function 'own.F' inside itself");
}

TEST_CASE("functions nest only so deep and unfold only so far", "[ingress]") {
  auto name = [](int i) { return i == 0 ? "F" : "F" + std::to_string(i); };
  auto chain = [&](int length, int calls) {
    std::vector<std::string> functions;
    for (int i = 0; i < length; ++i) {
      std::vector<std::string> nodes;
      for (int k = 0; k < calls; ++k)
        nodes.push_back(call(name(i + 1), {k ? "b" : "a"}, {k ? "c" : "b"}));
      functions.push_back(function(name(i), {"a"}, {"b"}, nodes));
    }
    functions.push_back(function(name(length), {"a"}, {"b"},
                                 {node("Identity", "", {"a"}, {"b"})}));
    return callingModel(functions);
  };
  checkRefusedOnce(chain(100, 1), "ingress-malformed-model",
                   "call each other more than 64 deep");
  checkRefusedOnce(chain(30, 2), "ingress-malformed-model",
                   "unfold to more than 262144 nodes");
}

TEST_CASE("a call gives a function no more than it takes", "[ingress]") {
  TestModel model = callingModel(
      {function("F", {"a"}, {"b"}, {node("Relu", "", {"a"}, {"b"})})});
  model.nodes = {call("F", {"x", "x"}, {"y"})};
  checkRefusedOnce(model, "ingress-invalid-node",
                   "calls the function 'own.F' with more inputs or outputs");
}

TEST_CASE("a function must define its outputs", "[ingress]") {
  checkRefusedOnce(callingModel({function("F", {"a"}, {"b"}, {})}),
                   "ingress-undefined-value",
                   "output 'b' of function 'own.F' is defined by no node");
}

TEST_CASE("names of a function are its own", "[ingress]") {
  checkRefusedOnce(callingModel({function("F", {"a"}, {"b"},
                                          {node("Relu", "", {"x"}, {"b"})})}),
                   "ingress-undefined-value", "uses 'x'");
}

/// x and a condition -> If, whose branches are given -> y.
static TestModel branchingModel(const std::string &then,
                                const std::string &otherwise) {
  TestModel model;
  model.nodes = {node("If", "choice", {"c"}, {"y"}, {then, otherwise})};
  model.inputs = {valueInfo("x", float32, {2, 4}), valueInfo("c", boolean, {})};
  model.outputs = {valueInfo("y", float32, {2, 4})};
  return model;
}

static std::string branch(const std::string &name, const std::string &inner) {
  return graphAttribute(name, {inner}, {}, {valueInfo("r", float32, {2, 4})});
}

TEST_CASE("the branches of If must agree", "[ingress]") {
  std::string relu = node("Relu", "", {"x"}, {"r"});
  CHECK(importModel(branchingModel(branch("then_branch", relu),
                                   branch("else_branch", relu)))
            .succeeded);
  checkRefusedOnce(
      branchingModel(branch("then_branch", relu),
                     branch("else_branch", node("Size", "", {"x"}, {"r"}))),
      "ingress-unsupported-op",
      "output 0 has another rank or element type in each branch");
  checkRefusedOnce(branchingModel(branch("then_branch", relu), ""),
                   "ingress-invalid-node", "'else_branch' must be a graph");
}

/// A Loop of `count` turns (none without) over `nodes`, carrying x as "a".
static TestModel loopingModel(const std::string &count,
                              const std::vector<std::string> &nodes,
                              const std::vector<std::string> &outputs) {
  TestModel model;
  std::string body =
      graphAttribute("body", nodes,
                     {valueInfo("i", int64, {}), valueInfo("c", boolean, {}),
                      valueInfo("a", float32, {2, 4})},
                     outputs);
  model.nodes = {node("Loop", "turns", {count, "", "x"}, {"y"}, {body})};
  model.inputs = {valueInfo("x", float32, {2, 4}), valueInfo("n", int64, {})};
  model.outputs = {valueInfo("y", float32, {2, 4})};
  return model;
}

TEST_CASE("a Loop that contradicts itself is refused", "[ingress]") {
  std::string go = node("Identity", "", {"c"}, {"go"});
  std::string relu = node("Relu", "", {"a"}, {"b"});
  std::string goes = valueInfo("go", boolean, {});
  std::string b = valueInfo("b", float32, {2, 4});
  CHECK(importModel(loopingModel("n", {go, relu}, {goes, b})).succeeded);
  checkRefusedOnce(loopingModel("", {go, relu}, {goes, b}),
                   "ingress-invalid-node", "the loop never ends");
  checkRefusedOnce(loopingModel("n", {go}, {goes}), "ingress-invalid-node",
                   "the body has 1 outputs; at least 2 are needed");
  checkRefusedOnce(
      loopingModel("n", {go, node("Shape", "", {"a"}, {"b"})}, {goes, b}),
      "ingress-unsupported-op",
      "loop-carried value 0 changes its rank or element type");
  checkRefusedOnce(loopingModel("n", {relu}, {b, b}), "ingress-invalid-node",
                   "the condition must be one bool");
}
