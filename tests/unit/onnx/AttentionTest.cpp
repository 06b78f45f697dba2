// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What attention and the normalisations refuse, and how attention is emitted.
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;

/// Imports one Attention of opset 24 of tensors of the given shapes.
static Imported importAttention(const std::vector<int64_t> &query,
                                const std::vector<int64_t> &key,
                                const std::vector<std::string> &attributes = {},
                                const std::vector<int64_t> &mask = {},
                                const std::vector<std::string> &outputs = {
                                    "y"}) {
  TestModel model;
  model.opset = 24;
  model.inputs = {valueInfo("q", float32, query), valueInfo("k", float32, key),
                  valueInfo("v", float32, key)};
  std::vector<std::string> names{"q", "k", "v"};
  if (!mask.empty()) {
    model.inputs.push_back(valueInfo("m", boolean, mask));
    names.push_back("m");
  }
  model.outputs = {valueInfo("y", float32, query)};
  model.nodes = {node("Attention", "a", names, outputs, attributes)};
  return importModel(model);
}

TEST_CASE("operands that cannot attend to each other are refused",
          "[ingress]") {
  CHECK(importAttention({2, 6, 3, 4}, {2, 2, 5, 4}).succeeded);
  CHECK(importAttention({2, 6, 3, 4}, {2, 4, 5, 4})
            .has("ingress-shape-mismatch"));
  CHECK(importAttention({2, 6, 3, 4}, {3, 6, 5, 4})
            .has("ingress-shape-mismatch"));
  CHECK(importAttention({2, 6, 3, 4}, {2, 6, 5, 3})
            .has("ingress-shape-mismatch"));
  CHECK(importAttention({2, 3, 4}, {2, 3, 4}).has("ingress-invalid-node"));
  CHECK(importAttention({2, 3}, {2, 3}).has("ingress-invalid-node"));
  CHECK(importAttention({2, 6, 3, 4}, {2, 5, 4}).has("ingress-invalid-node"));
}

TEST_CASE("heads that do not divide a hidden size are refused", "[ingress]") {
  auto heads = [](int64_t query, int64_t key) {
    return importAttention({2, 3, 8}, {2, 3, 4},
                           {intAttribute("q_num_heads", query),
                            intAttribute("kv_num_heads", key)});
  };
  CHECK(heads(4, 2).succeeded);
  CHECK(heads(3, 1).has("ingress-invalid-node"));
  CHECK(heads(-4, 2).has("ingress-invalid-node"));
  CHECK(heads(int64_t(1) << 62, 2).has("ingress-invalid-node"));
}

TEST_CASE("masks and stages that do not exist are refused", "[ingress]") {
  const std::vector<int64_t> query{2, 2, 3, 4}, key{2, 2, 5, 4};
  CHECK(importAttention(query, key, {}, {3, 4}).succeeded);
  CHECK(importAttention(query, key, {}, {3, 6}).has("ingress-shape-mismatch"));
  CHECK(importAttention(query, key, {}, {2, 5}).has("ingress-shape-mismatch"));
  CHECK(importAttention(query, key, {}, {1, 1, 1, 3, 5})
            .has("ingress-shape-mismatch"));
  CHECK(importAttention(query, key, {intAttribute("qk_matmul_output_mode", 4)})
            .has("ingress-invalid-node"));
  CHECK(importAttention(query, key, {intAttribute("softmax_precision", int64)})
            .has("ingress-invalid-node"));
  CHECK(importAttention(query, key, {intAttribute("left_window_size", -2)})
            .has("ingress-invalid-node"));
}

TEST_CASE("query heads that share keys need no copies of them", "[ingress]") {
  Imported module = importAttention({2, 6, 3, 4}, {2, 2, 5, 4});
  REQUIRE(module.succeeded);
  CHECK(module.text.find("tensor<4x9x4xf32>, tensor<4x5x4xf32>") !=
        std::string::npos);
  CHECK(module.text.find("linalg.broadcast") == std::string::npos);
}

TEST_CASE("groups that do not divide the channels are refused", "[ingress]") {
  auto groups = [](int64_t count, int64_t opset, int64_t vector) {
    TestModel model;
    model.opset = opset;
    model.inputs = {valueInfo("x", float32, {2, 6, 4}),
                    valueInfo("s", float32, {vector}),
                    valueInfo("b", float32, {vector})};
    model.outputs = {valueInfo("y", float32, {2, 6, 4})};
    model.nodes = {node("GroupNormalization", "g", {"x", "s", "b"}, {"y"},
                        {intAttribute("num_groups", count)})};
    return importModel(model);
  };
  CHECK(groups(3, 18, 3).succeeded);
  CHECK(groups(3, 21, 6).succeeded);
  CHECK(groups(3, 18, 6).has("ingress-shape-mismatch"));
  CHECK(groups(3, 21, 3).has("ingress-shape-mismatch"));
  CHECK(groups(4, 21, 6).has("ingress-invalid-node"));
  CHECK(groups(0, 21, 6).has("ingress-invalid-node"));
}

TEST_CASE("rotations that do not fit a head are refused", "[ingress]") {
  auto rotary = [](int64_t width, int64_t angles) {
    TestModel model;
    model.opset = 23;
    model.inputs = {valueInfo("x", float32, {2, 3, 5, 6}),
                    valueInfo("c", float32, {2, 5, angles}),
                    valueInfo("s", float32, {2, 5, angles})};
    model.outputs = {valueInfo("y", float32, {2, 3, 5, 6})};
    model.nodes = {node("RotaryEmbedding", "r", {"x", "c", "s"}, {"y"},
                        {intAttribute("rotary_embedding_dim", width)})};
    return importModel(model);
  };
  CHECK(rotary(0, 3).succeeded);
  CHECK(rotary(4, 2).succeeded);
  CHECK(rotary(4, 1).has("ingress-shape-mismatch"));
  CHECK(rotary(5, 3).has("ingress-invalid-node"));
  CHECK(rotary(8, 4).has("ingress-invalid-node"));
  CHECK(rotary(-2, 3).has("ingress-invalid-node"));
}
