// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-slice-gathers: rows that are read at computed places are operands.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// Sums of %a and what `read` reads of %image, called %element, in a row of 16;
/// %at holds one index, and %i counts.
static std::string rowOf(StringRef read) {
  return after("lh-slice-gathers, canonicalize, cse", (R"(
#id = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
func.func @main(%image: tensor<5x20xf32>, %row: tensor<16xf32>,
                %table: tensor<i64>) -> tensor<16xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<16xf32>
  %y = linalg.generic {indexing_maps = [#id, #one, #id],
      iterator_types = ["parallel"]}
      ins(%row, %table : tensor<16xf32>, tensor<i64>)
      outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %at: i64, %old: f32):
    %i = linalg.index 0 : index
    %place = arith.index_cast %at : i64 to index
    )" + read + R"(
    %sum = arith.addf %a, %element : f32
    linalg.yield %sum : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}
)")
                                                          .str());
}

TEST_CASE("elements that are read one after the other become a slice", "[ir]") {
  std::string text =
      rowOf("%element = tensor.extract %image[%place, %i] : tensor<5x20xf32>");
  CHECK(countOf(text, "tensor.extract_slice %arg0") == 1);
  CHECK(countOf(text, ", 0] [1, 16] [1, 1] : tensor<5x20xf32> to "
                      "tensor<16xf32>") == 1);
  CHECK(countOf(text, "linalg.index") == 0);
  // The place itself is read once, before the op.
  CHECK(countOf(text, "tensor.extract %") == 1);
  CHECK(text.find("tensor.extract %") < text.find("linalg.generic"));
}

TEST_CASE("a row may begin anywhere", "[ir]") {
  std::string text =
      rowOf("%j = affine.apply affine_map<(d0)[s0] -> (d0 + s0 * 2)>(%i)[%c2]\n"
            "%element = tensor.extract %image[%place, %j] : tensor<5x20xf32>");
  CHECK(countOf(text, ", 4] [1, 16] [1, 1] : tensor<5x20xf32>") == 1);
}

TEST_CASE("elements that lie apart are no row", "[ir]") {
  for (StringRef read :
       {"%element = tensor.extract %image[%i, %place] : tensor<5x20xf32>",
        "%element = tensor.extract %image[%i, %i] : tensor<5x20xf32>",
        "%element = tensor.extract %image[%place, %place] : tensor<5x20xf32>",
        "%j = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)\n"
        "%element = tensor.extract %image[%place, %j] : tensor<5x20xf32>",
        "%j = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %i)\n"
        "%element = tensor.extract %image[%place, %j] : tensor<5x20xf32>"}) {
    INFO(read.str());
    CHECK(countOf(rowOf(read), "extract_slice") == 0);
  }
}
