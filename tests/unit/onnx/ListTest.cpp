// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences and optionals at a model's border, in loops and branches.
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;

/// TypeProto's of a float tensor, and of a sequence or an optional of
/// `element`.
static std::string tensorType() {
  return Message().bytes(1, Message().varint(1, float32).str()).str();
}
static std::string sequenceType(const std::string &element) {
  return Message().bytes(4, Message().bytes(1, element).str()).str();
}
static std::string optionalType(const std::string &element) {
  return Message().bytes(9, Message().bytes(1, element).str()).str();
}
static std::string list(const std::string &name, const std::string &type) {
  return Message().bytes(1, name).bytes(2, type).str();
}

/// SequenceAt of "s" at place 1, "s" being an input.
static TestModel listModel(const std::string &type) {
  TestModel model;
  model.opset = 18;
  model.inputs = {list("s", type)};
  model.initializers = {int64Tensor("one", {}, {1})};
  model.nodes = {node("SequenceAt", "pick", {"s", "one"}, {"y"})};
  model.outputs = {list("y", tensorType())};
  return model;
}

static Imported imported(const TestModel &model,
                         std::vector<BoundShape> shapes) {
  TestFolder folder;
  return importFile(folder.write("m.onnx", model.str()), std::move(shapes));
}

static BoundShape bound(BoundList of) {
  BoundShape shape;
  shape.list = std::move(of);
  return shape;
}

TEST_CASE("a sequence's elements are inputs of their own", "[ingress]") {
  TestModel model = listModel(sequenceType(tensorType()));
  Imported result = imported(model, {bound({{{2, 3}, {4}}, true})});
  CHECK(result.messages() == "");
  for (const char *words : {"lh.name = \"s[0]\"", "lh.name = \"s[1]\"",
                            "tensor<2x3xf32>", "return %arg1"})
    CHECK(StringRef(result.text).contains(words));
  // By name, as a command line gives them.
  result = imported(model, {{"s[1]", {4}}, {"s[0]", {2, 3}}});
  CHECK(result.messages() == "");
  CHECK(StringRef(result.text).contains("return %arg1 : tensor<4xf32>"));
}

TEST_CASE("a list of unknown length is refused", "[ingress]") {
  checkRefused(listModel(sequenceType(tensorType())),
               "ingress-unsupported-type",
               "input 's' is a sequence; how many tensors it has must be known "
               "at import");
  checkRefused(listModel(optionalType(tensorType())),
               "ingress-unsupported-type",
               "input 's' is an optional; whether it is there must be known");
  checkRefused(listModel(sequenceType(sequenceType(tensorType()))),
               "ingress-unsupported-type",
               "input 's' is a sequence; only tensors, sequences of them and "
               "optional ones are supported");
  Imported result =
      imported(listModel(sequenceType(tensorType())), {bound({{{2}}, true})});
  CHECK(StringRef(result.messages())
            .contains("there is no place 1 in a sequence with 1 of them"));
}

TEST_CASE("an optional is there or not", "[ingress]") {
  TestModel model = listModel(optionalType(tensorType()));
  model.nodes = {node("OptionalGetElement", "get", {"s"}, {"y"})};
  Imported result = imported(model, {bound({{{2, 3}}, true})});
  CHECK(result.messages() == "");
  CHECK(StringRef(result.text).contains("lh.name = \"s\""));
  result = imported(model, {bound({{}, false})});
  CHECK(StringRef(result.messages()).contains("the optional is empty"));
  // Two where one can be.
  result = imported(model, {bound({{{2}, {2}}, true})});
  CHECK(result.has("ingress-unsupported-type"));
}

TEST_CASE("a sequence leaves a model as many results", "[ingress]") {
  TestModel model = listModel(sequenceType(tensorType()));
  model.nodes = {node("SequenceErase", "less", {"s"}, {"y"})};
  model.outputs = {list("y", sequenceType(tensorType()))};
  Imported result = imported(model, {bound({{{1}, {2}, {3}}, true})});
  CHECK(result.messages() == "");
  CHECK(StringRef(result.text)
            .contains("-> (tensor<1xf32> {lh.name = \"y[0]\", lh.type = "
                      "\"float32\"}, tensor<2xf32> {lh.name = \"y[1]\""));
}

/// A Loop of `turns` over a body that inserts "x" into the sequence "s".
static TestModel loopModel() {
  TestModel model;
  model.opset = 18;
  model.inputs = {valueInfo("turns", int64, {}), valueInfo("go", boolean, {}),
                  valueInfo("x", float32, {2})};
  std::string body = graphAttribute(
      "body",
      {node("Identity", "", {"going"}, {"goes"}),
       node("SequenceInsert", "", {"t", "x"}, {"u"})},
      {valueInfo("i", int64, {}), valueInfo("going", boolean, {}),
       list("t", sequenceType(tensorType()))},
      {valueInfo("goes", boolean, {}), list("u", sequenceType(tensorType()))});
  model.nodes = {node("SequenceConstruct", "", {"x"}, {"s"}),
                 node("Loop", "turns", {"turns", "go", "s"}, {"y"}, {body})};
  model.outputs = {list("y", sequenceType(tensorType()))};
  return model;
}

TEST_CASE("a loop that carries a list is unrolled as often as the case says",
          "[ingress]") {
  std::vector<BoundShape> shapes = {{"turns", {}}, {"go", {}}, {"x", {2}}};
  shapes[0].values = {2};
  shapes[1].values = {1};
  Imported result = imported(loopModel(), shapes);
  CHECK(result.messages() == "");
  CHECK(StringRef(result.text).contains("lh.name = \"y[2]\""));
  CHECK_FALSE(StringRef(result.text).contains("lh.name = \"y[3]\""));
  CHECK(StringRef(result.text)
            .contains("the trip count is not the 2 for which the model was "
                      "imported"));
  CHECK_FALSE(StringRef(result.text).contains("scf."));
  shapes[1].values = {0};
  CHECK_FALSE(
      StringRef(imported(loopModel(), shapes).text).contains("\"y[1]\""));
}

TEST_CASE("a loop's count and condition are no lists", "[ingress]") {
  for (size_t place : {0, 1}) {
    TestModel model = loopModel();
    std::vector<std::string> inputs = {"turns", "go", "x"};
    inputs[place] = "s";
    std::string body = graphAttribute(
        "body", {node("Identity", "", {"going"}, {"goes"})},
        {valueInfo("i", int64, {}), valueInfo("going", boolean, {}),
         valueInfo("a", float32, {2})},
        {valueInfo("goes", boolean, {}), valueInfo("a", float32, {2})});
    model.nodes[1] = node("Loop", "turns", inputs, {"y"}, {body});
    model.outputs = {valueInfo("y", float32, {2})};
    checkRefused(model, "ingress-unsupported-op",
                 "input " + std::to_string(place) +
                     " is a sequence or an optional, and the op takes a tensor "
                     "there");
  }
}

TEST_CASE("a loop that carries a list must be known to end", "[ingress]") {
  checkRefused(loopModel(), "ingress-unsupported-op",
               "the trip count must be known at import");
  std::vector<BoundShape> shapes = {{"turns", {}}, {"go", {}}, {"x", {2}}};
  shapes[0].values = {1'000'000};
  shapes[1].values = {1};
  CHECK(StringRef(imported(loopModel(), shapes).messages())
            .contains("more than 10000 iterations"));
}
