// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the quantised operators refuse, and how they emit their contractions.
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;

static std::string number(const std::string &name, int type) {
  return valueInfo(name, type, {});
}

/// Imports one QuantizeLinear or DequantizeLinear of a 4x6 tensor.
static Imported importScaled(const std::string &op, int type,
                             const std::string &scale, const std::string &zero,
                             const std::vector<std::string> &attributes = {}) {
  TestModel model;
  model.opset = 21;
  model.inputs = {valueInfo("x", type, {4, 6}), scale, zero};
  model.outputs = {valueInfo("y", 0, {4, 6})};
  model.nodes = {node(op, "q", {"x", "s", "z"}, {"y"}, attributes)};
  return importModel(model);
}

TEST_CASE("scales that do not fit their tensor are refused", "[ingress]") {
  auto quantize = [](const std::vector<int64_t> &scale,
                     const std::vector<int64_t> &zero,
                     const std::vector<std::string> &attributes) {
    return importScaled("QuantizeLinear", float32,
                        valueInfo("s", float32, scale),
                        valueInfo("z", int8, zero), attributes);
  };
  CHECK(quantize({6}, {6}, {}).succeeded);
  CHECK(quantize({2, 6}, {2, 6},
                 {intAttribute("axis", 0), intAttribute("block_size", 2)})
            .succeeded);
  CHECK(quantize({5}, {5}, {}).has("ingress-shape-mismatch"));
  CHECK(quantize({6}, {}, {}).has("ingress-shape-mismatch"));
  CHECK(quantize({2, 6}, {2, 6}, {}).has("ingress-shape-mismatch"));
  CHECK(quantize({2, 6}, {2, 6},
                 {intAttribute("axis", 0), intAttribute("block_size", 3)})
            .succeeded);
  CHECK(quantize({2, 6}, {2, 6},
                 {intAttribute("axis", 0), intAttribute("block_size", 4)})
            .has("ingress-shape-mismatch"));
  CHECK(quantize({6}, {6}, {intAttribute("axis", 2)})
            .has("ingress-invalid-node"));
  CHECK(quantize({2, 6}, {2, 6}, {intAttribute("block_size", -1)})
            .has("ingress-invalid-node"));
  CHECK(quantize({2, 6}, {2, 6},
                 {intAttribute("axis", 0),
                  intAttribute("block_size", int64_t(1) << 62)})
            .has("ingress-shape-mismatch"));
}

TEST_CASE("types without a quantised meaning are refused", "[ingress]") {
  auto isInvalid = [](const std::string &op, int type, int scale, int zero,
                      const std::vector<std::string> &attributes = {}) {
    return importScaled(op, type, number("s", scale), number("z", zero),
                        attributes)
        .has("ingress-invalid-node");
  };
  std::string to = "output_dtype";
  CHECK(isInvalid("QuantizeLinear", float32, float32, int32));
  CHECK(isInvalid("QuantizeLinear", uint8, float32, int8));
  CHECK(isInvalid("QuantizeLinear", float32, int8, int8));
  CHECK(isInvalid("QuantizeLinear", float32, float32, int8,
                  {intAttribute(to, uint8)}));
  CHECK(isInvalid("DequantizeLinear", int8, float32, uint8));
  CHECK(isInvalid("DequantizeLinear", int8, int32, int8));
  CHECK(isInvalid("DequantizeLinear", int8, float32, int8,
                  {intAttribute(to, int8)}));
}

static TestModel quantisedConvolution(const std::vector<int64_t> &weightScale,
                                      int zeroType) {
  TestModel model;
  model.inputs = {valueInfo("x", uint8, {-1, 3, 8, 8}),
                  number("xs", float32),
                  number("xz", uint8),
                  valueInfo("w", int8, {4, 3, 3, 3}),
                  valueInfo("ws", float32, weightScale),
                  number("wz", zeroType),
                  number("ys", float32),
                  number("yz", uint8)};
  model.outputs = {valueInfo("y", uint8, {-1, 4, 8, 8})};
  model.nodes = {node("QLinearConv", "conv",
                      {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"},
                      {intsAttribute("pads", {1, 1, 1, 1})})};
  return model;
}

TEST_CASE("a quantised convolution is a named one in int32", "[ingress]") {
  Imported good = importModel(quantisedConvolution({4}, int8));
  REQUIRE(good.succeeded);
  CHECK(good.text.find("linalg.conv_2d_nchw_fchw") != std::string::npos);
  // What is padded has 8 bits; the image is widened once.
  CHECK(good.text.find("tensor<?x3x10x10xi32>") != std::string::npos);
  CHECK(good.text.find("tensor<?x3x8x8xi32>") == std::string::npos);
  CHECK(importModel(quantisedConvolution({3}, int8))
            .has("ingress-shape-mismatch"));
  CHECK(importModel(quantisedConvolution({4}, uint8))
            .has("ingress-invalid-node"));
}

TEST_CASE("a quantised product takes one scale per row and column",
          "[ingress]") {
  auto product = [](const std::vector<int64_t> &aScale,
                    const std::vector<int64_t> &bZero) {
    TestModel model;
    model.inputs = {valueInfo("a", uint8, {-1, 3, 5}),
                    valueInfo("as", float32, aScale),
                    number("az", uint8),
                    valueInfo("b", int8, {5, 4}),
                    number("bs", float32),
                    valueInfo("bz", int8, bZero),
                    number("ys", float32),
                    number("yz", uint8)};
    model.outputs = {valueInfo("y", uint8, {-1, 3, 4})};
    model.nodes = {node("QLinearMatMul", "product",
                        {"a", "as", "az", "b", "bs", "bz", "ys", "yz"}, {"y"})};
    return importModel(model);
  };
  Imported good = product({3}, {4});
  REQUIRE(good.succeeded);
  CHECK(good.text.find("linalg.matmul") != std::string::npos);
  CHECK(product({5}, {4}).has("ingress-shape-mismatch"));
  CHECK(product({3, 5}, {4}).has("ingress-shape-mismatch"));
  CHECK(product({3}, {5}).has("ingress-shape-mismatch"));
  CHECK(product({3}, {5, 4}).has("ingress-shape-mismatch"));
}

TEST_CASE("scales of rows that only the run counts must agree", "[ingress]") {
  TestModel model;
  model.inputs = {valueInfo("a", uint8, {-1, 5}),
                  valueInfo("as", float32, {4}),
                  number("az", uint8),
                  valueInfo("b", int8, {5, 4}),
                  number("bs", float32),
                  number("bz", int8),
                  valueInfo("ys", float32, {3}),
                  number("yz", uint8)};
  model.outputs = {valueInfo("y", uint8, {-1, 4})};
  model.nodes = {node("QLinearMatMul", "product",
                      {"a", "as", "az", "b", "bs", "bz", "ys", "yz"}, {"y"})};
  CHECK(importModel(model).has("ingress-shape-mismatch"));
}
