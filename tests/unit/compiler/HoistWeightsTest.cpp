// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-hoist-weights: what moves to @prepare, and what stays.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// The module after the pass, split at @prepare.
struct Hoisted {
  explicit Hoisted(StringRef mlir) {
    StepOutcome imported = bench.import(mlir);
    CHECK(imported.reason == "");
    StepOutcome outcome = bench.passes("lh-hoist-weights");
    CHECK(outcome.reason == "");
    std::string text = bench.text();
    size_t at = text.find("func.func @prepare");
    main = text.substr(0, at);
    prepare = at == std::string::npos ? "" : text.substr(at);
  }
  IrWorkbench bench;
  std::string main, prepare;
};

TEST_CASE("a transposed weight is prepared once per load", "[ir]") {
  Hoisted hoisted(R"(
func.func @main(%x: tensor<4x8xf32> {lh.name = "x"},
                %w: tensor<16x8xf32> {lh.name = "w", lh.weight = "w",
                                      lh.data = ["/f", 0 : i64, 512 : i64]},
                %b: tensor<4x16xf32> {lh.weight = "b"})
    -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %t = linalg.transpose ins(%w : tensor<16x8xf32>) outs(%e : tensor<8x16xf32>)
    permutation = [1, 0]
  %0 = linalg.matmul ins(%x, %t : tensor<4x8xf32>, tensor<8x16xf32>)
                     outs(%b : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
})");
  CHECK_THAT(hoisted.prepare, Catch::Contains("linalg.transpose"));
  CHECK_THAT(hoisted.prepare, Catch::Contains("lh.data = [\"/f\""));
  CHECK_THAT(hoisted.prepare, Catch::Contains("lh.name = \"prepared0\""));
  CHECK_THAT(hoisted.main, Catch::Contains("linalg.matmul"));
  CHECK_THAT(hoisted.main, Catch::Contains("lh.prepared = 0 : i64"));
  CHECK(countOf(hoisted.main, "linalg.transpose") == 0);
  CHECK(countOf(hoisted.main, "tensor.empty") == 0);
  // %w is @prepare's alone now, %b still @main's.
  CHECK(countOf(hoisted.main, "lh.weight") == 1);
  CHECK(countOf(hoisted.prepare, "lh.weight") == 1);
}

TEST_CASE("a weight spread over a whole activation map stays where it is",
          "[ir]") {
  Hoisted hoisted(R"(
func.func @main(%x: tensor<8x16x16xf32>, %w: tensor<8xf32> {lh.weight = "w"})
    -> tensor<8x16x16xf32> {
  %e = tensor.empty() : tensor<8x16x16xf32>
  %b = linalg.broadcast ins(%w : tensor<8xf32>) outs(%e : tensor<8x16x16xf32>)
    dimensions = [1, 2]
  %0 = linalg.add ins(%x, %b : tensor<8x16x16xf32>, tensor<8x16x16xf32>)
                  outs(%e : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
  return %0 : tensor<8x16x16xf32>
})");
  CHECK(hoisted.prepare.empty());
  CHECK_THAT(hoisted.main, Catch::Contains("linalg.broadcast"));
}

TEST_CASE("what a refused op reads is still prepared", "[ir]") {
  Hoisted hoisted(R"(
func.func @main(%x: tensor<8x16x16xf32>, %w: tensor<8xf32> {lh.weight = "w"})
    -> tensor<8x16x16xf32> {
  %e0 = tensor.empty() : tensor<8xf32>
  %n = linalg.negf ins(%w : tensor<8xf32>) outs(%e0 : tensor<8xf32>)
    -> tensor<8xf32>
  %e = tensor.empty() : tensor<8x16x16xf32>
  %b = linalg.broadcast ins(%n : tensor<8xf32>) outs(%e : tensor<8x16x16xf32>)
    dimensions = [1, 2]
  %0 = linalg.add ins(%x, %b : tensor<8x16x16xf32>, tensor<8x16x16xf32>)
                  outs(%e : tensor<8x16x16xf32>) -> tensor<8x16x16xf32>
  return %0 : tensor<8x16x16xf32>
})");
  CHECK_THAT(hoisted.prepare, Catch::Contains("linalg.negf"));
  CHECK(countOf(hoisted.prepare, "linalg.broadcast") == 0);
  CHECK_THAT(hoisted.main, Catch::Contains("linalg.broadcast"));
}

TEST_CASE("views, constants and weights used as they are aren't prepared",
          "[ir]") {
  Hoisted hoisted(R"(
func.func @main(%x: tensor<2x4xf32>, %w: tensor<8xf32> {lh.weight = "w"})
    -> (tensor<2x4xf32>, tensor<8xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %v = tensor.expand_shape %w [[0, 1]] output_shape [2, 4]
    : tensor<8xf32> into tensor<2x4xf32>
  %0 = linalg.add ins(%x, %v : tensor<2x4xf32>, tensor<2x4xf32>)
                  outs(%f : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %w : tensor<2x4xf32>, tensor<8xf32>
})");
  CHECK(hoisted.prepare.empty());
}

TEST_CASE("a weight that stands in the module is prepared too", "[ir]") {
  Hoisted hoisted(R"(
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %w = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %root = linalg.sqrt ins(%w : tensor<2xf32>) outs(%e : tensor<2xf32>)
    -> tensor<2xf32>
  %ones = linalg.exp ins(%one : tensor<2xf32>) outs(%e : tensor<2xf32>)
    -> tensor<2xf32>
  %0 = linalg.mul ins(%x, %root : tensor<2xf32>, tensor<2xf32>)
                  outs(%e : tensor<2xf32>) -> tensor<2xf32>
  return %0, %ones : tensor<2xf32>, tensor<2xf32>
})");
  CHECK_THAT(hoisted.prepare, Catch::Contains("linalg.sqrt"));
  CHECK(countOf(hoisted.main, "linalg.sqrt") == 0);
  // The same number everywhere: no reading beats making it.
  CHECK_THAT(hoisted.main, Catch::Contains("linalg.exp"));
}

TEST_CASE("captured values count as operands", "[ir]") {
  Hoisted hoisted(R"(
#id = affine_map<(d0) -> (d0)>
func.func @main(%s: f32, %w: tensor<8xf32> {lh.weight = "w"})
    -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%w : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %m = arith.mulf %a, %s : f32
      linalg.yield %m : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
})");
  CHECK(hoisted.prepare.empty());
}

TEST_CASE("hoisting twice is refused", "[ir]") {
  IrWorkbench bench;
  bench.import("func.func @main() { return }\n"
               "func.func @prepare() { return }");
  StepOutcome outcome = bench.passes("lh-hoist-weights");
  REQUIRE(outcome.status == StepStatus::Failed);
  CHECK_THAT(outcome.reason, Catch::Contains("once per module"));
}
