// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operators of opsets 26 and 27 refuse.
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;

/// Imports one node of opset 27 whose result has the rank `rank`; an input of
/// no name is absent.
static Imported importNewest(const std::string &op,
                             const std::vector<std::string> &names,
                             const std::vector<std::string> &inputs,
                             const std::vector<std::string> &attributes,
                             size_t rank = 3) {
  TestModel model;
  model.opset = 27;
  model.inputs = inputs;
  model.outputs = {valueInfo("y", 0, std::vector<int64_t>(rank, -2))};
  model.nodes = {node(op, "n", names, {"y"}, attributes)};
  return importModel(model);
}

TEST_CASE("bits are only taken for a type of their width", "[ingress]") {
  auto cast = [](int64_t to) {
    return importNewest("BitCast", {"x"}, {valueInfo("x", float32, {2})},
                        {intAttribute("to", to)}, 1);
  };
  CHECK(cast(int32).succeeded);
  CHECK(cast(float16).has("ingress-invalid-node"));
  CHECK(cast(8).has("ingress-unsupported-type"));
  CHECK(cast(-1).has("ingress-unsupported-type"));
}

TEST_CASE("a causal convolution of operands that do not fit is refused",
          "[ingress]") {
  auto convolve = [](const std::vector<int64_t> &weight,
                     const std::vector<int64_t> &past,
                     const std::string &activation = "none") {
    return importNewest("CausalConvWithState", {"x", "w", "", "p"},
                        {valueInfo("x", float32, {2, 3, 5}),
                         valueInfo("w", float32, weight),
                         valueInfo("p", float32, past)},
                        {textAttribute("activation", activation)});
  };
  CHECK(convolve({3, 1, 4}, {2, 3, 3}, "silu").succeeded);
  CHECK(convolve({3, 1, 4}, {2, 3, 3}, "relu").has("ingress-invalid-node"));
  CHECK(convolve({3, 1, 4}, {2, 3, 4}).has("ingress-shape-mismatch"));
  CHECK(convolve({3, 1, 4}, {2, 3}).has("ingress-shape-mismatch"));
  CHECK(convolve({3, 1, 0}, {2, 3, 0}).has("ingress-shape-mismatch"));
  CHECK(convolve({3, 2, 4}, {2, 3, 3}).has("ingress-shape-mismatch"));
  CHECK(convolve({4, 1, 4}, {2, 4, 3}).has("ingress-shape-mismatch"));
  CHECK(convolve({3, 4}, {2, 3, 3}).has("ingress-shape-mismatch"));
  CHECK(convolve({3, 1, -1}, {2, 3, 3}).has("ingress-unsupported-op"));
}

/// LinearAttention with decay, beta or both, of two heads of size 4.
static Imported attend(const std::string &rule,
                       const std::vector<int64_t> &decay,
                       const std::vector<int64_t> &beta, int64_t heads = 2,
                       int64_t groups = 2) {
  std::vector<std::string> inputs, names{"q", "k", "v", ""};
  for (const char *name : {"q", "k", "v"})
    inputs.push_back(valueInfo(name, float32, {1, 3, 8}));
  names.push_back(decay.empty() ? "" : "d");
  if (!decay.empty())
    inputs.push_back(valueInfo("d", float32, decay));
  names.push_back(beta.empty() ? "" : "b");
  if (!beta.empty())
    inputs.push_back(valueInfo("b", float32, beta));
  return importNewest("LinearAttention", names, inputs,
                      {textAttribute("update_rule", rule),
                       intAttribute("q_num_heads", heads),
                       intAttribute("kv_num_heads", groups)});
}

TEST_CASE("a rule takes the inputs that it has a use for", "[ingress]") {
  CHECK(attend("linear", {}, {}).succeeded);
  CHECK(attend("gated_delta", {1, 3, 8}, {1, 3, 2}).succeeded);
  CHECK(attend("sparse", {}, {}).has("ingress-invalid-node"));
  CHECK(attend("linear", {1, 3, 2}, {}).has("ingress-invalid-node"));
  CHECK(attend("linear", {}, {1, 3, 2}).has("ingress-invalid-node"));
  CHECK(attend("gated", {}, {}).has("ingress-invalid-node"));
  CHECK(attend("delta", {}, {}).has("ingress-invalid-node"));
}

TEST_CASE("linear attention checks its heads and sizes", "[ingress]") {
  CHECK(attend("linear", {}, {}, 0, 0).has("ingress-invalid-node"));
  CHECK(attend("linear", {}, {}, 2, 4).has("ingress-invalid-node"));
  CHECK(attend("linear", {}, {}, 3, 3).has("ingress-invalid-node"));
  CHECK(attend("linear", {}, {}, 4, 2).has("ingress-shape-mismatch"));
  CHECK(attend("gated", {1, 3, 6}, {}).has("ingress-shape-mismatch"));
  CHECK(attend("gated", {1, 2, 8}, {}).has("ingress-shape-mismatch"));
  CHECK(attend("gated", {1, 3}, {}).has("ingress-shape-mismatch"));
  CHECK(attend("gated", {1, 3, -1}, {}).has("ingress-unsupported-op"));
  CHECK(attend("delta", {}, {1, 3, 8}).has("ingress-shape-mismatch"));
}
