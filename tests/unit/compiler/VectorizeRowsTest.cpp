// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-vectorize-rows: reductions of a row in one loop with what they reduce.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// Powers of a row of `elements` f32, their sum (or what `combiner` makes of
/// them) and quotients by it, each an op.
static std::string rows(const std::string &elements,
                        const std::string &options = "vector-bits=512",
                        const std::string &combiner = "addf") {
  std::string row = "tensor<" + elements + "xf32>";
  std::string payload = R"(
#id = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
func.func @main(%x: )" + row +
                        ", %e: " + row + ", %start: tensor<f32>) -> " + row +
                        R"( {
  %p = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel"]} ins(%x : )" +
                        row + ") outs(%e : " + row + R"() {
  ^bb0(%a: f32, %b: f32):
    %v = math.exp %a : f32
    linalg.yield %v : f32
  } -> )" + row + R"(
  %s = linalg.generic {indexing_maps = [#id, #one],
      iterator_types = ["reduction"]} ins(%p : )" +
                        row + R"() outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.)" + combiner +
                        R"( %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#id, #one, #id],
      iterator_types = ["parallel"]} ins(%p, %s : )" +
                        row + ", tensor<f32>) outs(%e : " + row + R"() {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %v = arith.divf %a, %b : f32
    linalg.yield %v : f32
  } -> )" + row +
                        "\n  return %y : " + row + "\n}";
  return after("func.func(lh-vectorize-rows{" + options +
                   "}), canonicalize, cse",
               payload);
}

TEST_CASE("a row is summed up in the loop that computes it", "[ir]") {
  std::string text = rows("1024");
  CHECK(countOf(text, "linalg.generic") == 0);
  CHECK(countOf(text, "scf.for ") == 2);
  CHECK(text.find("math.exp") < text.find("arith.addf"));
  CHECK(text.find("arith.addf") < text.find("scf.yield"));
  // The sum itself is one number.
  CHECK(countOf(text, "vector.reduction <add>") == 1);
}

TEST_CASE("what doesn't fill a strip is computed by registers", "[ir]") {
  std::string text = rows("1045");
  // 32 strips of 32, a register of 16, and 5 under a mask.
  CHECK(countOf(text, "scf.for ") == 2);
  CHECK_THAT(text, Catch::Contains("constant_mask [5] : vector<16xi1>"));
  CHECK(countOf(text, "math.exp") == 3);
}

TEST_CASE("a short row stays in registers", "[ir]") {
  std::string text = rows("77");
  CHECK(countOf(text, "scf.for ") == 0);
  CHECK(countOf(text, "math.exp") == 5);
  // The powers are neither stored nor read again.
  CHECK(countOf(text, "vector.transfer_write") == 5);
  CHECK(countOf(text, "vector.transfer_read") == 5);
}

TEST_CASE("a row of unknown length ends in masked registers", "[ir]") {
  std::string text = rows("?");
  CHECK(countOf(text, "scf.for ") == 4);
  CHECK(countOf(text, "vector.create_mask") == 2);
}

TEST_CASE("a maximum looks for NaNs beside", "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
#id = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
func.func @main(%x: tensor<640xf32>, %start: tensor<f32>) -> tensor<f32> {
  %m = linalg.generic {indexing_maps = [#id, #one],
      iterator_types = ["reduction"]} ins(%x : tensor<640xf32>)
      outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.maximumf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<f32>
  return %m : tensor<f32>
})")
              .status == StepStatus::Passed);
  CHECK(
      bench.passes("func.func(lh-vectorize-rows), canonicalize, cse").reason ==
      "");
  std::string text = bench.text();
  // The one that is left takes the number that the row's is combined with.
  CHECK(countOf(text, "arith.maximumf") == 1);
  CHECK(countOf(text, "arith.cmpf uno") == 2);
  CHECK(countOf(text, "vector.reduction <or>") == 1);
  CHECK_THAT(text, Catch::Contains("fastmath<nnan>"));
}

TEST_CASE("a division of integers isn't computed beyond the row", "[ir]") {
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
#id = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
func.func @main(%x: tensor<640xi32>, %d: tensor<640xi32>,
                %start: tensor<i32>) -> tensor<i32> {
  %m = linalg.generic {indexing_maps = [#id, #id, #one],
      iterator_types = ["reduction"]}
      ins(%x, %d : tensor<640xi32>, tensor<640xi32>)
      outs(%start : tensor<i32>) {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %q = arith.divsi %a, %b : i32
    %v = arith.addi %q, %c : i32
    linalg.yield %v : i32
  } -> tensor<i32>
  return %m : tensor<i32>
})")
              .status == StepStatus::Passed);
  CHECK(bench.passes("func.func(lh-vectorize-rows)").reason == "");
  CHECK(countOf(bench.text(), "linalg.generic") == 1);
}

TEST_CASE("long rows are computed in scalable vectors", "[ir]") {
  std::string text = rows("100", "vector-bits=128 scalable=true");
  // Whole strips, and what is left under masks, of powers and of quotients.
  CHECK(countOf(text, "scf.for ") == 4);
  CHECK(countOf(text, "vector.create_mask") == 2);
  CHECK(countOf(text, "math.exp") == 2);
  CHECK(countOf(text, " : vector<[8]xf32>\n") >= 2);
  CHECK(countOf(text, "vector.reduction <add>") == 1);
  // No remainder of a division by the strip.
  CHECK(countOf(text, "arith.rem") == 0);
}

TEST_CASE("short rows and products keep vectors of known length", "[ir]") {
  CHECK(countOf(rows("32", "vector-bits=128 scalable=true"), "vector<[") == 0);
  std::string text = rows("100", "vector-bits=128 scalable=true", "mulf");
  CHECK(countOf(text, "vector.reduction <mul>") == 1);
  size_t product = text.find("vector.reduction <mul>");
  CHECK(countOf(text.substr(0, product), "vector<[") == 0);
}

static std::string lanes(StringRef function, StringRef type) {
  return after("lh-call-libm", ("func.func @main(%a: " + type + ") -> " + type +
                                " {\n  %y = " + function + " %a : " + type +
                                "\n  return %y : " + type + "\n}")
                                   .str());
}

TEST_CASE("functions of scalable vectors take a lane at a time", "[ir]") {
  std::string text = lanes("math.sin", "vector<[4]xf32>");
  CHECK(countOf(text, "scf.for") == 1);
  CHECK(countOf(text, "math.sin %") == 1);
  CHECK(countOf(text, " : f32\n") == 1);
  // Instructions, and vectors that upstream takes apart, stay as they are.
  CHECK(countOf(lanes("math.sqrt", "vector<[4]xf32>"), "scf.for") == 0);
  CHECK(countOf(lanes("math.sin", "vector<4xf32>"), "scf.for") == 0);
}
