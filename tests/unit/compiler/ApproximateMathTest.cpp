// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-approximate-math: polynomials for f32, nothing else.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string approximated(StringRef op, StringRef type) {
  return after("lh-approximate-math",
               ("func.func @main(%x: " + type + ") -> " + type +
                " {\n  %0 = math." + op + " %x : " + type +
                "\n  return %0 : " + type + "\n}")
                   .str());
}

TEST_CASE("f32 scalars and vectors become polynomials", "[ir]") {
  for (StringRef op : {"exp", "tanh", "erf", "log", "sin", "log1p"}) {
    INFO(op.str());
    CHECK(countOf(approximated(op, "f32"), ("math." + op + " ").str()) == 0);
    std::string vector = approximated(op, "vector<16xf32>");
    CHECK(countOf(vector, ("math." + op + " ").str()) == 0);
    CHECK_THAT(vector, Catch::Contains("vector<16xf32>"));
  }
}

TEST_CASE("f64 is left as it is", "[ir]") {
  CHECK_THAT(approximated("exp", "f64"), Catch::Contains("math.exp"));
}

TEST_CASE("functions that aren't named stay", "[ir]") {
  std::string text =
      after("lh-approximate-math{functions=exp,erf}",
            "func.func @main(%x: f32) -> f32 {\n"
            "  %0 = math.exp %x : f32\n  %1 = math.sin %0 : f32\n"
            "  return %1 : f32\n}");
  CHECK(countOf(text, "math.exp ") == 0);
  CHECK(countOf(text, "math.sin ") == 1);
}

/// A vector of `kind` reduced and divided by what that gives.
static std::string quotient(StringRef kind) {
  return after("lh-approximate-math",
               ("func.func @main(%x: vector<16xf32>) -> vector<16xf32> "
                "{\n  %0 = vector.reduction <" +
                kind +
                ">, %x : vector<16xf32> into f32\n"
                "  %1 = vector.broadcast %0 : f32 to vector<16xf32>\n"
                "  %2 = arith.divf %x, %1 : vector<16xf32>\n"
                "  return %2 : vector<16xf32>\n}")
                   .str());
}

TEST_CASE("a row is divided by its sum once", "[ir]") {
  CHECK(countOf(quotient("add"), "vector<16xf32>") > 0);
  CHECK_THAT(quotient("add"), Catch::Contains("arith.mulf"));
  CHECK(countOf(quotient("maximumf"), "arith.mulf") == 0);
}
