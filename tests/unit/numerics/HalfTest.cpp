// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 16-bit float formats, against definitions written out here.
#include "core/numerics/Half.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <limits>

using namespace lh;

/// The value of a finite pattern by the format's definition.
static double definition(uint16_t bits, int exponentBits, int fractionBits) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = (bits >> fractionBits) & ((1 << exponentBits) - 1);
  double fraction = bits & ((1 << fractionBits) - 1);
  double magnitude = exponent == 0
                         ? std::ldexp(fraction, 1 - bias - fractionBits)
                         : std::ldexp(fraction + (1 << fractionBits),
                                      exponent - bias - fractionBits);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST_CASE("every float16 pattern widens to its definition and back", "[half]") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float wide = halfToFloat(uint16_t(bits));
    if ((bits & 0x7fff) > 0x7c00) {
      REQUIRE(std::isnan(wide));
      REQUIRE(std::isnan(halfToFloat(doubleToHalf(wide))));
      REQUIRE(std::signbit(wide) == ((bits & 0x8000) != 0));
      continue;
    }
    if ((bits & 0x7fff) < 0x7c00)
      REQUIRE(wide == definition(uint16_t(bits), 5, 10));
    else
      REQUIRE(std::isinf(wide));
    REQUIRE(doubleToHalf(wide) == bits);
  }
}

TEST_CASE("every bfloat16 pattern widens to its definition and back",
          "[half]") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float wide = bfloat16ToFloat(uint16_t(bits));
    if ((bits & 0x7fff) > 0x7f80) {
      REQUIRE(std::isnan(wide));
      REQUIRE(std::isnan(bfloat16ToFloat(doubleToBFloat16(wide))));
      continue;
    }
    if ((bits & 0x7fff) < 0x7f80)
      REQUIRE(wide == definition(uint16_t(bits), 8, 7));
    REQUIRE(doubleToBFloat16(wide) == bits);
  }
}

/// Between two neighbouring patterns: below the middle goes down, above goes
/// up, the middle goes to the even one.
static void checkMiddles(uint16_t (*round)(double), double (*value)(uint16_t),
                         uint16_t last) {
  for (uint16_t low = 0; low < last; ++low) {
    double middle = (value(low) + value(uint16_t(low + 1))) / 2;
    uint16_t even = low & 1 ? uint16_t(low + 1) : low;
    REQUIRE(round(middle) == even);
    REQUIRE(round(-middle) == (even | 0x8000));
    REQUIRE(round(std::nextafter(middle, 0)) == low);
    REQUIRE(round(std::nextafter(middle, 1e300)) == low + 1);
  }
}

TEST_CASE("rounding to float16 is to nearest, ties to even", "[half]") {
  checkMiddles(
      doubleToHalf, [](uint16_t bits) { return definition(bits, 5, 10); },
      0x7bff);
}

TEST_CASE("rounding to bfloat16 is to nearest, ties to even", "[half]") {
  checkMiddles(
      doubleToBFloat16, [](uint16_t bits) { return definition(bits, 8, 7); },
      0x7f7f);
}

TEST_CASE("what lies beyond the largest 16-bit float becomes infinity",
          "[half]") {
  CHECK(doubleToHalf(65504) == 0x7bff);
  CHECK(doubleToHalf(65519.99) == 0x7bff);
  CHECK(doubleToHalf(65520) == 0x7c00);
  CHECK(doubleToHalf(-1e300) == 0xfc00);
  CHECK(doubleToBFloat16(3.4e38) == 0x7f80);
  CHECK(doubleToHalf(std::numeric_limits<double>::denorm_min()) == 0);
  CHECK(doubleToBFloat16(-1e-300) == 0x8000);
}

TEST_CASE("a double is rounded once, not through float", "[half]") {
  // 1 + 2^-11 is the middle of two halves; a bit more, too small for float,
  // must still round up.
  CHECK(doubleToHalf(1 + 0x1p-11 + 0x1p-40) == 0x3c01);
  CHECK(doubleToHalf(1 + 0x1p-11) == 0x3c00);
}

TEST_CASE("a NaN whose payload is cut stays a NaN", "[half]") {
  double low = std::bit_cast<double>(uint64_t(0x7ff0000000000001));
  CHECK((doubleToHalf(low) & 0x7fff) > 0x7c00);
  CHECK((doubleToBFloat16(low) & 0x7fff) > 0x7f80);
}
