// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The comparator: what passes, and what the statistics say.
#include "core/numerics/Comparator.h"
#include "TestSupport.h"
#include "core/numerics/Generate.h"
#include "core/numerics/Ordinal.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace lh;

static const double quietNaN = std::nan("");
static const double inf = std::numeric_limits<double>::infinity();

static CompareResult compareFloats(std::initializer_list<double> actual,
                                   std::initializer_list<double> expected,
                                   const Tolerance &tolerance = {}) {
  return compareTensors(vectorOf(DType::Float32, actual),
                        vectorOf(DType::Float32, expected), tolerance);
}

TEST_CASE("equal tensors pass with nothing allowed", "[compare]") {
  CompareResult result = compareFloats({1, -2, 0}, {1, -2, 0});
  CHECK(result.passed);
  CHECK(result.elements == 3);
  CHECK(result.maxAbs == 0);
  CHECK(result.cosine == 1);
  CHECK(result.relativeL2 == 0);
  CHECK(result.maxNorm == 2);
  CHECK(result.worst.empty());
}

TEST_CASE("a bound is atol plus rtol times the expected magnitude",
          "[compare]") {
  // Exactly on the bound: 0.5 + 0.25 * 2 = 1.
  CHECK(compareFloats({3}, {2}, {0.5, 0.25, {}}).passed);
  CHECK(compareFloats({-3}, {-2}, {0.5, 0.25, {}}).passed);
  CHECK(!compareFloats({3.001}, {2}, {0.5, 0.25, {}}).passed);
  // The magnitude is the expected one's, not the actual one's.
  CHECK(!compareFloats({2}, {1}, {0, 0.5, {}}).passed);
  CHECK(compareFloats({1}, {2}, {0, 0.5, {}}).passed);
}

TEST_CASE("negative zero equals zero", "[compare]") {
  CompareResult result = compareFloats({-0.0, 0.0}, {0.0, -0.0});
  CHECK(result.passed);
  CHECK(result.maxUlp == 0);
}

TEST_CASE("statistics of a small example", "[compare]") {
  CompareResult result =
      compareFloats({1, 2, 4, 8}, {1, 2.5, 4, 4}, {1, 0, {}});
  CHECK(!result.passed);
  CHECK(result.mismatches == 1);
  CHECK(result.maxAbs == 4);
  CHECK(result.meanAbs == Approx(4.5 / 4));
  CHECK(result.maxRel == 1);
  CHECK(result.meanRel == Approx((0.2 + 1) / 4));
  CHECK(result.p99Abs == 4);
  CHECK(result.maxNorm == 4);
  CHECK(result.smallestAtol == 4);
  CHECK(result.smallestRtol == 1);
  double expectedNorm = std::sqrt(1 + 6.25 + 16 + 16);
  CHECK(result.relativeL2 == Approx(std::sqrt(0.25 + 16) / expectedNorm));
  double actualNorm = std::sqrt(1.0 + 4 + 16 + 64);
  CHECK(result.cosine == Approx((1 + 5 + 16 + 32) / actualNorm / expectedNorm));
  REQUIRE(result.worst.size() == 2);
  CHECK(result.worst[0].index == std::vector<int64_t>{3});
  CHECK(result.worst[0].actual == 8);
  CHECK(result.worst[0].expected == 4);
  CHECK(result.worst[1].index == std::vector<int64_t>{1});
}

TEST_CASE("the smallest tolerances are just enough", "[compare]") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Tensor expected =
        generateTensor(DType::Float32, {40}, {Distribution::Normal}, seed);
    Tensor actual(DType::Float32, {40});
    for (int64_t i = 0; i < 40; ++i)
      actual.set(i, expected.at(i) * (1 + 1e-3 * double(i % 7)));
    CompareResult result = compareTensors(actual, expected, {});
    REQUIRE(!result.passed);
    double atol = result.smallestAtol, rtol = result.smallestRtol;
    REQUIRE(compareTensors(actual, expected, {atol, 0, {}}).passed);
    REQUIRE(compareTensors(actual, expected, {0, rtol, {}}).passed);
    double less = 1 - 1e-12;
    REQUIRE(!compareTensors(actual, expected, {atol * less, 0, {}}).passed);
    REQUIRE(!compareTensors(actual, expected, {0, rtol * less, {}}).passed);
  }
}

TEST_CASE("no relative tolerance excuses an error where zero is expected",
          "[compare]") {
  CompareResult result = compareFloats({1e-30}, {0}, {0, 1e9, {}});
  CHECK(!result.passed);
  CHECK(result.smallestRtol == inf);
  CHECK(result.smallestAtol == Approx(1e-30).epsilon(1e-6));
}

TEST_CASE("NaN and infinity match by position and sign", "[compare]") {
  CHECK(compareFloats({quietNaN, inf, -inf}, {quietNaN, inf, -inf}).passed);
  for (auto [actual, expected] :
       {std::pair(quietNaN, 1.0), std::pair(1.0, quietNaN),
        std::pair(inf, -inf), std::pair(inf, quietNaN), std::pair(inf, 3e38),
        std::pair(3e38, inf)}) {
    CompareResult result =
        compareFloats({1, actual}, {1, expected}, {1e300, 1e300, 1000});
    CHECK(!result.passed);
    CHECK(result.mismatches == 1);
    CHECK(result.smallestAtol == inf);
    REQUIRE(result.worst.size() == 1);
    CHECK(result.worst[0].index == std::vector<int64_t>{1});
  }
}

TEST_CASE("NaNs and infinities are counted on each side", "[compare]") {
  CompareResult result = compareFloats({quietNaN, quietNaN, inf, 1, 2},
                                       {quietNaN, 0, inf, -inf, 2.5});
  CHECK(result.nanActual == 2);
  CHECK(result.nanExpected == 1);
  CHECK(result.infActual == 1);
  CHECK(result.infExpected == 2);
  CHECK(result.mismatches == 3);
  CHECK(result.maxAbs == inf);
  CHECK(result.meanAbs == 0.5); // of the one finite pair
  CHECK(result.p99Abs == 0.5);
}

TEST_CASE("distances count representable values of the element type",
          "[compare]") {
  CHECK(compareFloats({std::nextafter(1.0f, 2.0f)}, {1}).maxUlp == 1);
  float tiny = std::numeric_limits<float>::denorm_min();
  CHECK(compareFloats({tiny}, {-tiny}).maxUlp == 2);
  auto distance = [](DType dtype, double actual, double expected) {
    return compareTensors(vectorOf(dtype, {actual}),
                          vectorOf(dtype, {expected}), {})
        .maxUlp;
  };
  CHECK(distance(DType::Float16, 1 + 3 * 0x1p-10, 1) == 3);
  CHECK(distance(DType::BFloat16, 1 + 3 * 0x1p-7, 1) == 3);
  CHECK(distance(DType::Float64, 1 + 3 * 0x1p-52, 1) == 3);
  CHECK(distance(DType::Float64, 1e308, -1e308) ==
        std::numeric_limits<int64_t>::max());
  CHECK(distance(DType::Int32, 7, 4) == 3);
}

TEST_CASE("small floats compare by value and count their own numbers",
          "[compare]") {
  Tensor actual = vectorOf(DType::Float8E4M3FN, {1, 448, -0.0, std::nan("")});
  Tensor expected = vectorOf(DType::Float8E4M3FN, {1.25, 384, 0, std::nan("")});
  CompareResult result = compareTensors(actual, expected, {0, 0.2, {}});
  CHECK(result.passed);
  CHECK(result.maxUlp == 2);
  CHECK(result.maxAbs == 64);
  CHECK(!compareTensors(actual, expected, {0, 0, 1}).passed);
  CHECK(compareTensors(actual, expected, {0, 0, 2}).passed);
  CompareResult powers =
      compareTensors(vectorOf(DType::Float8E8M0, {4}),
                     vectorOf(DType::Float8E8M0, {32}), {0, 0, {}});
  CHECK(powers.maxUlp == 3);
  CompareResult fours = compareTensors(vectorOf(DType::Int4, {-8, 7}),
                                       vectorOf(DType::Int4, {-8, 6}), {});
  CHECK(fours.mismatches == 1);
}

TEST_CASE("a small float is right when the reference rounds to it",
          "[compare]") {
  Tensor actual = vectorOf(DType::Float8E5M2, {1, 1.25, 57344});
  auto judge = [&](std::initializer_list<double> expected) {
    return compareTensors(actual, vectorOf(DType::Float64, expected),
                          builtInTolerance(DType::Float8E5M2))
        .passed;
  };
  CHECK(judge({1.1, 1.2, 1e9})); // the last one saturates
  CHECK(!judge({1.1, 1.4, 1e9}));
  CHECK(!judge({1.1, 1.2, 40000}));
}

TEST_CASE("being within some ULP is enough", "[compare]") {
  float next = std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f);
  CHECK(compareFloats({next}, {1}, {0, 0, 2}).passed);
  CHECK(!compareFloats({next}, {1}, {0, 0, 1}).passed);
  CHECK(compareFloats({next}, {1}, {1e-3, 0, 1}).passed);
  CHECK(compareFloats({1e-42}, {0}, {0, 0, 1000}).passed);
}

TEST_CASE("integers compare exactly, to the last bit of 64", "[compare]") {
  Tensor actual(DType::Int64, {2}), expected(DType::Int64, {2});
  actual.as<int64_t>()[0] = expected.as<int64_t>()[0] = 5;
  actual.as<int64_t>()[1] = (int64_t(1) << 60) + 1;
  expected.as<int64_t>()[1] = int64_t(1) << 60;
  CompareResult result = compareTensors(actual, expected, {});
  CHECK(!result.passed);
  CHECK(result.mismatches == 1);
  CHECK(result.maxAbs == 1);
  CHECK(compareTensors(actual, expected, {1, 0, {}}).passed);

  Tensor large(DType::UInt64, {1}), small(DType::Int64, {1});
  large.as<uint64_t>()[0] = std::numeric_limits<uint64_t>::max();
  small.as<int64_t>()[0] = -1; // the same bits, another number
  CHECK(compareTensors(large, small, {}).maxAbs == 0x1p64);
  CHECK(compareTensors(large, small, {}).maxUlp ==
        std::numeric_limits<int64_t>::max());
}

TEST_CASE("bool compares exactly", "[compare]") {
  CHECK(compareTensors(vectorOf(DType::Bool, {1, 0}),
                       vectorOf(DType::Bool, {1, 0}), {})
            .passed);
  CHECK(compareTensors(vectorOf(DType::Bool, {1, 0}),
                       vectorOf(DType::Bool, {1, 1}), {})
            .mismatches == 1);
}

TEST_CASE("a wider reference is compared in the result's type", "[compare]") {
  Tensor third = vectorOf(DType::Float32, {1.0 / 3});
  Tensor exact = vectorOf(DType::Float64, {1.0 / 3});
  CompareResult result = compareTensors(third, exact, {0, 0, 0});
  CHECK(result.passed); // zero ULP in float32
  CHECK(result.maxUlp == 0);
  CHECK(result.maxAbs > 0);
  // What overflows in the narrow type is right to be infinite there.
  CHECK(compareTensors(vectorOf(DType::Float16, {inf, -inf, 1}),
                       vectorOf(DType::Float64, {1e6, -1e6, 1}), {})
            .passed);
  CHECK(!compareTensors(vectorOf(DType::Float16, {inf}),
                        vectorOf(DType::Float64, {60000}), {})
             .passed);
}

TEST_CASE("an integer against a float compares by value", "[compare]") {
  CHECK(compareTensors(vectorOf(DType::Int32, {3, -4}),
                       vectorOf(DType::Float64, {3, -4}), {})
            .passed);
  CHECK(compareTensors(vectorOf(DType::Float32, {3}),
                       vectorOf(DType::Int64, {4}), {})
            .maxAbs == 1);
}

TEST_CASE("different shapes are a mismatch with both named", "[compare]") {
  CompareResult result =
      compareTensors(tensorOf(DType::Float32, {1, 2}, {1, 2}),
                     vectorOf(DType::Float32, {1, 2}), {1e9, 0, {}});
  CHECK(!result.passed);
  CHECK(result.mismatch == "shape 1x2 differs from the expected 2");
  CHECK(compareTensors(tensorOf(DType::Float32, {}, {1}),
                       vectorOf(DType::Float32, {1}), {})
            .mismatch == "shape scalar differs from the expected 1");
}

TEST_CASE("tensors without elements are equal", "[compare]") {
  CompareResult result = compareTensors(Tensor(DType::Float32, {0, 3}),
                                        Tensor(DType::Float32, {0, 3}), {});
  CHECK(result.passed);
  CHECK(result.elements == 0);
}

TEST_CASE("the worst five are listed by how far they miss", "[compare]") {
  Tensor expected(DType::Float32, {4, 5}), actual(DType::Float32, {4, 5});
  for (int i = 0; i < 20; ++i) {
    expected.set(i, 1000);
    actual.set(i, 1000 + (i * 7) % 20);
  }
  // A small error on a small number misses by more.
  expected.set(19, 0);
  actual.set(19, 0.5);
  CompareResult result = compareTensors(actual, expected, {1e-3, 1e-3, {}});
  REQUIRE(result.worst.size() == 5);
  CHECK(result.worst[0].index == std::vector<int64_t>{3, 4});
  CHECK(result.worst[1].actual == 1019);
  CHECK(result.worst[2].actual == 1018);
}

TEST_CASE("p99 is exact over many blocks", "[compare]") {
  constexpr int64_t count = 54321;
  Tensor expected =
      generateTensor(DType::Float64, {count}, {Distribution::Normal}, 1);
  Tensor actual(DType::Float64, {count});
  Tensor noise =
      generateTensor(DType::Float64, {count}, {Distribution::Normal}, 2);
  std::vector<double> absolute, relative;
  for (int64_t i = 0; i < count; ++i) {
    actual.set(i, expected.at(i) + noise.at(i));
    double error = std::fabs(actual.at(i) - expected.at(i));
    absolute.push_back(error);
    relative.push_back(error / std::fabs(expected.at(i)));
  }
  std::sort(absolute.begin(), absolute.end());
  std::sort(relative.begin(), relative.end());
  auto rank = size_t(std::ceil(0.99 * count)) - 1;
  CompareResult result = compareTensors(actual, expected, {});
  CHECK(result.p99Abs == absolute[rank]);
  CHECK(result.p99Rel == relative[rank]);
  CHECK(result.maxAbs == absolute.back());
  CHECK(result.maxRel == relative.back());
}

TEST_CASE("p99 of mostly equal tensors is zero", "[compare]") {
  Tensor expected(DType::Float32, {1000}), actual(DType::Float32, {1000});
  for (int i = 0; i < 1000; ++i) {
    expected.set(i, 1);
    actual.set(i, i < 9 ? 2 : 1);
  }
  CompareResult result = compareTensors(actual, expected, {});
  CHECK(result.p99Abs == 0);
  CHECK(result.maxAbs == 1);
}

TEST_CASE("very large and very small numbers keep their angle", "[compare]") {
  for (double scale : {1e300, 1e-300, 5e-324}) {
    CompareResult result =
        compareTensors(vectorOf(DType::Float64, {4 * scale, 0}),
                       vectorOf(DType::Float64, {3 * scale, 3 * scale}), {});
    CHECK(result.cosine == Approx(std::sqrt(0.5)));
    CHECK(result.relativeL2 == Approx(std::sqrt(10.0 / 18)));
  }
}

TEST_CASE("an output of zeros where none was expected has no angle",
          "[compare]") {
  CompareResult result = compareFloats({0, 0}, {3, 4});
  CHECK(result.cosine == 0);
  CHECK(result.relativeL2 == 1);
}

TEST_CASE("built-in tolerances catch an error of five percent", "[compare]") {
  for (DType dtype :
       {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    Tensor expected = vectorOf(dtype, {1, -3, 100});
    CHECK(!compareTensors(vectorOf(dtype, {1.05, -3.15, 105}), expected,
                          builtInTolerance(dtype))
               .passed);
    CHECK(compareTensors(vectorOf(dtype, {1, -3, 100}), expected,
                         builtInTolerance(dtype))
              .passed);
  }
  for (DType dtype : {DType::Bool, DType::Int8, DType::UInt64}) {
    Tolerance tolerance = builtInTolerance(dtype);
    CHECK(tolerance.atol == 0);
    CHECK(tolerance.rtol == 0);
  }
}

static CompareResult compareBounded(std::initializer_list<double> actual,
                                    std::initializer_list<double> expected,
                                    std::initializer_list<double> allowed) {
  Tensor bounds = vectorOf(DType::Float64, allowed);
  Tensor a = vectorOf(DType::Float32, actual);
  Tensor e = vectorOf(DType::Float64, expected);
  CompareResult result = compareTensors(a, e, {1e9, 1e9, {}}, &bounds);
  CHECK(withinTolerance(a, e, {1e9, 1e9, {}}, &bounds) == result.passed);
  return result;
}

TEST_CASE("bounds replace the tolerance, element by element", "[compare]") {
  CompareResult result =
      compareBounded({1.5, 2.25, 3}, {1, 2, 3}, {0.5, 0.125, 0});
  CHECK(!result.passed);
  CHECK(result.mismatches == 1);
  CHECK(result.worstShare == 2);
  REQUIRE(result.worst.size() == 2);
  CHECK(result.worst[0].index == std::vector<int64_t>{1});
  CHECK(result.worst[0].share == 2);
  CHECK(result.worst[1].share == 1);
  CHECK(compareBounded({1.5, 2.25, 3}, {1, 2, 3}, {0.5, 0.25, 0}).passed);
}

TEST_CASE("an element whose bound is not finite is left unjudged",
          "[compare]") {
  CompareResult result = compareBounded({7, quietNaN, inf, 1}, {1, 2, 3, 1},
                                        {inf, quietNaN, inf, 0});
  CHECK(result.passed);
  CHECK(result.unbounded == 3);
  CHECK(result.worst.empty());
  CHECK(result.ulpHistogram.back() == 2);
  // Also where no number is expected: an overflow that may or may not happen.
  for (auto [actual, expected] :
       {std::pair(1.0, inf), std::pair(1.0, 1e300), std::pair(inf, -inf),
        std::pair(1.0, quietNaN), std::pair(inf, quietNaN)}) {
    CHECK(compareBounded({actual}, {expected}, {inf}).passed);
    CHECK(compareBounded({actual}, {expected}, {inf}).unbounded == 1);
    CHECK(!compareBounded({actual}, {expected}, {0}).passed);
  }
  CHECK(compareBounded({inf, quietNaN}, {1e300, quietNaN}, {0, 0}).passed);
  // A finite bound excuses no special.
  CHECK(!compareBounded({inf}, {1}, {1e300}).passed);
}

TEST_CASE("distances are counted by powers of two", "[compare]") {
  CHECK(ulpBucketOf(0) == 0);
  CHECK(ulpBucketOf(1) == 1);
  CHECK(ulpBucketOf(2) == 2);
  CHECK(ulpBucketOf(3) == 3);
  CHECK(ulpBucketOf(4) == 3);
  CHECK(ulpBucketOf(5) == 4);
  CHECK(ulpBucketOf(1 << 15) == ulpBuckets - 3);
  CHECK(ulpBucketOf((1 << 15) + 1) == ulpBuckets - 2);
  CHECK(ulpBucketOf(std::numeric_limits<int64_t>::max()) == ulpBuckets - 2);
  CompareResult result =
      compareTensors(vectorOf(DType::Int8, {1, 2, 3, 9, 100}),
                     vectorOf(DType::Int8, {1, 3, 2, 5, -100}), {});
  CHECK(result.offByOne() == 2);
  CHECK(result.ulpHistogram[0] == 1);
  CHECK(result.ulpHistogram[3] == 1);
  CHECK(result.ulpHistogram[9] == 1);
  CHECK(result.maxUlp == 200);
}

TEST_CASE("root mean squares, range, noise and denormals", "[compare]") {
  CompareResult result =
      compareFloats({3, -4, 1e-40f, 0, quietNaN}, {4, -1, 0, 1e-45f, 8});
  CHECK(result.rmsAbs == Approx(std::sqrt(10.0 / 4)));
  CHECK(result.rmsExpected == Approx(std::sqrt(17.0 / 4)));
  CHECK(result.minExpected == -1);
  CHECK(result.maxExpected == 4);
  CHECK(result.denormalActual == 1);
  CHECK(result.denormalExpected == 1);
  CHECK(result.psnr() == Approx(20 * std::log10(5 / result.rmsAbs)));
  CHECK(compareFloats({1, 2}, {1, 2}).psnr() == inf);
  CHECK(compareFloats({2, 2}, {2, 2}).psnr() == inf);
}

/// Elements around each other in every type, in both roles.
static Tensor spread(DType dtype, int64_t count, uint64_t seed) {
  Tensor tensor = generateTensor(dtype, {count}, {Distribution::Normal}, seed);
  static constexpr double factors[] = {1, 1e-3, 1e-6, 40, 1e5, 1e-40};
  for (int64_t i = 0; i < count; ++i)
    tensor.set(i, tensor.at(i) * factors[i % 6]);
  return tensor;
}

/// What `value` is in `dtype`, where small floats saturate.
static double storedAs(DType dtype, double value) {
  return vectorOf(dtype, {value}).at(0);
}

TEST_CASE("distances of every float type are those of single elements",
          "[compare]") {
  for (DType dtype : allTypes) {
    if (!isFloat(dtype) && !isSmallFloat(dtype))
      continue;
    for (DType other : {dtype, DType::Float64}) {
      Tensor actual = spread(dtype, 600, 1), expected = spread(other, 600, 2);
      UlpHistogram histogram = {};
      for (int64_t i = 0; i < 600; ++i) {
        if (!std::isfinite(actual.at(i)))
          actual.set(i, 2);
        if (!std::isfinite(storedAs(dtype, expected.at(i))))
          expected.set(i, 2);
        // A float64's ordinals may differ by more than 63 bits hold.
        double distance = std::fabs(double(ordinalIn(dtype, actual.at(i))) -
                                    double(ordinalIn(dtype, expected.at(i))));
        ++histogram[ulpBucketOf(int64_t(std::min(distance, 0x1p62)))];
      }
      INFO(dtypeName(dtype).str() << " against " << dtypeName(other).str());
      CHECK(compareTensors(actual, expected, {}).ulpHistogram == histogram);
    }
  }
}

TEST_CASE("the quick verdict is that of the statistics", "[compare]") {
  for (DType dtype : allTypes)
    for (DType other : {dtype, DType::Float64, DType::Int64})
      for (const Tolerance &tolerance :
           {Tolerance{}, Tolerance{0.5, 0.1, {}}, Tolerance{1e6, 0, {}},
            Tolerance{0, 0, 1}, Tolerance{0, 0, 1 << 30},
            Tolerance{1e300, 1e300, {}}}) {
        Tensor actual = spread(dtype, 700, 1), expected = spread(other, 700, 1);
        INFO(dtypeName(dtype).str() << " against " << dtypeName(other).str());
        for (int64_t position : {0, 511, 512, 699}) {
          actual.set(position, actual.at(position) + 1);
          CHECK(withinTolerance(actual, expected, tolerance) ==
                compareTensors(actual, expected, tolerance).passed);
        }
      }
}

TEST_CASE("specials in any place leave the other statistics alone",
          "[compare]") {
  Tensor actual = spread(DType::Float32, 1500, 1);
  Tensor expected = spread(DType::Float32, 1500, 1);
  for (int64_t i : {3, 700, 1400})
    actual.set(i, expected.at(i) + 1 + double(i));
  CompareResult before = compareTensors(actual, expected, {});
  for (int64_t i : {0, 2, 511, 512, 699, 1399, 1499}) {
    actual.set(i, i % 2 ? quietNaN : inf);
    expected.set(i, i % 2 ? quietNaN : inf);
  }
  CompareResult after = compareTensors(actual, expected, {});
  CHECK(after.maxAbs == before.maxAbs);
  CHECK(after.mismatches == before.mismatches);
  REQUIRE(after.worst.size() == 3);
  for (size_t i = 0; i < 3; ++i)
    CHECK(after.worst[i].index == before.worst[i].index);
  CHECK(after.nanActual == 4);
  CHECK(after.infExpected == 3);
  CHECK(withinTolerance(actual, expected, {2000, 0, {}}));
}

TEST_CASE("p99 of a great many is within half a percent", "[compare]") {
  constexpr int64_t count = 2000000; // more than are kept one by one
  for (bool ascending : {false, true}) {
    Tensor expected(DType::Float32, {count}), actual(DType::Float32, {count});
    for (int64_t i = 0; i < count; ++i) {
      expected.as<float>()[i] = 0;
      int64_t value = ascending ? i : i * 1234567 % count;
      actual.as<float>()[i] = float(value);
    }
    CompareResult result = compareTensors(actual, expected, {});
    CHECK(result.p99Abs == Approx(0.99 * count).epsilon(0.004));
    CHECK(result.maxAbs == count - 1);
  }
}
