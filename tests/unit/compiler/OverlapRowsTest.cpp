// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-vectorize-rows: a row is written while the next one is computed.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {
/// A loop over the rows of a softmax without its maximum.
struct Rows {
  std::string options = "unrolled=8";
  /// What the last op reads beside powers and their sum.
  std::string other = "%row";
  /// Ops between the last one and what stores its result, which is %q.
  std::string behind = "";
  std::string stored = "%q";
};
} // namespace

static std::string vectorized(const Rows &rows) {
  IrWorkbench bench;
  REQUIRE(bench
              .import(R"(
#id = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
func.func @main(%x: tensor<8x256xf32>, %y: tensor<8x256xf32>, %zero: tensor<f32>,
    %bias: tensor<256xf32>) -> tensor<8x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<256xf32>
  %f = tensor.empty() : tensor<256xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%all = %y)
      -> (tensor<8x256xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 256] [1, 1]
        : tensor<8x256xf32> to tensor<256xf32>
    %p = linalg.generic {indexing_maps = [#id, #id],
        iterator_types = ["parallel"]}
        ins(%row : tensor<256xf32>) outs(%e : tensor<256xf32>) {
    ^bb0(%a: f32, %b: f32):
      %v = math.exp %a : f32
      linalg.yield %v : f32
    } -> tensor<256xf32>
    %s = linalg.generic {indexing_maps = [#id, #one],
        iterator_types = ["reduction"]}
        ins(%p : tensor<256xf32>) outs(%zero : tensor<f32>) {
    ^bb0(%a: f32, %b: f32):
      %v = arith.addf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<f32>
    %other = linalg.generic {indexing_maps = [#id, #id],
        iterator_types = ["parallel"]}
        ins(%bias : tensor<256xf32>) outs(%f : tensor<256xf32>) {
    ^bb0(%a: f32, %b: f32):
      %v = math.exp %a : f32
      linalg.yield %v : f32
    } -> tensor<256xf32>
    %to = tensor.extract_slice %all[%i, 0] [1, 256] [1, 1]
        : tensor<8x256xf32> to tensor<256xf32>
    %q = linalg.generic {indexing_maps = [#id, #one, #id, #id],
        iterator_types = ["parallel"]}
        ins(%p, %s, )" +
                      rows.other +
                      R"( : tensor<256xf32>, tensor<f32>, tensor<256xf32>)
        outs(%to : tensor<256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      %n = arith.divf %a, %b : f32
      %v = arith.mulf %n, %c : f32
      linalg.yield %v : f32
    } -> tensor<256xf32>
)" + rows.behind +
                      R"(
    %next = tensor.insert_slice )" +
                      rows.stored + R"( into %all[%i, 0] [1, 256] [1, 1]
        : tensor<256xf32> into tensor<8x256xf32>
    scf.yield %next : tensor<8x256xf32>
  }
  return %r : tensor<8x256xf32>
})")
              .status == StepStatus::Passed);
  CHECK(bench
            .passes("canonicalize, func.func(lh-vectorize-rows{" +
                    rows.options + "}), canonicalize, cse")
            .reason == "");
  return bench.text();
}

TEST_CASE("a row is written in the loop that computes the next", "[ir]") {
  std::string text = vectorized({});
  // The first row's loop, the common one, the last row's; and the rows'.
  CHECK(countOf(text, "scf.for ") == 4);
  CHECK(countOf(text, "math.exp") == 2);
  CHECK(countOf(text, "arith.divf") == 2);
  // The row's sum is kept for an iteration as a number; the old strip is read
  // before the new one takes its place.
  CHECK_THAT(text, Catch::Contains("-> (tensor<8x256xf32>, "));
  CHECK(countOf(text, "tensor.extract %") ==
        countOf(text, "tensor.extract %arg"));
  size_t joined = text.find("scf.for", text.find("vector.reduction"));
  CHECK(text.find("arith.divf", joined) < text.find("math.exp", joined));
}

TEST_CASE("what takes two rows of powers is left alone", "[ir]") {
  CHECK(countOf(vectorized({.other = "%other"}), "arith.divf") == 1);
}

TEST_CASE("a row that stays in registers is left alone", "[ir]") {
  CHECK(countOf(vectorized({.options = "unrolled=16"}), "scf.for ") == 1);
}

TEST_CASE("rows of too few blocks are left alone", "[ir]") {
  CHECK(countOf(vectorized({.options = "fewest-blocks=2"}), "arith.divf") == 1);
}

TEST_CASE("scalable rows are left alone", "[ir]") {
  CHECK(countOf(vectorized({.options = "vector-bits=128 scalable=true"}),
                "scf.for ") == 5);
}

TEST_CASE("a result that is read in the row isn't written later", "[ir]") {
  CHECK(countOf(vectorized({.behind = R"(
    %first = tensor.extract %q[%c0] : tensor<256xf32>
    %turned = tensor.insert %first into %q[%c1] : tensor<256xf32>)",
                            .stored = "%turned"}),
                "arith.divf") == 1);
}
