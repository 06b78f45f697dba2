// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-normalize-products: casts of operands.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string filled(StringRef type, StringRef zero, StringRef shape) {
  return ("  %zero = arith.constant " + zero + " : " + type +
          "\n  %empty = tensor.empty() : tensor<" + shape + "x" + type +
          ">\n  %zeros = linalg.fill ins(%zero : " + type +
          ") outs(%empty : tensor<" + shape + "x" + type + ">) -> tensor<" +
          shape + "x" + type + ">\n")
      .str();
}

/// A product of `narrow` numbers that are summed up as `wide` ones.
static std::string product(StringRef narrow, StringRef wide, StringRef zero,
                           StringRef attributes = "") {
  return ("func.func @main(%a: tensor<8x9x" + narrow + ">, %b: tensor<9x10x" +
          narrow + ">) -> tensor<8x10x" + wide + "> {\n" +
          filled(wide, zero, "8x10") + "  %y = linalg.matmul " + attributes +
          " ins(%a, %b : tensor<8x9x" + narrow + ">, tensor<9x10x" + narrow +
          ">) outs(%zeros : tensor<8x10x" + wide + ">) -> tensor<8x10x" + wide +
          ">\n  return %y : tensor<8x10x" + wide + ">\n}")
      .str();
}

TEST_CASE("operands are widened before a product", "[ir]") {
  std::string text = after("lh-normalize-products{operands=true}",
                           product("bf16", "f32", "0.0"));
  CHECK(countOf(text, "arith.extf") == 2);
  CHECK(countOf(text, "tensor<8x9xf32>, tensor<9x10xf32>)") == 1);
  CHECK(countOf(text, "arith.truncf") == 0);
}

TEST_CASE("bytes keep their sign or have none", "[ir]") {
  StringRef isUnsigned = "{cast = #linalg.type_fn<cast_unsigned>}";
  std::string text =
      after("lh-normalize-products{operands=true}", product("i8", "i32", "0"));
  CHECK(countOf(text, "arith.extsi") == 2);
  text = after("lh-normalize-products{operands=true}",
               product("i8", "i32", "0", isUnsigned));
  CHECK(countOf(text, "arith.extui") == 2);
}

TEST_CASE("sums in a narrow type are kept in f32 and rounded once", "[ir]") {
  std::string text = after("lh-normalize-products{operands=true}, canonicalize",
                           product("f16", "f16", "0.0"));
  CHECK(countOf(text, "arith.extf") == 2); // zeros aren't extended
  CHECK(countOf(text, ", tensor<9x10xf32>)") == 1);
  CHECK(countOf(text, "arith.truncf") == 1);
}

TEST_CASE("wide products and those by a vector stay", "[ir]") {
  std::string wide = product("f32", "f32", "0.0");
  CHECK(after("lh-normalize-products{operands=true}", wide) ==
        after("canonicalize{max-iterations=0}", wide));
  std::string vector =
      "func.func @main(%a: tensor<8x9xf16>, %b: tensor<9xf16>) -> "
      "tensor<8xf32> {\n" +
      filled("f32", "0.0", "8") +
      "  %y = linalg.matvec ins(%a, %b : tensor<8x9xf16>, tensor<9xf16>) "
      "outs(%zeros : tensor<8xf32>) -> tensor<8xf32>\n"
      "  return %y : tensor<8xf32>\n}";
  CHECK(after("lh-normalize-products{operands=true}", vector) ==
        after("canonicalize{max-iterations=0}", vector));
}
