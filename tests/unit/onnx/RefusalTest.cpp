// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What recurrent, Einsum, signal and picking operators refuse.
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;

static std::string textsAttribute(const std::string &name,
                                  const std::vector<std::string> &values) {
  Message message;
  message.bytes(1, name);
  for (const std::string &value : values)
    message.bytes(9, value);
  return message.varint(20, 8).str();
}

/// Imports one node; its inputs are named a, b, c, ...
static Imported importNode(const std::string &op,
                           const std::vector<std::string> &inputs,
                           const std::vector<std::string> &attributes = {},
                           const std::vector<std::string> &constants = {}) {
  TestModel model;
  model.opset = 24;
  model.inputs = inputs;
  model.initializers = constants;
  model.outputs = {valueInfo("y", 0, {-2})};
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size() + constants.size(); ++i)
    names.push_back(std::string(1, static_cast<char>('a' + i)));
  model.nodes = {node(op, "n", names, {"y"}, attributes)};
  return importModel(model);
}

static Imported importLstm(const std::vector<int64_t> &weights,
                           const std::vector<std::string> &attributes) {
  return importNode("LSTM",
                    {valueInfo("a", float32, {5, 2, 3}),
                     valueInfo("b", float32, weights),
                     valueInfo("c", float32, {1, 16, 4})},
                    attributes);
}

TEST_CASE("a recurrent layer of wrong sizes or functions is refused",
          "[ingress]") {
  auto isInvalid = [](const std::string &attribute) {
    return importLstm({1, 16, 3}, {attribute}).has("ingress-invalid-node");
  };
  CHECK(importLstm({1, 12, 3}, {}).has("ingress-shape-mismatch"));
  CHECK(importLstm({1, 16}, {}).has("ingress-shape-mismatch"));
  CHECK(importLstm({1, 16, 3}, {intAttribute("hidden_size", 5)})
            .has("ingress-shape-mismatch"));
  CHECK(isInvalid(intAttribute("hidden_size", -1)));
  CHECK(isInvalid(intAttribute("hidden_size", int64_t(1) << 62)));
  CHECK(isInvalid(intAttribute("layout", 2)));
  CHECK(isInvalid(textAttribute("direction", "sideways")));
  CHECK(isInvalid(textsAttribute("activations", {"Tanh"})));
  CHECK(isInvalid(textsAttribute("activations", {"Tanh", "Tanh", "Cosine"})));
}

static Imported importEinsum(const std::string &equation) {
  return importNode(
      "Einsum",
      {valueInfo("a", float32, {2, 3}), valueInfo("b", float32, {4, 3})},
      {textAttribute("equation", equation)});
}

TEST_CASE("an equation that does not fit its inputs is refused", "[ingress]") {
  for (const char *equation :
       {"", "ij", "ij,jk,kl->il", "i1,jk->ik", "ij,kj->iz", "ij,kj->ii",
        "i.j,kj->ik", "......,kj->k"})
    CHECK(importEinsum(equation).has("ingress-invalid-node"));
  CHECK(importEinsum("ijk,kj->ik").has("ingress-shape-mismatch"));
  CHECK(importEinsum("i,kj->ik").has("ingress-shape-mismatch"));
  CHECK(importEinsum("ij,jk->ik").has("ingress-shape-mismatch"));
}

TEST_CASE("signals without parts or with impossible lengths are refused",
          "[ingress]") {
  auto signal = [](const std::vector<int64_t> &shape) {
    return valueInfo("a", float32, shape);
  };
  CHECK(importNode("DFT", {signal({2, 8})}).has("ingress-shape-mismatch"));
  CHECK(importNode("DFT", {signal({2, 8, 3})}).has("ingress-shape-mismatch"));
  CHECK(importNode("DFT", {signal({2, 8, 2})}, {intAttribute("onesided", 1)})
            .has("ingress-invalid-node"));
  for (int64_t length : {0, -4})
    CHECK(importNode("DFT", {signal({2, 8, 1})}, {},
                     {int64Tensor("b", {}, {length})})
              .has("ingress-invalid-node"));
  for (int64_t step : {0, -1})
    CHECK(importNode("STFT", {signal({2, 8, 1})}, {},
                     {int64Tensor("b", {}, {step})})
              .has("ingress-invalid-node"));
  CHECK(importNode("HannWindow", {}, {}, {int64Tensor("a", {}, {-3})})
            .has("ingress-invalid-node"));
  CHECK(importNode("HannWindow", {}, {intAttribute("output_datatype", 8)},
                   {int64Tensor("a", {}, {3})})
            .has("ingress-unsupported-type"));
}

TEST_CASE("positions, axes and modes that do not exist are refused",
          "[ingress]") {
  std::string matrix = valueInfo("a", float32, {2, 3});
  CHECK(importNode("Det", {matrix}).has("ingress-shape-mismatch"));
  CHECK(importNode("Unique", {matrix}, {intAttribute("axis", 2)})
            .has("ingress-invalid-node"));
  CHECK(importNode("CumSum", {matrix}, {}, {int64Tensor("b", {}, {2})})
            .has("ingress-invalid-node"));
  for (int64_t k : {-1, 4})
    CHECK(importNode("TopK", {matrix}, {}, {int64Tensor("b", {1}, {k})})
              .has("ingress-invalid-node"));
  CHECK(importNode("OneHot", {valueInfo("a", int64, {2})}, {},
                   {int64Tensor("b", {}, {-3}), floatTensor("c", {2}, {0, 1})})
            .has("ingress-invalid-node"));
  std::string update = valueInfo("b", float32, {2, 4});
  CHECK(importNode("TensorScatter", {matrix, update}, {intAttribute("axis", 1)})
            .has("ingress-shape-mismatch"));
  CHECK(importNode("TensorScatter", {matrix, valueInfo("b", float32, {2, 3})},
                   {textAttribute("mode", "spiral")})
            .has("ingress-invalid-node"));
}

TEST_CASE("random numbers of other types and shapes are refused", "[ingress]") {
  CHECK(importNode("RandomNormal", {}, {intsAttribute("shape", {2, -1})})
            .has("ingress-shape-mismatch"));
  CHECK(importNode("RandomNormal", {},
                   {intsAttribute("shape", {int64_t(1) << 40, 1 << 20})})
            .has("ingress-shape-mismatch"));
  CHECK(importNode("RandomUniform", {}).has("ingress-invalid-node"));
  CHECK(importNode("RandomUniformLike", {valueInfo("a", int32, {2})})
            .has("ingress-invalid-node"));
}
