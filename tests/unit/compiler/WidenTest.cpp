// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-widen: every op that the importers emit, in f64.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// The function's text after the pass; checks that it bufferises and lowers.
static std::string widened(StringRef mlir) {
  IrWorkbench bench;
  CHECK(bench.import(mlir).reason == "");
  StepOutcome outcome = bench.passes("lh-widen");
  CHECK(outcome.reason == "");
  std::string text = bench.text();
  CHECK(bench.passes((bufferize + ",convert-linalg-to-loops").str()).reason ==
        "");
  return text;
}

TEST_CASE("arguments keep their types, results are f64", "[ir]") {
  std::string text = widened(R"(
func.func @main(%a: tensor<?x8xf32> {lh.type = "float32"}, %b: tensor<8x4xf16>)
    -> (tensor<?x4xf32> {lh.type = "float32"}) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.1 : f32
  %d = tensor.dim %a, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%d) : tensor<?x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf16>)
                     outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
})");
  CHECK_THAT(text, Catch::Contains("lh.type = \"float32\"}"));
  CHECK_THAT(text, Catch::Contains("-> (tensor<?x4xf64> {lh.type = "
                                   "\"float64\"})"));
  CHECK_THAT(text, Catch::Contains("tensor<?x8xf64>, tensor<8x4xf64>"));
  // The constant keeps the value that it had in f32.
  CHECK_THAT(text, Catch::Contains("0.10000000149011612 : f64"));
  CHECK(countOf(text, "arith.truncf") == 0);
}

TEST_CASE("regions, conversions, comparisons and constants are widened",
          "[ir]") {
  std::string text = widened(R"(
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4xi32>, %y: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>) {
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %s = arith.constant dense<5.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xi32>
  %f = tensor.empty() : tensor<4xf32>
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id],
                         iterator_types = ["parallel"]}
      ins(%x, %y, %k, %s : tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      outs(%e, %f : tensor<4xi32>, tensor<4xf32>) {
    ^bb0(%a: i32, %b: f32, %c: f32, %d: f32, %o: i32, %p: f32):
      %1 = arith.sitofp %a : i32 to f32
      %2 = arith.cmpf olt, %1, %b : f32
      %3 = arith.select %2, %c, %d : f32
      %4 = math.exp %3 : f32
      %5 = arith.truncf %4 : f32 to bf16
      %6 = arith.extf %5 : bf16 to f32
      %7 = arith.fptosi %6 : f32 to i32
      linalg.yield %7, %6 : i32, f32
  } -> (tensor<4xi32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xi32>, tensor<4xf32>
})");
  CHECK_THAT(text, Catch::Contains("arith.sitofp %in : i32 to f64"));
  CHECK_THAT(text, Catch::Contains("math.exp"));
  CHECK(countOf(text, "bf16") == 0);
  CHECK_THAT(text, Catch::Contains("dense<[1.000000e+00, 2.000000e+00, "
                                   "3.000000e+00, 4.000000e+00]> : "
                                   "tensor<4xf64>"));
  CHECK_THAT(text, Catch::Contains("dense<5.000000e+00> : tensor<4xf64>"));
}

TEST_CASE("the model's own narrowing casts stay as roundings", "[ir]") {
  std::string text = widened(R"(
func.func @main(%y: tensor<4xf32>) -> tensor<4xf16> {
  %s = arith.mulf %y, %y : tensor<4xf32>
  %0 = arith.truncf %s {lh.cast} : tensor<4xf32> to tensor<4xf16>
  %1 = arith.addf %0, %0 : tensor<4xf16>
  return %1 : tensor<4xf16>
})");
  CHECK_THAT(text, Catch::Contains("arith.truncf %in : f64 to f16"));
  CHECK_THAT(text, Catch::Contains("arith.extf %in : f16 to f64"));
  CHECK_THAT(text, Catch::Contains("-> tensor<4xf64>"));
}

TEST_CASE("loops, pads, slices and called functions are widened", "[ir]") {
  std::string text = widened(R"(
func.func private @twice(%x: tensor<6xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %0 = linalg.add ins(%x, %x : tensor<6xf32>, tensor<6xf32>)
                  outs(%e : tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<2xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[1] {
    ^bb0(%i: index):
      tensor.yield %z : f32
  } : tensor<4xf32> to tensor<6xf32>
  %t = call @twice(%p) : (tensor<6xf32>) -> tensor<6xf32>
  %s = tensor.extract_slice %t[1][2][1] : tensor<6xf32> to tensor<2xf32>
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %z) -> f32 {
    %v = tensor.extract %x[%i] : tensor<4xf32>
    %n = arith.addf %acc, %v : f32
    scf.yield %n : f32
  }
  return %s, %sum : tensor<2xf32>, f32
})");
  CHECK_THAT(text, Catch::Contains("@twice(%arg0: tensor<6xf64>) -> "
                                   "tensor<6xf64>"));
  CHECK_THAT(text, Catch::Contains("-> (tensor<2xf64>, f64)"));
  // f32 is left in the signature and the widening alone.
  CHECK(countOf(text, "f32") <= 4);
}

TEST_CASE("bits are read of the narrow type, after rounding", "[ir]") {
  std::string text = widened(R"(
func.func @main(%x: f32, %n: i16) -> (i32, bf16) {
  %y = arith.mulf %x, %x : f32
  %0 = arith.bitcast %y : f32 to i32
  %1 = arith.bitcast %n : i16 to bf16
  return %0, %1 : i32, bf16
})");
  CHECK_THAT(text, Catch::Contains("arith.truncf %1 : f64 to f32"));
  CHECK_THAT(text, Catch::Contains(": f32 to i32"));
  CHECK_THAT(text, Catch::Contains(": i16 to bf16"));
  CHECK_THAT(text, Catch::Contains(": bf16 to f64"));
}

static std::vector<Diagnostic> refusalOf(StringRef mlir) {
  IrWorkbench bench;
  CHECK(bench.import(mlir).reason == "");
  StepOutcome outcome = bench.passes("lh-widen");
  REQUIRE(outcome.status == StepStatus::Failed);
  return outcome.diagnostics;
}

TEST_CASE("the bits of a whole tensor of narrow floats can't be widened",
          "[ir]") {
  CHECK(refusalOf("func.func @main(%x: tensor<4xf32>) -> tensor<4xi32> {\n"
                  "  %0 = tensor.bitcast %x : tensor<4xf32> to tensor<4xi32>\n"
                  "  return %0 : tensor<4xi32>\n}")[0]
            .where.line == 2);
}

TEST_CASE("buffers and bodies that aren't there can't be widened", "[ir]") {
  CHECK(refusalOf("func.func private @f(f32) -> f32\n"
                  "func.func @main(%x: memref<4xf32>, %i: index) {\n"
                  "  %0 = memref.load %x[%i] : memref<4xf32>\n  return\n}")
            .size() == 2);
}
