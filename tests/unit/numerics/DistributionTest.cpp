// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples of one distribution, and of others.
#include "core/numerics/Distribution.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace lh;

template <typename Draw> static Tensor sampleOf(int64_t count, Draw draw) {
  Tensor sample(DType::Float32, {count});
  for (int64_t i = 0; i < count; ++i)
    sample.set(i, draw());
  return sample;
}

static Tensor normal(int64_t count, unsigned seed, double mean = 0,
                     double deviation = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> draw(mean, deviation);
  return sampleOf(count, [&] { return draw(engine); });
}

static std::string difference(const Tensor &actual, const Tensor &expected) {
  return differenceOf(momentsOf(actual), momentsOf(expected)).value_or("");
}

TEST_CASE("the moments of a sample", "[distribution]") {
  Tensor sample(DType::Float64, {5});
  for (int64_t i = 0; i < 4; ++i)
    sample.set(i, static_cast<double>(i < 2 ? 1 : 3));
  sample.set(4, std::nan(""));
  SampleMoments moments = momentsOf(sample);
  CHECK(moments.count == 4);
  CHECK(moments.notFinite == 1);
  CHECK(moments.mean == 2);
  CHECK(moments.variance == 1);
  CHECK(moments.fourth == 1);
  CHECK(moments.least == 1);
  CHECK(moments.largest == 3);
}

TEST_CASE("samples of one distribution agree", "[distribution]") {
  for (unsigned seed = 0; seed < 50; ++seed)
    for (int64_t count : {100, 1000, 20000}) {
      INFO(seed << ", " << count);
      CHECK(difference(normal(count, 2 * seed), normal(count, 2 * seed + 1)) ==
            "");
    }
}

TEST_CASE("samples of other distributions are told apart", "[distribution]") {
  Tensor expected = normal(1000, 1);
  auto says = [&](const Tensor &actual, StringRef words) {
    std::string text = difference(actual, expected);
    INFO(text);
    CHECK(StringRef(text).starts_with(words));
  };
  says(normal(1000, 2, 0.5), "the mean is 0.");
  says(normal(1000, 2, 0, 1.5), "the variance is 2.");
  says(normal(1000, 2, 0, 0), "the variance is 0, not");
  Tensor outlier = normal(1000, 2);
  outlier.set(7, 9);
  says(outlier, "the largest number is 9");
  outlier.set(7, -6.5);
  says(outlier, "the least number is -6.5");
  outlier.set(7, std::nan(""));
  says(outlier, "1 numbers are not finite; 0 are expected");
  // Two values of the same mean and variance aren't told apart.
  bool isHigh = false;
  CHECK(difference(
            sampleOf(1000, [&] { return (isHigh = !isHigh) ? 1.0 : -1.0; }),
            expected) == "");
}
