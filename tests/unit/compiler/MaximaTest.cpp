// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-lower-maxima: one instruction a number, and NaNs beside.
#include "IrTest.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string lowered(StringRef type, StringRef body) {
  return after("lh-lower-maxima",
               ("func.func @main(%a: " + type + ", %b: " + type + ", %c: " +
                type + ") -> (" + type + ", " + type + ") {\n" + body + "\n}")
                   .str());
}

static const char *const three = R"(
  %0 = arith.maximumf %a, %b : vector<16xf32>
  %1 = arith.maximumf %0, %c : vector<16xf32>
  return %1, %a : vector<16xf32>, vector<16xf32>)";

TEST_CASE("several maxima look for NaNs together", "[ir]") {
  std::string text = lowered("vector<16xf32>", three);
  CHECK(countOf(text, "arith.maximumf") == 0);
  CHECK(countOf(text, "arith.cmpf ogt") == 2);
  CHECK(countOf(text, "arith.cmpf uno") == 1); // the first stays by itself
  CHECK(countOf(text, "arith.select") == 3);
}

TEST_CASE("minima are taken the other way", "[ir]") {
  std::string text =
      lowered("vector<4xf64>", "%0 = arith.minimumf %a, %b : vector<4xf64>\n"
                               "return %0, %a : vector<4xf64>, vector<4xf64>");
  CHECK(countOf(text, "arith.cmpf olt") == 1);
  CHECK(countOf(text, "arith.cmpf uno") == 1);
}

TEST_CASE("a maximum with a constant needs no other look", "[ir]") {
  std::string text = lowered("vector<16xf32>", R"(
    %zero = arith.constant dense<0.0> : vector<16xf32>
    %0 = arith.maximumf %zero, %a : vector<16xf32>
    return %0, %a : vector<16xf32>, vector<16xf32>)");
  CHECK_THAT(text, Catch::Contains("arith.cmpf ogt, %cst, %arg0"));
  CHECK_THAT(text, Catch::Contains("%cst, %arg0 : vector<16xi1>"));
  CHECK(countOf(text, "uno") == 0);
}

TEST_CASE("what every number is better than is left out", "[ir]") {
  std::string text = lowered("vector<16xf32>", R"(
    %least = arith.constant dense<0xFF800000> : vector<16xf32>
    %0 = arith.maximumf %least, %a : vector<16xf32>
    return %0, %a : vector<16xf32>, vector<16xf32>)");
  CHECK_THAT(text, Catch::Contains("return %arg0, %arg0"));
}

TEST_CASE("a maximum that others use, too, is one of its own", "[ir]") {
  std::string text = lowered("vector<16xf32>", R"(
    %0 = arith.maximumf %a, %b : vector<16xf32>
    %1 = arith.maximumf %0, %c : vector<16xf32>
    return %1, %0 : vector<16xf32>, vector<16xf32>)");
  CHECK(countOf(text, "arith.cmpf uno") == 2);
}

TEST_CASE("maxima of minima aren't taken for one another", "[ir]") {
  std::string text = lowered("vector<16xf32>", R"(
    %0 = arith.minimumf %a, %b : vector<16xf32>
    %1 = arith.maximumf %0, %c : vector<16xf32>
    return %1, %a : vector<16xf32>, vector<16xf32>)");
  CHECK(countOf(text, "arith.cmpf olt") == 1);
  CHECK(countOf(text, "arith.cmpf ogt") == 1);
}

TEST_CASE("scalars, other floats and NaN constants stay", "[ir]") {
  CHECK_THAT(lowered("f32", "%0 = arith.maximumf %a, %b : f32\n"
                            "return %0, %a : f32, f32"),
             Catch::Contains("arith.maximumf"));
  CHECK_THAT(lowered("vector<8xf16>",
                     "%0 = arith.maximumf %a, %b : vector<8xf16>\n"
                     "return %0, %a : vector<8xf16>, vector<8xf16>"),
             Catch::Contains("arith.maximumf"));
  std::string text = lowered("vector<16xf32>", R"(
    %nan = arith.constant dense<0x7FC00000> : vector<16xf32>
    %0 = arith.maximumf %a, %nan : vector<16xf32>
    return %0, %a : vector<16xf32>, vector<16xf32>)");
  CHECK(countOf(text, "arith.cmpf uno") == 1);
}
