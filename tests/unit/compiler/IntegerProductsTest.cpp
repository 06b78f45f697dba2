// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-pack-words: dequantised bytes.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

/// After the payload's products, from zeros on, were chosen for words.
static std::string packedBytes(StringRef payload) {
  IrWorkbench bench;
  REQUIRE(bench.import(payload.str()).status == StepStatus::Passed);
  CHECK(bench.passes("lh-normalize-products{start=true}").reason == "");
  CHECK(bench.choose("words").reason == "");
  CHECK(bench.passes("lh-pack-words, canonicalize, cse").reason == "");
  return bench.text();
}

/// A dequantisation of %`name`, of type `sizes`, into %`name`.read, less the
/// i32 value `zero`, by %scale, or by %scales for each `index` (i or j).
static std::string dequantise(StringRef name, StringRef sizes, StringRef zero,
                              StringRef index = "") {
  std::string bytes = ("tensor<" + sizes + "xi8>").str();
  std::string numbers = ("tensor<" + sizes + "xf32>").str();
  std::string read = ("%" + name + ".read").str();
  bool each = !index.empty();
  std::string map = "affine_map<(i, j) -> (" + index.str() + ")>, ";
  return "  %" + name.str() + ".out = tensor.empty() : " + numbers + "\n  " +
         read + " = linalg.generic {indexing_maps = [#id, " +
         (each ? map : "") +
         "#id], iterator_types = [\"parallel\", \"parallel\"]} ins(%" +
         name.str() + (each ? ", %scales" : "") + " : " + bytes +
         (each ? ", tensor<16xf32>" : "") + ") outs(%" + name.str() +
         ".out : " + numbers + ") {\n  ^bb0(%byte: i8" +
         (each ? ", %one: f32" : "") +
         ", %old: f32):\n"
         "    %wide = arith.extsi %byte : i8 to i32\n"
         "    %centred = arith.subi %wide, %" +
         zero.str() +
         " : i32\n"
         "    %number = arith.sitofp %centred : i32 to f32\n"
         "    %y = arith.mulf %number, %" +
         (each ? "one" : "scale") +
         " : f32\n"
         "    linalg.yield %y : f32\n  } -> " +
         numbers + "\n";
}

/// 8 x `length` by `length` x 16 dequantised bytes, those on the right by a
/// scale for each `index`.
static std::string productOfBytes(StringRef length, StringRef zero,
                                  StringRef index = "") {
  std::string left = ("8x" + length).str(), right = (length + "x16").str();
  return "#id = affine_map<(i, j) -> (i, j)>\n"
         "func.func @main(%a: tensor<" +
         left + "xi8>, %b: tensor<" + right +
         "xi8>, %init: tensor<8x16xf32>, %unknown: i32, %scales: "
         "tensor<16xf32>) -> tensor<8x16xf32> {\n"
         "  %five = arith.constant 5 : i32\n"
         "  %scale = arith.constant 0.5 : f32\n" +
         dequantise("a", left, zero) + dequantise("b", right, "five", index) +
         "  %y = linalg.matmul ins(%a.read, %b.read : tensor<" + left +
         "xf32>, tensor<" + right +
         "xf32>) outs(%init : tensor<8x16xf32>) -> tensor<8x16xf32>\n"
         "  return %y : tensor<8x16xf32>\n}";
}

TEST_CASE("a product of dequantised bytes is one of integers", "[ir]") {
  std::string text = packedBytes(productOfBytes("12", "five"));
  CHECK(countOf(text, "lh.product") == 1);
  CHECK(countOf(text, "linalg.matmul") == 0);
  // Once for each result, not for each byte.
  CHECK(countOf(text, "arith.sitofp") == 1);
}

TEST_CASE("products of dequantised bytes may stay", "[ir]") {
  // Padding needs to know what zero is.
  CHECK(countOf(packedBytes(productOfBytes("12", "unknown")), "lh.product") ==
        0);
  // 33026 products of up to 255 x 255 may leave 32 bits.
  CHECK(countOf(packedBytes(productOfBytes("33026", "five")), "lh.product") ==
        0);
  CHECK(countOf(packedBytes(productOfBytes("33024", "five")), "lh.product") ==
        1);
  // Scales that differ from term to term can't be applied to the sum.
  CHECK(countOf(packedBytes(productOfBytes("16", "five", "j")), "lh.product") ==
        1);
  CHECK(countOf(packedBytes(productOfBytes("16", "five", "i")), "lh.product") ==
        0);
}
