// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a series of samples comes to.
#include "core/bench/Statistics.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("quantiles lie between neighbours", "[bench]") {
  std::vector<double> sorted = {1, 2, 4, 8};
  CHECK(quantile(sorted, 0) == 1);
  CHECK(quantile(sorted, 0.5) == 3);
  CHECK(quantile(sorted, 1) == 8);
  CHECK(quantile({7}, 0.3) == 7);
}

TEST_CASE("the order of the samples doesn't matter", "[bench]") {
  SampleStatistics statistics = statisticsOf({5, 1, 3, 2, 4});
  CHECK(statistics.count == 5);
  CHECK(statistics.min == 1);
  CHECK(statistics.max == 5);
  CHECK(statistics.median == 3);
  CHECK(statistics.p05 == Approx(1.2));
  CHECK(statistics.p95 == Approx(4.8));
}

TEST_CASE("equal samples have no error, few have all of it", "[bench]") {
  CHECK(statisticsOf({2, 2, 2}).relativeError == 0);
  CHECK(statisticsOf({2, 2}).relativeError == 1);
  CHECK(statisticsOf({}).relativeError == 1);
  CHECK(statisticsOf({}).count == 0);
}

TEST_CASE("one wild sample leaves median and error alone", "[bench]") {
  std::vector<double> samples;
  for (int i = 0; i < 101; ++i)
    samples.push_back(100 + i % 3);
  SampleStatistics tame = statisticsOf(samples);
  samples.front() = 1e6;
  SampleStatistics wild = statisticsOf(samples);
  CHECK(wild.median == tame.median);
  CHECK(wild.relativeError <= tame.relativeError + 0.01);
  CHECK(wild.max == 1e6);
}

TEST_CASE("the error shrinks with the root of the samples", "[bench]") {
  auto errorOf = [](int count) {
    std::vector<double> samples;
    for (int i = 0; i < count; ++i)
      samples.push_back(1 + static_cast<double>(i) / (count - 1));
    return statisticsOf(samples).relativeError;
  };
  // Uniform from 1 to 2: half of 1 / sqrt(n) is a third of the median, 1.5.
  CHECK(errorOf(101) == Approx(1.0 / 3 / std::sqrt(101)).epsilon(0.02));
  CHECK(errorOf(1001) == Approx(1.0 / 3 / std::sqrt(1001)).epsilon(0.02));
}
