// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse arguments: as arrays, and as dense tensors with masks.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string sparseRows(StringRef body) {
  return (R"(
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
#rows = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}
func.func @main(%a: tensor<4x6xf32, #CSR>, %x: tensor<6xf32>) -> tensor<4xf32> {
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %y = linalg.generic #rows ins(%a, %x : tensor<4x6xf32, #CSR>, tensor<6xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%av: f32, %xv: f32, %acc: f32):
)" + body +
          R"(
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
})")
      .str();
}

TEST_CASE("arguments without names keep those of their places", "[sparse]") {
  std::string text = after("lh-assemble-sparse", sparseRows(R"(
    %p = arith.mulf %av, %xv : f32
    %s = arith.addf %acc, %p : f32)"));
  for (const char *name :
       {"arg0.positions1", "arg0.coordinates1", "arg0.values", "arg1"})
    CHECK_THAT(text,
               Catch::Contains("lh.name = \"" + std::string(name) + "\""));
  CHECK_THAT(text, Catch::Contains("sparse_tensor.assemble"));
}

TEST_CASE("a product that isn't stored is zero, through what is made of it",
          "[sparse]") {
  std::string text = after("lh-scatter-sparse", sparseRows(R"(
    %n = arith.negf %av : f32
    %p = arith.mulf %n, %xv : f32
    %q = arith.mulf %p, %xv : f32
    %s = arith.addf %acc, %q : f32)"));
  CHECK_THAT(text,
             Catch::Contains("tensor<4x6xi1> {lh.name = \"arg0.stored\""));
  CHECK(countOf(text, "arith.select") == 2);
  CHECK(countOf(text, "tensor<4x6xf32, #sparse>") ==
        countOf(text, "type = tensor<4x6xf32, #sparse>"));
}

TEST_CASE("a sum with what is always there is always there", "[sparse]") {
  std::string text = after("lh-scatter-sparse", sparseRows(R"(
    %p = arith.addf %av, %xv : f32
    %q = arith.mulf %p, %xv : f32
    %s = arith.addf %acc, %q : f32)"));
  CHECK(countOf(text, "arith.select") == 0);
}

TEST_CASE("the oracle refuses what only the sparsifier knows", "[sparse]") {
  IrWorkbench bench;
  CHECK(bench
            .import(sparseRows(R"(
    %u = sparse_tensor.unary %av : f32 to f32
      present = { ^bb0(%v: f32): sparse_tensor.yield %v : f32 }
      absent = {}
    %s = arith.addf %acc, %u : f32)"))
            .reason == "");
  CHECK_THAT(bench.passes("lh-scatter-sparse").reason,
             Catch::Contains("tells the sparsifier what to visit"));
}

TEST_CASE("coordinates beyond 31 bits are refused", "[sparse]") {
  IrWorkbench bench;
  CHECK(bench
            .import(R"(
#V = #sparse_tensor.encoding<{ map = (i) -> (i : compressed) }>
func.func @main(%a: tensor<2147483649xf32, #V>, %x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
})")
            .reason == "");
  CHECK_THAT(bench.passes("lh-assemble-sparse").reason,
             Catch::Contains("a dimension of more than 2^31"));
}

TEST_CASE("bounds count what the longest row stores", "[sparse]") {
  std::string text = after("lh-scatter-sparse, lh-error-bounds", sparseRows(R"(
    %p = arith.mulf %av, %xv : f32
    %s = arith.addf %acc, %p : f32)"));
  CHECK_THAT(text, Catch::Contains("arith.uitofp"));
  CHECK_THAT(text, Catch::Contains("math.sqrt"));
}
