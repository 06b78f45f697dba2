// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-fuse-rows: one loop over rows, each op in it once.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// Maximum, difference and sum of each row of tensor<4x90>; the last line is
/// what is returned, a tensor of `resultType`.
static std::string softmaxRows(StringRef last, StringRef resultType) {
  return (R"(
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<4x90xf32>) -> )" +
          resultType + R"( {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x90xf32>
  %r = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %max = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x90xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<4x90xf32>, tensor<4xf32>)
      outs(%e : tensor<4x90xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.subf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4x90xf32>
)" + last +
          "\n}")
      .str();
}

static constexpr llvm::StringLiteral scaled = R"(
  %sum = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<4x90xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%d, %sum : tensor<4x90xf32>, tensor<4xf32>)
      outs(%e : tensor<4x90xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.divf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4x90xf32>
)";

static std::string fused(StringRef payload) {
  return after("func.func(lh-fuse-rows{rows=2}),canonicalize,cse", payload);
}

TEST_CASE("a softmax is one loop that has each of its ops once", "[ir]") {
  std::string text = fused(softmaxRows(
      (scaled + "return %y : tensor<4x90xf32>").str(), "tensor<4x90xf32>"));
  CHECK(countOf(text, "scf.forall (") == 1);
  CHECK(countOf(text, "arith.maximumf") == 1);
  CHECK(countOf(text, "arith.subf") == 1);
  CHECK(countOf(text, "arith.addf") == 1);
  CHECK(countOf(text, "arith.divf") == 1);
  CHECK_THAT(text, Catch::Contains("tensor<1x90xf32>"));
}

TEST_CASE("what is read behind the loop is a result of it", "[ir]") {
  std::string text = fused(softmaxRows(
      (scaled + "return %y, %d : tensor<4x90xf32>, tensor<4x90xf32>").str(),
      "(tensor<4x90xf32>, tensor<4x90xf32>)"));
  CHECK(countOf(text, "scf.forall (") == 1);
  CHECK(countOf(text, "arith.subf") == 1);
  CHECK(countOf(text, "tensor.parallel_insert_slice") == 2);
}

TEST_CASE("what every row would compute again is a loop of its own", "[ir]") {
  std::string text = fused(softmaxRows(R"(
  %c = tensor.empty() : tensor<90xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%c : tensor<90xf32>) -> tensor<90xf32>
  %sum = linalg.generic {indexing_maps = [#id, #column],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<4x90xf32>) outs(%zeros : tensor<90xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<90xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%d, %sum : tensor<4x90xf32>, tensor<90xf32>)
      outs(%e : tensor<4x90xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.divf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4x90xf32>
  return %y : tensor<4x90xf32>)",
                                       "tensor<4x90xf32>"));
  CHECK(countOf(text, "arith.addf") == 1);
  CHECK(countOf(text, "scf.forall (") == 2);
}

/// The pixels of each of 6 channels divided by their sum.
static std::string imageRows(StringRef returned, StringRef resultType) {
  return (R"(
#id = affine_map<(c, h, w) -> (c, h, w)>
#row = affine_map<(c, h, w) -> (c)>
func.func @main(%x: tensor<6x5x7xf32>, %i: tensor<6xf32>) -> )" +
          resultType + R"( {
  %e = tensor.empty() : tensor<6x5x7xf32>
  %square = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<6x5x7xf32>) outs(%e : tensor<6x5x7xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<6x5x7xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%square : tensor<6x5x7xf32>) outs(%i : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%square, %sum : tensor<6x5x7xf32>, tensor<6xf32>)
      outs(%e : tensor<6x5x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.divf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<6x5x7xf32>
  return )" +
          returned + "\n}")
      .str();
}

TEST_CASE("the pixels of a channel are one row", "[ir]") {
  std::string text =
      fused(imageRows("%y : tensor<6x5x7xf32>", "tensor<6x5x7xf32>"));
  CHECK(countOf(text, "scf.forall (") == 1);
  CHECK(countOf(text, "tensor<1x35xf32>") > 0);
  CHECK(countOf(text, "tensor<1x5x7xf32>") == 0);
  CHECK(countOf(text, "iterator_types = [\"parallel\", \"reduction\"]") == 1);
  // No pixel has memory of its own beyond a row's.
  CHECK(countOf(text, "tensor.collapse_shape") == 1);
}

TEST_CASE("what is read behind the rows keeps its pixels", "[ir]") {
  std::string text =
      fused(imageRows("%y, %square : tensor<6x5x7xf32>, tensor<6x5x7xf32>",
                      "(tensor<6x5x7xf32>, tensor<6x5x7xf32>)"));
  CHECK(countOf(text, "scf.forall (") == 1);
  CHECK(countOf(text, "tensor.parallel_insert_slice") == 2);
  CHECK(countOf(text, "arith.mulf") == 1);
}

TEST_CASE("an elementwise op on operands of one shape is one loop", "[ir]") {
  std::string text = fused(R"(
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<4x?xf32>, %e: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x?xf32>) outs(%e : tensor<4x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.negf %a : f32
    linalg.yield %m : f32
  } -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
})");
  CHECK_THAT(text, Catch::Contains("iterator_types = [\"parallel\"]"));
  CHECK(countOf(text, "scf.forall") == 0);
}

TEST_CASE("a reduction of nothing is left alone", "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
func.func @main(%a: tensor<2x0x4xf32>, %i: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k, j)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a : tensor<2x0x4xf32>) outs(%i : tensor<2x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
})")
              .status == StepStatus::Passed);
  CHECK(bench.passes("func.func(lh-fuse-rows)").reason == "");
  CHECK(countOf(bench.text(), "scf.forall") == 0);
}

TEST_CASE("blocks of channels are as large as each other where they can be",
          "[ir]") {
  auto sumsOf = [](const std::string &channels) {
    std::string pixels = "tensor<9x" + channels + "xf32>",
                sums = "tensor<" + channels + "xf32>";
    return fused("func.func @main(%x: " + pixels + ", %i: " + sums +
                 ", %e: " + pixels + ") -> " + pixels + R"( {
  %s = linalg.generic {indexing_maps = [affine_map<(p, c) -> (p, c)>,
                                        affine_map<(p, c) -> (c)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : )" +
                 pixels + ") outs(%i : " + sums + R"() {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    linalg.yield %m : f32
  } -> )" + sums +
                 R"(
  %y = linalg.generic {indexing_maps = [affine_map<(p, c) -> (p, c)>,
                                        affine_map<(p, c) -> (c)>,
                                        affine_map<(p, c) -> (p, c)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : )" +
                 pixels + ", " + sums + ") outs(%e : " + pixels + R"() {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.divf %a, %b : f32
    linalg.yield %m : f32
  } -> )" + pixels +
                 "\n  return %y : " + pixels + "\n}");
  };
  CHECK(countOf(sumsOf("148"), "(148) step (37)") == 1);
  CHECK(countOf(sumsOf("96"), "(96) step (48)") == 1);
  // No number from 32 to 64 divides it.
  CHECK(countOf(sumsOf("149"), "(149) step (64)") == 1);
}
