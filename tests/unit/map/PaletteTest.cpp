// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes can be told apart: by people with any of the common colour vision
// deficiencies, on light paper and on dark.
#include "insight/map/Lanes.h"
#include "insight/map/Svg.h"

#include "llvm/ADT/StringExtras.h"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>

using namespace lh;

namespace {
using Color = std::array<double, 3>;
using Matrix = std::array<Color, 3>;

struct Theme {
  Color paper;
  std::vector<Color> lanes;
};
} // namespace

/// Linear light of "#rrggbb".
static Color linear(StringRef hex) {
  Color color;
  for (size_t i = 0; i < 3; ++i) {
    unsigned value = 0;
    REQUIRE_FALSE(hex.substr(1 + 2 * i, 2).getAsInteger(16, value));
    double share = value / 255.0;
    color[i] = share <= 0.04045 ? share / 12.92
                                : std::pow((share + 0.055) / 1.055, 2.4);
  }
  return color;
}

/// The values of `--name` in map.css: light, dark, print.
static std::vector<Color> valuesOf(const std::string &name) {
  std::vector<Color> values;
  StringRef rest = mapStyles();
  std::string key = "--" + name + ": ";
  for (size_t at = rest.find(key); at != StringRef::npos; at = rest.find(key)) {
    rest = rest.substr(at + key.size());
    values.push_back(linear(rest.take_front(7)));
  }
  return values;
}

static std::vector<Theme> themes() {
  std::vector<Theme> result(3);
  std::vector<Color> papers = valuesOf("paper");
  REQUIRE(papers.size() == 3);
  for (size_t i = 0; i < 3; ++i)
    result[i].paper = papers[i];
  for (int lane = 0; lane < 6; ++lane) {
    std::vector<Color> values = valuesOf("c" + std::to_string(lane));
    REQUIRE(values.size() == 3);
    for (size_t i = 0; i < 3; ++i)
      result[i].lanes.push_back(values[i]);
  }
  return result;
}

static double luminance(const Color &color) {
  return 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2];
}

static double contrast(const Color &left, const Color &right) {
  double one = luminance(left), other = luminance(right);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

static Color seenBy(const Matrix &vision, const Color &color) {
  Color seen;
  for (size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (size_t j = 0; j < 3; ++j)
      sum += vision[i][j] * color[j];
    seen[i] = std::min(std::max(sum, 0.0), 1.0);
  }
  return seen;
}

/// In Oklab, where equal distances look about equally large.
static Color oklab(const Color &c) {
  double l = std::cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] +
                       0.0514459929 * c[2]);
  double m = std::cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] +
                       0.1073969566 * c[2]);
  double s = std::cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] +
                       0.6299787005 * c[2]);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

static double distance(const Color &left, const Color &right) {
  Color a = oklab(left), b = oklab(right);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Machado, Oliveira and Fernandes 2009, full severity.
static const std::array<Matrix, 4> visions = {
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.152286, 1.052583, -0.204868},
       {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}}},
     {{{0.367322, 0.860646, -0.227968},
       {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}}},
     {{{1.255528, -0.076749, -0.178779},
       {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}}}};

TEST_CASE("lanes differ for every kind of colour vision", "[map]") {
  for (const Theme &theme : themes())
    for (size_t vision = 0; vision < visions.size(); ++vision)
      for (size_t i = 0; i < theme.lanes.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
          INFO("lanes " << i << " and " << j << ", vision " << vision);
          CHECK(distance(seenBy(visions[vision], theme.lanes[i]),
                         seenBy(visions[vision], theme.lanes[j])) > 0.11);
        }
}

TEST_CASE("lanes stand out from the paper", "[map]") {
  for (const Theme &theme : themes())
    for (size_t i = 0; i < theme.lanes.size(); ++i) {
      INFO("lane " << i);
      CHECK(contrast(theme.paper, theme.lanes[i]) >= 3);
    }
}

TEST_CASE("other formats have the light colours of the style sheet", "[map]") {
  Theme light = themes().front();
  for (size_t i = 0; i < light.lanes.size(); ++i)
    CHECK(linear(paletteColor({}, i)) == light.lanes[i]);
}
