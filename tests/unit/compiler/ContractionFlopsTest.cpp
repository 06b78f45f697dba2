// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FLOP accounting at step boundaries.
#include "compiler/session/ContractionFlops.h"
#include "IrTest.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

using namespace lh;

static ContractionFlops flopsOf(StringRef mlir, StringRef pipeline = "") {
  IrWorkbench bench;
  StepOutcome outcome = bench.import(mlir);
  CHECK(outcome.reason == "");
  if (!pipeline.empty())
    outcome = bench.passes(pipeline);
  REQUIRE(outcome.kernels);
  return contractionFlops(bench.runner.module());
}

TEST_CASE("a matmul counts two per multiply-add, dynamic sizes as one",
          "[ir]") {
  constexpr StringRef matmul = R"(
func.func @main(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>, %c: tensor<?x16xf32>)
    -> tensor<?x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>)
                     outs(%c : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
})";
  CHECK(flopsOf(matmul).scalar == 2 * 8 * 16);
  CHECK(flopsOf(matmul, "linalg-generalize-named-ops").scalar == 2 * 8 * 16);
  CHECK(flopsOf(matmul).vectorised == 0);
}

TEST_CASE("what has a matrix kernel counts for it, integers too", "[ir]") {
  KernelShare share = flopsOf(R"(
func.func @main(%a: tensor<4x8xi8>, %b: tensor<8x16xi8>, %c: tensor<4x16xi32>,
                %d: tensor<4x8xf32>, %e: tensor<8x2xf32>, %f: tensor<4x2xf32>)
    -> (tensor<4x16xi32>, tensor<4x2xf32>) {
  %0 = linalg.matmul {lh.kernel = "mma-s8"}
         ins(%a, %b : tensor<4x8xi8>, tensor<8x16xi8>)
         outs(%c : tensor<4x16xi32>) -> tensor<4x16xi32>
  %1 = linalg.matmul ins(%d, %e : tensor<4x8xf32>, tensor<8x2xf32>)
         outs(%f : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0, %1 : tensor<4x16xi32>, tensor<4x2xf32>
})")
                          .kernels;
  CHECK(share.kernels ==
        std::map<std::string, double>{{"mma-s8", 2 * 4 * 8 * 16}});
  CHECK(share.withoutKernel == 2 * 4 * 8 * 2);
}

TEST_CASE("sums that were unrolled count, other additions don't", "[ir]") {
  auto sum = [](StringRef mark) {
    return ("func.func @main(%a: vector<8xf32>, %b: vector<8xf32>, %c: "
            "vector<8xf32>) -> vector<8xf32> {\n"
            "  %m = arith.mulf %a, %b : vector<8xf32>\n"
            "  %n = arith.addf %c, %m " +
            mark +
            " : vector<8xf32>\n"
            "  return %n : vector<8xf32>\n}")
        .str();
  };
  CHECK(flopsOf(sum("{lh.sum}")).vectorised == 2 * 8);
  CHECK(flopsOf(sum("")).vectorised == 0);
}

TEST_CASE("a convolution counts, a pool and an addition don't", "[ir]") {
  constexpr StringRef body = R"(
func.func @main(%i: tensor<1x3x6x6xf32>, %w: tensor<4x3x3x3xf32>,
                %o: tensor<1x4x4x4xf32>, %p: tensor<1x3x4x4xf32>,
                %k: tensor<3x3xf32>) {
  %0 = linalg.conv_2d_nchw_fchw
    ins(%i, %w : tensor<1x3x6x6xf32>, tensor<4x3x3x3xf32>)
    outs(%o : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %1 = linalg.pooling_nchw_max
    ins(%i, %k : tensor<1x3x6x6xf32>, tensor<3x3xf32>)
    outs(%p : tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %2 = linalg.add ins(%0, %0 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>)
    outs(%o : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return
})";
  CHECK(flopsOf(body).scalar == 2.0 * (4 * 4 * 4) * (3 * 3 * 3));
}

TEST_CASE("vector contractions count times their loops", "[ir]") {
  constexpr StringRef body = R"(
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @main(%a: vector<4x8xf32>, %b: vector<8x16xf32>, %c: vector<4x16xf32>,
                %x: vector<16xf32>, %y: vector<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  scf.for %i = %c0 to %c10 step %c4 {
    %0 = vector.contract {indexing_maps = [#a, #b, #c],
        iterator_types = ["parallel", "parallel", "reduction"],
        kind = #vector.kind<add>} %a, %b, %c
      : vector<4x8xf32>, vector<8x16xf32> into vector<4x16xf32>
    scf.for %j = %c0 to %n step %c1 {
      %1 = vector.fma %x, %x, %x : vector<16xf32>
    }
  }
  scf.forall (%i, %j) in (5, 2) {
    %2 = vector.outerproduct %y, %x, %c : vector<4xf32>, vector<16xf32>
  }
  return
})";
  CHECK(flopsOf(body).vectorised ==
        3 * (2.0 * 4 * 8 * 16 + 2 * 16) + 10 * 2.0 * 4 * 16);
}

TEST_CASE("a bound that is a minimum counts as its constant", "[ir]") {
  constexpr StringRef body = R"(
func.func @main(%x: vector<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = affine.min affine_map<(d) -> (8, -d + 20)>(%n)
  scf.for %i = %c0 to %m step %c1 {
    %0 = vector.fma %x, %x, %x : vector<4xf32>
  }
  return
})";
  CHECK(flopsOf(body).vectorised == 8 * 2 * 4);
}

TEST_CASE("integers count like floats", "[ir]") {
  constexpr StringRef body = R"(
func.func @main(%a: tensor<4x8xi32>, %b: tensor<8x16xi32>,
                %c: tensor<4x16xi32>, %u: vector<16xi32>, %v: vector<4xi32>,
                %w: vector<4x16xi32>) -> tensor<4x16xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xi32>, tensor<8x16xi32>)
                     outs(%c : tensor<4x16xi32>) -> tensor<4x16xi32>
  %1 = vector.outerproduct %v, %u, %w : vector<4xi32>, vector<16xi32>
  return %0 : tensor<4x16xi32>
})";
  CHECK(flopsOf(body).scalar == 1024);
  CHECK(flopsOf(body).vectorised == 2 * 4 * 16);
}

TEST_CASE("what becomes plain loops is named with its share", "[ir]") {
  constexpr StringRef body = R"(
func.func @main(%x: tensor<1x2x3x6x6xf32>, %w: tensor<2x4x3x3x3xf32>,
                %y: tensor<1x2x4x4x4xf32>, %a: tensor<4x8xf32>,
                %b: tensor<8x9xf32>, %c: tensor<4x9xf32>)
    -> (tensor<1x2x4x4x4xf32>, tensor<4x9xf32>) {
  %0 = linalg.conv_2d_ngchw_gfchw
    ins(%x, %w : tensor<1x2x3x6x6xf32>, tensor<2x4x3x3x3xf32>)
    outs(%y : tensor<1x2x4x4x4xf32>) -> tensor<1x2x4x4x4xf32> loc("conv7")
  %1 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x9xf32>)
                     outs(%c : tensor<4x9xf32>) -> tensor<4x9xf32>
  return %0, %1 : tensor<1x2x4x4x4xf32>, tensor<4x9xf32>
})";
  IrWorkbench bench;
  bench.import(body);
  StepOutcome bufferized =
      bench.passes("one-shot-bufferize{bufferize-function-boundaries}");
  CHECK(bufferized.diagnostics.empty());
  StepOutcome lowered = bench.passes("func.func(convert-linalg-to-loops)");
  REQUIRE(lowered.diagnostics.size() == 2);
  // 6912 and 576 of 7488 operations.
  CHECK(lowered.diagnostics[0].message ==
        "'conv7', a 2-d convolution of 2 groups, becomes plain loops: no "
        "schedule took it; 92 % of the work in products and convolutions");
  CHECK(lowered.diagnostics[0].severity == Severity::Remark);
  CHECK_THAT(lowered.diagnostics[1].message,
             Catch::StartsWith("a product becomes plain loops") &&
                 Catch::Contains("; 7.7 %"));
}

TEST_CASE("what a reference makes of a product is nobody's concern", "[ir]") {
  IrWorkbench bench;
  bench.import(R"(
func.func @main(%a: memref<4x8xf32>, %b: memref<8x9xf32>, %c: memref<4x9xf32>) {
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x9xf32>)
                outs(%c : memref<4x9xf32>)
  return
})");
  Step step = IrWorkbench::passesStep("func.func(convert-linalg-to-loops)");
  step.bubble = "oracle/lower";
  CHECK(bench.runner.run(step).diagnostics.empty());
}

TEST_CASE("what has a matrix kernel is not called plain loops", "[ir]") {
  IrWorkbench bench;
  bench.import(R"(
func.func @main(%a: memref<4x8xf32>, %b: memref<8x9xf32>, %c: memref<4x9xf32>) {
  linalg.matmul {lh.kernel = "simt"}
    ins(%a, %b : memref<4x8xf32>, memref<8x9xf32>) outs(%c : memref<4x9xf32>)
  return
})");
  CHECK(bench.passes("func.func(convert-linalg-to-loops)").diagnostics.empty());
}

TEST_CASE("what becomes vectors is not called plain loops", "[ir]") {
  IrWorkbench bench;
  bench.import(R"(
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>,
                %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>)
                     outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
})");
  StepOutcome vectorised = bench.schedule(R"(
transform.named_sequence @e(%root: !transform.any_op {transform.readonly}) {
  %op = transform.structured.match ops{["linalg.matmul"]} in %root
      : (!transform.any_op) -> !transform.any_op
  transform.structured.vectorize %op {create_named_contraction}
      : !transform.any_op
  transform.yield
})",
                                          "e");
  CHECK(vectorised.reason == "");
  CHECK(contractionFlops(bench.runner.module()).vectorised == 1024);
  CHECK(vectorised.diagnostics.empty());
}

static ContractionWork workOf(StringRef mlir) {
  IrWorkbench bench;
  StepOutcome outcome = bench.import(mlir);
  CHECK(outcome.reason == "");
  REQUIRE(outcome.work);
  return *outcome.work;
}

TEST_CASE("an import's work is by the type of what is multiplied", "[ir]") {
  ContractionWork work = workOf(R"(
func.func @main(%a: tensor<4x8xbf16>, %b: tensor<8x16xbf16>,
                %c: tensor<4x16xf32>, %d: tensor<4x8xi8>, %e: tensor<8x16xi8>,
                %f: tensor<4x16xi32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x16xbf16>)
                     outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = linalg.matmul ins(%d, %e : tensor<4x8xi8>, tensor<8x16xi8>)
                     outs(%f : tensor<4x16xi32>) -> tensor<4x16xi32>
  %2 = linalg.add ins(%0, %0 : tensor<4x16xf32>, tensor<4x16xf32>)
                  outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return
})");
  CHECK(work.operations ==
        std::map<std::string, double>{{"bfloat16", 1024}, {"int8", 1024}});
  CHECK_FALSE(work.isOpen);
}

TEST_CASE("bytes that are widened first are multiplied as bytes", "[ir]") {
  ContractionWork work = workOf(R"(
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<4x8xi8>, %b: tensor<8x16xi32>, %c: tensor<4x8xi32>,
                %d: tensor<4x16xi32>) -> tensor<4x16xi32> {
  %0 = linalg.generic {indexing_maps = [#map, #map],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x8xi8>) outs(%c : tensor<4x8xi32>) {
  ^bb0(%in: i8, %out: i32):
    %w = arith.extsi %in : i8 to i32
    linalg.yield %w : i32
  } -> tensor<4x8xi32>
  %1 = linalg.matmul ins(%0, %b : tensor<4x8xi32>, tensor<8x16xi32>)
                     outs(%d : tensor<4x16xi32>) -> tensor<4x16xi32>
  return %1 : tensor<4x16xi32>
})");
  CHECK(work.operations == std::map<std::string, double>{{"int8", 1024}});
}

TEST_CASE("work in a loop counts as often as it runs", "[ir]") {
  constexpr StringRef start = R"(
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>,
                %c: tensor<4x16xf32>, %n: index) -> tensor<4x16xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %0 = scf.for %i = %zero to )";
  constexpr StringRef end = R"( step %one iter_args(%s = %c)
      -> tensor<4x16xf32> {
    %1 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>)
                       outs(%s : tensor<4x16xf32>) -> tensor<4x16xf32>
    scf.yield %1 : tensor<4x16xf32>
  }
  return %0 : tensor<4x16xf32>
})";
  ContractionWork known = workOf((start + "%five" + end).str());
  CHECK(known.operations["float32"] == 5 * 1024);
  CHECK_FALSE(known.isOpen);
  CHECK(workOf((start + "%n" + end).str()).isOpen);
}

TEST_CASE("work of a size that isn't known is open", "[ir]") {
  CHECK(workOf(R"(
func.func @main(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>, %c: tensor<?x16xf32>)
    -> tensor<?x16xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>)
                     outs(%c : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
})")
            .isOpen);
}

/// A loop of five turns: `next` computes %next of %sum, which the turn before
/// gave, and of %v and %w, a vector of `shape`. `rest` returns what it makes of
/// the last one, %0.
static std::string summedUp(StringRef shape, StringRef next, StringRef rest) {
  return ("func.func @main(%v: vector<16xf32>, %w: vector<" + shape +
          "xf32>) -> vector<16xf32> {\n"
          "  %c0 = arith.constant 0 : index\n"
          "  %c1 = arith.constant 1 : index\n"
          "  %c5 = arith.constant 5 : index\n"
          "  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%sum = %v)\n"
          "      -> (vector<16xf32>) {\n" +
          next + "    scf.yield %next : vector<16xf32>\n  }\n" + rest +
          " : vector<16xf32>\n}")
      .str();
}

TEST_CASE("a dot product's partial sums count as vectors", "[ir]") {
  std::string dot =
      summedUp("16",
               "    %1 = arith.mulf %v, %w : vector<16xf32>\n"
               "    %next = arith.addf %sum, %1 : vector<16xf32>\n",
               "  %3 = arith.mulf %0, %w : vector<16xf32>\n"
               "  %4 = arith.addf %0, %3 : vector<16xf32>\n"
               "  return %4");
  CHECK(flopsOf(dot).vectorised == 2 * 16 * 5);
}

TEST_CASE("each product of a sum of products counts", "[ir]") {
  // As words of two halves are multiplied.
  std::string pairs = summedUp("4x4", R"(
    %1 = arith.mulf %w, %w : vector<4x4xf32>
    %2 = arith.mulf %1, %w : vector<4x4xf32>
    %3 = arith.addf %1, %2 : vector<4x4xf32>
    %4 = vector.shape_cast %3 : vector<4x4xf32> to vector<16xf32>
    %5 = arith.addf %sum, %4 : vector<16xf32>
    %next = arith.addf %5, %v : vector<16xf32>
)",
                               "  return %0");
  CHECK(flopsOf(pairs).vectorised == 2 * 2 * 16 * 5);
}

TEST_CASE("what adds products up without a formula is named", "[ir]") {
  IrWorkbench bench;
  // A sum of squares, a scaling, a product, and a loop within an element.
  StepOutcome outcome = bench.import(R"(
#row = affine_map<(i, k) -> (i, k)>
#sum = affine_map<(i, k) -> (i)>
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %s: tensor<4xf32>,
                %c: tensor<4x4xf32>) {
  %0 = linalg.generic {indexing_maps = [#row, #sum],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<4x8xf32>) outs(%s : tensor<4xf32>) {
    ^bb0(%x: f32, %y: f32):
      %m = arith.mulf %x, %x : f32
      %n = arith.addf %y, %m : f32
      linalg.yield %n : f32
  } -> tensor<4xf32> loc("norm")
  %1 = linalg.generic {indexing_maps = [#row, #row],
                       iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) {
    ^bb0(%x: f32, %y: f32):
      %m = arith.mulf %x, %x : f32
      linalg.yield %m : f32
  } -> tensor<4x8xf32> loc("scale")
  %2 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>)
                     outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32> loc("gemm")
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %s) -> tensor<4xf32> {
    %x = tensor.extract %t[%i] : tensor<4xf32>
    %y = arith.mulf %x, %x : f32
    %u = tensor.insert %y into %t[%i] : tensor<4xf32>
    scf.yield %u : tensor<4xf32>
  } loc("recurrence")
  return
})");
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(outcome.diagnostics[0].kind == DiagKind::IrUncountedOps);
  CHECK_THAT(outcome.diagnostics[0].message,
             Catch::StartsWith("no formula of FLOPs covers 'norm', "
                               "'recurrence': "));
}
