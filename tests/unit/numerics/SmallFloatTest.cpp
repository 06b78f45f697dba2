// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The small float formats, against definitions written out here.
#include "core/numerics/SmallFloat.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace lh;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static const DType signedFormats[] = {DType::Float8E4M3FN,
                                      DType::Float8E4M3FNUZ, DType::Float8E5M2,
                                      DType::Float8E5M2FNUZ, DType::Float4E2M1};

TEST_CASE("small floats have the values that the formats' texts give",
          "[small-float]") {
  struct Given {
    DType dtype;
    int code;
    double value;
  };
  Given all[] = {{DType::Float8E4M3FN, 0x01, 0x1p-9},
                 {DType::Float8E4M3FN, 0x08, 0x1p-6},
                 {DType::Float8E4M3FN, 0x7e, 448},
                 {DType::Float8E4M3FN, 0xb9, -1.125},
                 {DType::Float8E4M3FNUZ, 0x01, 0x1p-10},
                 {DType::Float8E4M3FNUZ, 0x7f, 240},
                 {DType::Float8E5M2, 0x01, 0x1p-16},
                 {DType::Float8E5M2, 0x7b, 57344},
                 {DType::Float8E5M2, 0xfc, -infinity},
                 {DType::Float8E5M2FNUZ, 0x01, 0x1p-17},
                 {DType::Float8E5M2FNUZ, 0xff, -57344},
                 {DType::Float8E8M0, 0x00, 0x1p-127},
                 {DType::Float8E8M0, 0xfe, 0x1p127}};
  for (const Given &given : all)
    CHECK(decodeSmallFloat(given.dtype, uint8_t(given.code)) == given.value);
  double fours[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int code = 0; code < 16; ++code)
    CHECK(decodeSmallFloat(DType::Float4E2M1, uint8_t(code)) ==
          (code < 8 ? fours[code] : -fours[code - 8]));
  CHECK(std::signbit(decodeSmallFloat(DType::Float4E2M1, 8)));
}

TEST_CASE("codes that are no numbers decode to NaN", "[small-float]") {
  auto nanCodes = [](DType dtype) {
    std::vector<int> codes;
    for (int code = 0; code < 256; ++code)
      if (std::isnan(decodeSmallFloat(dtype, uint8_t(code))))
        codes.push_back(code);
    return codes;
  };
  using Codes = std::vector<int>;
  CHECK(nanCodes(DType::Float8E4M3FN) == Codes{0x7f, 0xff});
  CHECK(nanCodes(DType::Float8E4M3FNUZ) == Codes{0x80});
  CHECK(nanCodes(DType::Float8E5M2) ==
        Codes{0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff});
  CHECK(nanCodes(DType::Float8E5M2FNUZ) == Codes{0x80});
  CHECK(nanCodes(DType::Float8E8M0) == Codes{0xff});
  CHECK(nanCodes(DType::Float4E2M1).size() == 240); // no four bits
}

TEST_CASE("every code survives decoding and encoding", "[small-float]") {
  for (DType dtype :
       {DType::Float8E4M3FN, DType::Float8E4M3FNUZ, DType::Float8E5M2,
        DType::Float8E5M2FNUZ, DType::Float8E8M0, DType::Float4E2M1})
    for (int code = 0; code <= smallFloatFormat(dtype).lastCode(); ++code) {
      double value = decodeSmallFloat(dtype, uint8_t(code));
      bool saturate = false; // keeps infinities
      if (std::isnan(value))
        CHECK(std::isnan(
            decodeSmallFloat(dtype, encodeSmallFloat(dtype, value, saturate))));
      else
        CHECK(encodeSmallFloat(dtype, value, saturate) == code);
    }
}

TEST_CASE("small floats round to nearest, ties to even", "[small-float]") {
  for (DType dtype : signedFormats)
    for (int code = 0; code < smallFloatFormat(dtype).largest; ++code) {
      double low = decodeSmallFloat(dtype, uint8_t(code));
      double high = decodeSmallFloat(dtype, uint8_t(code + 1));
      double middle = (low + high) / 2;
      CHECK(encodeSmallFloat(dtype, std::nextafter(middle, 0)) == code);
      CHECK(encodeSmallFloat(dtype, std::nextafter(middle, infinity)) ==
            code + 1);
      CHECK(encodeSmallFloat(dtype, middle) == code + code % 2);
    }
}

TEST_CASE("beyond the largest number a small float saturates or overflows",
          "[small-float]") {
  auto encoded = [](DType dtype, double value, bool saturate) {
    return decodeSmallFloat(dtype, encodeSmallFloat(dtype, value, saturate));
  };
  // 464 is the middle between 448 and what would follow it.
  CHECK(encoded(DType::Float8E4M3FN, 464, false) == 448);
  CHECK(std::isnan(encoded(DType::Float8E4M3FN, 464.001, false)));
  CHECK(encoded(DType::Float8E4M3FN, 464.001, true) == 448);
  CHECK(encoded(DType::Float8E4M3FN, -infinity, true) == -448);
  // Here the largest number is odd: the middle leaves the range.
  CHECK(std::isnan(encoded(DType::Float8E4M3FNUZ, -248, false)));
  CHECK(encoded(DType::Float8E4M3FNUZ, 247.999, false) == 240);
  CHECK(encoded(DType::Float8E5M2, 61440, false) == infinity);
  CHECK(encoded(DType::Float8E5M2, 61440, true) == 57344);
  CHECK(encoded(DType::Float8E5M2, -1e300, false) == -infinity);
  CHECK(std::isnan(encoded(DType::Float8E5M2FNUZ, infinity, false)));
  for (bool saturate : {false, true}) {
    CHECK(encoded(DType::Float4E2M1, 1e9, saturate) == 6);
    CHECK(encoded(DType::Float4E2M1, -infinity, saturate) == -6);
    CHECK(encoded(DType::Float4E2M1, std::nan(""), saturate) == 0);
  }
}

TEST_CASE("zeros keep their sign where the format has it", "[small-float]") {
  CHECK(encodeSmallFloat(DType::Float8E4M3FN, -0.0) == 0x80);
  CHECK(encodeSmallFloat(DType::Float8E5M2, -1e-9) == 0x80);
  CHECK(encodeSmallFloat(DType::Float8E4M3FNUZ, -0.0) == 0);
  CHECK(encodeSmallFloat(DType::Float8E5M2FNUZ, -1e-9) == 0);
  CHECK(encodeSmallFloat(DType::Float4E2M1, -0.25) == 8);
}

TEST_CASE("powers of two round as they are told", "[small-float]") {
  auto encoded = [](double value, PowerRounding rounding) {
    return int(encodeSmallFloat(DType::Float8E8M0, value, true, rounding));
  };
  for (PowerRounding rounding :
       {PowerRounding::Up, PowerRounding::Down, PowerRounding::Nearest}) {
    CHECK(encoded(4, rounding) == 129);
    CHECK(encoded(0, rounding) == 0);
    CHECK(encoded(-0.0, rounding) == 0);
    CHECK(encoded(1e-60, rounding) == 0);
    CHECK(encoded(1e60, rounding) == 254);
    CHECK(encoded(infinity, rounding) == 254);
    CHECK(encoded(-1, rounding) == 255);
    CHECK(encoded(std::nan(""), rounding) == 255);
  }
  CHECK(encoded(4.0001, PowerRounding::Up) == 130);
  CHECK(encoded(7.9999, PowerRounding::Down) == 129);
  CHECK(encoded(5.9999, PowerRounding::Nearest) == 129);
  CHECK(encoded(6, PowerRounding::Nearest) == 130);
  for (double value : {0.0, 1e-60, 1e60, infinity})
    CHECK(encodeSmallFloat(DType::Float8E8M0, value, false) == 255);
}
