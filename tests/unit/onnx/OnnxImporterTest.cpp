// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a well-formed model becomes.
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;
using Catch::Matchers::Contains;

TEST_CASE("arguments and results carry ONNX names and types", "[ingress]") {
  TestModel model;
  model.nodes = {node("Add", "sum", {"a", "b"}, {"c"})};
  model.inputs = {valueInfo("a", 2, {2, 3}), valueInfo("b", 2, {3})};
  model.outputs = {valueInfo("c", 2, {2, 3})};
  Imported result = importModel(model);
  INFO(result.messages());
  REQUIRE(result.succeeded);
  CHECK_THAT(result.text,
             Contains("tensor<2x3xi8> {lh.name = \"a\", lh.type = \"uint8\"}"));
  CHECK_THAT(result.text, Contains("-> (tensor<2x3xi8> {lh.name = \"c\""));
  CHECK_THAT(result.text, Contains("arith.addi"));
}

TEST_CASE("a weight stays in the file and says where it lies", "[ingress]") {
  TestModel model;
  std::vector<float> values(2000, 0.5F);
  values[7] = 42.0F;
  model.nodes = {node("Mul", "", {"x", "w"}, {"y"})};
  model.initializers = {floatTensor("w", {2000}, values)};
  model.inputs = {valueInfo("x", float32, {2000}),
                  valueInfo("w", float32, {2000})};
  model.outputs = {valueInfo("y", float32, {2000})};
  model.irVersion = 3; // lists its initialiser as an input
  TestFolder folder;
  std::string bytes = model.str();
  std::string path = folder.write("model.onnx", bytes);
  Imported result = importFile(path);
  INFO(result.messages());
  REQUIRE(result.succeeded);
  std::string raw(reinterpret_cast<const char *>(values.data()), 8000);
  std::string where = "lh.data = [\"" + path + "\", " +
                      std::to_string(bytes.find(raw)) + ", 8000]";
  CHECK_THAT(result.text, Contains(where));
  CHECK_THAT(result.text, Contains("lh.weight = \"w\""));
  CHECK_THAT(result.text, !Contains("%arg2"));
}

TEST_CASE("external weights are found beside the model", "[ingress]") {
  TestModel model;
  model.nodes = {node("Mul", "", {"x", "w"}, {"y"})};
  model.initializers = {
      externalTensor("w", {2048}, "weights.bin", "64", "8192")};
  model.inputs = {valueInfo("x", float32, {2048})};
  model.outputs = {valueInfo("y", float32, {2048})};
  TestFolder folder;
  std::string data = folder.write("weights.bin", std::string(8256, '\0'));
  Imported result = importFile(folder.write("model.onnx", model.str()));
  INFO(result.messages());
  REQUIRE(result.succeeded);
  CHECK_THAT(result.text, Contains("weights.bin\", 64, 8192]"));
}

TEST_CASE("a dynamic batch stays dynamic until shapes are bound", "[ingress]") {
  TestModel model;
  model.nodes = {node("Flatten", "flat", {"x"}, {"y"}),
                 node("Relu", "act", {"y"}, {"z"})};
  model.inputs = {valueInfo("x", float32, {-1, 2, 4})};
  model.outputs = {valueInfo("z", float32, {-1, 8})};
  TestFolder folder;
  std::string path = folder.write("model.onnx", model.str());
  Imported dynamic = importFile(path);
  REQUIRE(dynamic.succeeded);
  CHECK_THAT(dynamic.text, Contains("[[0], [1, 2]] : tensor<?x2x4xf32>"));
  Imported bound = importFile(path, {{BoundShape{"x", {5, 2, 4}}}});
  REQUIRE(bound.succeeded);
  CHECK_THAT(bound.text, Contains("-> (tensor<5x8xf32>"));
}

TEST_CASE("a shape computed from shapes is static where it can be",
          "[ingress]") {
  TestModel model;
  model.nodes = {node("Shape", "", {"x"}, {"s"}),
                 node("Gather", "", {"s", "zero"}, {"batch"}),
                 node("Concat", "", {"batch", "rest"}, {"target"},
                      {intAttribute("axis", 0)}),
                 node("Reshape", "", {"x", "target"}, {"y"})};
  model.initializers = {int64Tensor("zero", {1}, {0}),
                        int64Tensor("rest", {1}, {-1})};
  model.inputs = {valueInfo("x", float32, {-1, 3, 4})};
  model.outputs = {valueInfo("y", float32, {-1, 12})};
  Imported result = importModel(model);
  INFO(result.messages());
  REQUIRE(result.succeeded);
  CHECK_THAT(result.text, Contains("tensor.collapse_shape"));
  CHECK_THAT(result.text, !Contains("tensor.reshape"));
  CHECK_THAT(result.text, !Contains("arith.divsi"));
}

TEST_CASE("places are selected as integers", "[ingress]") {
  // The analysis of bounds would follow each select between indices.
  TestModel model;
  model.nodes = {node("Gather", "", {"x", "i"}, {"y"})};
  model.inputs = {valueInfo("x", float32, {4}), valueInfo("i", int64, {2})};
  model.outputs = {valueInfo("y", float32, {2})};
  Imported result = importModel(model);
  INFO(result.messages());
  REQUIRE(result.succeeded);
  size_t select = result.text.find("arith.select");
  REQUIRE(select != std::string::npos);
  size_t end = result.text.find('\n', select);
  CHECK_THAT(result.text.substr(select, end - select), Contains(": i64"));
}

TEST_CASE("operations are located at their node", "[ingress]") {
  TestModel model;
  model.nodes = {node("Relu", "", {"x"}, {"y"})};
  model.inputs = {valueInfo("x", float32, {2})};
  model.outputs = {valueInfo("y", float32, {2})};
  TestFolder folder;
  mlir::MLIRContext context;
  CollectingSink sink;
  auto module =
      importOnnx({folder.write("model.onnx", model.str()), {}}, context, sink);
  REQUIRE(succeeded(module));
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  CHECK_THAT(text, Contains("#loc = loc(\"model.onnx\":0:0)"));
  CHECK_THAT(text, Contains("loc(\"Relu_0\"(#loc))"));
}

TEST_CASE("only a model's own narrowing casts are marked", "[ingress]") {
  TestModel model;
  model.nodes = {node("Cast", "", {"x"}, {"h"}, {intAttribute("to", 10)}),
                 node("Exp", "", {"h"}, {"y"})};
  model.inputs = {valueInfo("x", float32, {2})};
  model.outputs = {valueInfo("y", 10, {2})};
  Imported result = importModel(model);
  INFO(result.messages());
  REQUIRE(result.succeeded);
  CHECK_THAT(result.text, Contains("arith.truncf %in {lh.cast}"));
  CHECK_THAT(result.text, Contains("arith.truncf %in : f32 to f16"));
}

TEST_CASE("grouped and depthwise convolutions use named operations",
          "[ingress]") {
  for (int64_t groups : {1, 2, 4}) {
    TestModel model;
    std::vector<float> weights(static_cast<size_t>(4 * (4 / groups) * 9));
    model.nodes = {node(
        "Conv", "conv", {"x", "w"}, {"y"},
        {intAttribute("group", groups), intsAttribute("pads", {1, 1, 1, 1})})};
    model.initializers = {floatTensor("w", {4, 4 / groups, 3, 3}, weights)};
    model.inputs = {valueInfo("x", float32, {-1, 4, 8, 8})};
    model.outputs = {valueInfo("y", float32, {-1, 4, 8, 8})};
    Imported result = importModel(model);
    INFO(result.messages());
    REQUIRE(result.succeeded);
    CHECK_THAT(result.text,
               Contains(groups == 1   ? "linalg.conv_2d_nchw_fchw"
                        : groups == 2 ? "linalg.conv_2d_ngchw_gfchw"
                                      : "linalg.depthwise_conv_2d_nchw_chw"));
  }
}

TEST_CASE("a convolution with one tap and no stride is a matrix product",
          "[ingress]") {
  for (int64_t stride : {1, 2}) {
    TestModel model;
    model.nodes = {node("Conv", "conv", {"x", "w"}, {"y"},
                        {intsAttribute("strides", {stride, stride})})};
    model.initializers = {
        floatTensor("w", {6, 4, 1, 1}, std::vector<float>(24))};
    model.inputs = {valueInfo("x", float32, {-1, 4, 8, 8})};
    model.outputs = {valueInfo("y", float32, {-1, 6, 8 / stride, 8 / stride})};
    Imported result = importModel(model);
    INFO(result.messages());
    REQUIRE(result.succeeded);
    if (stride == 1) {
      CHECK_THAT(result.text, Contains("tensor<6x4xf32>, tensor<?x4x64xf32>"));
      CHECK_THAT(result.text, !Contains("linalg.conv"));
    } else {
      CHECK_THAT(result.text, Contains("linalg.conv_2d_nchw_fchw"));
    }
  }
}

TEST_CASE("integer division never traps and bool is one byte", "[ingress]") {
  TestModel model;
  model.nodes = {node("Div", "", {"a", "b"}, {"q"}),
                 node("Less", "", {"a", "b"}, {"l"})};
  model.inputs = {valueInfo("a", int64, {4}), valueInfo("b", int64, {4})};
  model.outputs = {valueInfo("q", int64, {4}), valueInfo("l", 9, {4})};
  Imported result = importModel(model);
  INFO(result.messages());
  REQUIRE(result.succeeded);
  CHECK_THAT(result.text, Contains("tensor<4xi8> {lh.name = \"l\", "
                                   "lh.type = \"bool\"}"));
  CHECK_THAT(result.text, Contains("arith.select"));
}

TEST_CASE("transposing a scalar is nothing", "[ingress]") {
  TestModel model;
  model.nodes = {node("Transpose", "", {"x"}, {"t"}),
                 node("Neg", "", {"t"}, {"y"})};
  model.inputs = {valueInfo("x", float32, {})};
  model.outputs = {valueInfo("y", float32, {})};
  Imported result = importModel(model);
  INFO(result.messages());
  REQUIRE(result.succeeded);
  CHECK_THAT(result.text, !Contains("linalg.transpose"));
}

TEST_CASE("what a channel has is read as a vector", "[ingress]") {
  TestModel model;
  model.nodes = {node("BatchNormalization", "norm",
                      {"x", "scale", "bias", "mean", "var"}, {"n"}),
                 node("Mul", "gate", {"n", "g"}, {"y"})};
  model.inputs = {valueInfo("x", float32, {2, 3, 4, 5}),
                  valueInfo("scale", float32, {3}),
                  valueInfo("bias", float32, {3}),
                  valueInfo("mean", float32, {3}),
                  valueInfo("var", float32, {3}),
                  valueInfo("g", float32, {2, 3, 1, 1})};
  model.outputs = {valueInfo("y", float32, {2, 3, 4, 5})};
  Imported result = importModel(model);
  INFO(result.messages());
  REQUIRE(result.succeeded);
  CHECK_THAT(result.text, Contains("affine_map<(d0, d1, d2, d3) -> (d1)>"));
  CHECK_THAT(result.text, Contains("affine_map<(d0, d1, d2, d3) -> (d0, d1)>"));
  // A map with constants keeps the norm from the product in front of it.
  CHECK_THAT(result.text, !Contains(", 0)>"));
}
