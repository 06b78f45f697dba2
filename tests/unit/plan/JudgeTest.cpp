// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which criterion decides about an output, and what each lets through.
#include "core/plan/Judge.h"

#include "core/numerics/Winograd.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

Tensor shaped(DType dtype, std::vector<int64_t> shape,
              const std::vector<double> &values) {
  Tensor tensor(dtype, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<int64_t>(i), values[i]);
  return tensor;
}

Tensor vectorOf(DType dtype, const std::vector<double> &values) {
  return shaped(dtype, {static_cast<int64_t>(values.size())}, values);
}

/// Eight rows of these values: few elements are judged more kindly.
Tensor tensorOf(DType dtype, const std::vector<double> &values) {
  std::vector<double> all;
  for (int i = 0; i < 8; ++i)
    all.insert(all.end(), values.begin(), values.end());
  return shaped(dtype, {8, static_cast<int64_t>(values.size())}, all);
}

const Tensor expected = tensorOf(DType::Float64, {1, -2, 3, -4});
const Tensor near = tensorOf(DType::Float32, {1, -2, 3, -4 - 1e-5});
const Tensor bounds = tensorOf(DType::Float64, {0, 0, 0, 2e-5});
/// Off by 1e-5 in its worst element, as a correct f32 result might be.
const Tensor plain = tensorOf(DType::Float32, {1 + 1e-5, -2, 3, -4});

} // namespace

TEST_CASE("auto takes the strongest criterion at hand", "[judge]") {
  Evidence evidence{near, expected};
  evidence.mode = OracleMode::Auto;
  evidence.tolerance = {1e-3, 0, std::nullopt};
  CHECK(judge(evidence).criterion == Criterion::Tolerance);
  evidence.plain = &plain;
  CHECK(judge(evidence).criterion == Criterion::Ratio);
  evidence.bounds = &bounds;
  CHECK(judge(evidence).criterion == Criterion::Bound);
  CHECK(judge(evidence).result.passed);
  evidence.isExactSet = true;
  Judgement exact = judge(evidence);
  CHECK(exact.criterion == Criterion::Exact);
  CHECK_FALSE(exact.result.passed);
}

TEST_CASE("within its bounds a result can still be worse than need be",
          "[judge]") {
  Tensor wide = tensorOf(DType::Float64, {1e-3, 1e-3, 1e-3, 1e-3});
  Tensor off = tensorOf(DType::Float32, {1 + 5e-5, -2, 3, -4});
  Evidence evidence{off, expected};
  evidence.mode = OracleMode::Auto;
  evidence.bounds = &wide;
  CHECK(judge(evidence).result.passed);
  evidence.plain = &plain;
  Judgement judgement = judge(evidence);
  CHECK(judgement.criterion == Criterion::Ratio);
  CHECK_FALSE(judgement.result.passed);
  evidence.mode = OracleMode::Bound;
  CHECK(judge(evidence).result.passed);
}

TEST_CASE("a declared algorithm need not be exact on exact data", "[judge]") {
  Evidence evidence{near, expected};
  evidence.mode = OracleMode::Auto;
  evidence.isExactSet = true;
  evidence.bounds = &bounds;
  CHECK_FALSE(judge(evidence).result.passed);
  evidence.numerics.reassociate = {true, {}};
  CHECK_FALSE(judge(evidence).result.passed);
  // No function is among what is exact.
  evidence.numerics.ulp = Located<int64_t>{5, {}};
  CHECK_FALSE(judge(evidence).result.passed);
  evidence.numerics.winograd = {WinogradDecl{4, 3}, {}};
  CHECK(judge(evidence).result.passed);
}

TEST_CASE("a bound holds for its own element only", "[judge]") {
  Tensor elsewhere = tensorOf(DType::Float32, {1 + 1e-5, -2, 3, -4});
  Evidence evidence{elsewhere, expected};
  evidence.mode = OracleMode::Bound;
  evidence.bounds = &bounds;
  CHECK_FALSE(judge(evidence).result.passed);
}

TEST_CASE("a demanded criterion that can't be had compares nothing",
          "[judge]") {
  Evidence evidence{near, expected};
  evidence.mode = OracleMode::Bound;
  CHECK_THAT(judge(evidence).inapplicable, Catch::Contains("no bound"));
  evidence.mode = OracleMode::Ratio;
  CHECK_THAT(judge(evidence).inapplicable, Catch::Contains("no plain result"));
}

TEST_CASE("integers without a bound must be equal", "[judge]") {
  Tensor three = tensorOf(DType::Int32, {3}),
         four = tensorOf(DType::Int32, {4});
  Evidence evidence{three, four};
  evidence.mode = OracleMode::Bound;
  Judgement judgement = judge(evidence);
  CHECK(judgement.criterion == Criterion::Exact);
  CHECK_FALSE(judgement.result.passed);
}

/// By the error of the plain lowering, whose result is `plainly`.
static Judgement judgeRatio(const Tensor &actual, const Tensor &exact,
                            const Tensor &plainly) {
  Evidence evidence{actual, exact};
  evidence.mode = OracleMode::Ratio;
  evidence.plain = &plainly;
  return judge(evidence);
}

TEST_CASE("ratio allows twice the plain lowering's error", "[judge]") {
  auto passes = [](double error) {
    Tensor actual = tensorOf(DType::Float32, {1, -2, 3 + error, -4});
    return judgeRatio(actual, expected, plain).result.passed;
  };
  CHECK(passes(1.9e-5));
  CHECK_FALSE(passes(2.4e-5));
}

TEST_CASE("results in f64 have no ratio", "[judge]") {
  // Another order of summation is not worse than the oracle's own.
  Tensor wide = tensorOf(DType::Float64, {1, -2, 3, -4});
  Tensor reordered = tensorOf(DType::Float64, {1 + 1e-14, -2, 3, -4});
  Evidence evidence{reordered, wide};
  evidence.plain = &wide;
  evidence.tolerance = {1e-12, 0, std::nullopt};
  CHECK(judge(evidence).criterion == Criterion::Tolerance);
  CHECK(judge(evidence).result.passed);
  evidence.mode = OracleMode::Ratio;
  CHECK_FALSE(judge(evidence).inapplicable.empty());
}

TEST_CASE("ratio sees an error that is everywhere", "[judge]") {
  // None is further off than the plain lowering's worst, all are as far.
  Tensor actual =
      tensorOf(DType::Float32, {1 + 1e-5, -2 - 1e-5, 3 + 1e-5, -4 - 1e-5});
  Tensor wide = tensorOf(DType::Float64, {1, -2, 3, -4});
  Tensor once = tensorOf(DType::Float32, {1 + 1e-5, -2, 3, -4});
  // Four times the square, twice the root.
  CHECK(judgeRatio(actual, wide, once).result.passed);
  Tensor worse =
      tensorOf(DType::Float32, {1 + 2e-5, -2 - 2e-5, 3 + 2e-5, -4 - 2e-5});
  Judgement judgement = judgeRatio(worse, wide, once);
  CHECK_FALSE(judgement.result.passed);
  CHECK_THAT(judgement.reason, Catch::Contains("root mean square"));
}

TEST_CASE("few elements may be right by chance", "[judge]") {
  Tensor wide = vectorOf(DType::Float64, {1});
  Tensor lucky = vectorOf(DType::Float32, {1 + 1e-6});
  auto passes = [&](double error) {
    Tensor actual = vectorOf(DType::Float32, {1 + error});
    return judgeRatio(actual, wide, lucky).result.passed;
  };
  CHECK(passes(1e-5));
  CHECK_FALSE(passes(1e-4));
}

TEST_CASE("few far larger elements may be right by chance", "[judge]") {
  // 64 elements, the last of which is as large as `size`.
  auto passes = [](double size) {
    std::vector<double> exact(64, 1), once, thrice;
    exact.back() = size;
    for (size_t i = 0; i < exact.size(); ++i) {
      double error = exact[i] * (i % 2 ? 1e-5 : -1e-5);
      once.push_back(exact[i] + error);
      thrice.push_back(exact[i] + (i + 1 < exact.size() ? 1 : 3) * error);
    }
    Tensor wide = vectorOf(DType::Float64, exact);
    Tensor plainly = vectorOf(DType::Float32, once);
    Tensor actual = vectorOf(DType::Float32, thrice);
    return judgeRatio(actual, wide, plainly).result.passed;
  };
  CHECK_FALSE(passes(1));
  CHECK(passes(0x1p30));
}

TEST_CASE("an error that the elements of a row share counts once", "[judge]") {
  // Two rows; `sign` gives the sign of each element's error.
  auto passes = [](auto sign) {
    Tensor exact(DType::Float64, {2, 64}), once(DType::Float32, {2, 64}),
        thrice(DType::Float32, {2, 64});
    for (int64_t i = 0; i < exact.elementCount(); ++i) {
      double value = i % 3 ? 1 : -1, error = 1e-5 * sign(i, value);
      exact.set(i, value);
      once.set(i, value + error);
      thrice.set(i, value + 3 * error);
    }
    return judgeRatio(thrice, exact, once).result.passed;
  };
  CHECK_FALSE(passes([](int64_t i, double) { return i % 2 ? 1 : -1; }));
  CHECK(passes([](int64_t i, double) { return i < 64 ? 1 : -1; }));
  CHECK(
      passes([](int64_t i, double value) { return i < 64 ? value : -value; }));
}

TEST_CASE("what is declared widens the ratio", "[judge]") {
  Tensor actual = tensorOf(DType::Float32, {1, -2, 3 + 3e-4, -4});
  Evidence evidence{actual, expected};
  evidence.mode = OracleMode::Ratio;
  evidence.plain = &plain;
  CHECK_FALSE(judge(evidence).result.passed);
  evidence.numerics.winograd = {WinogradDecl{4, 3}, {}};
  CHECK(judge(evidence).result.passed);
}

TEST_CASE("quantised results may differ by a step", "[judge]") {
  Tensor wanted = tensorOf(DType::Int8, {1, 2, 3, 100});
  auto passes = [&](double last) {
    Tensor actual = tensorOf(DType::Int8, {1, 2, 3, last});
    return judgeRatio(actual, wanted, wanted).result.passed;
  };
  CHECK(passes(101));
  CHECK_FALSE(passes(102));
}

TEST_CASE("a plain lowering that overflows is compared with itself",
          "[judge]") {
  Tensor wide = tensorOf(DType::Float64, {1, 3e38});
  Tensor overflown = tensorOf(DType::Float32, {1, 1e39});
  Evidence evidence{overflown, wide};
  evidence.mode = OracleMode::Ratio;
  evidence.plain = &overflown;
  evidence.tolerance = builtInTolerance(DType::Float32);
  Judgement judgement = judge(evidence);
  CHECK(judgement.criterion == Criterion::Tolerance);
  CHECK(judgement.result.passed);
}

TEST_CASE("a target that flushes may turn infinities into NaN", "[judge]") {
  Tensor wanted = tensorOf(DType::Float64, {1, -HUGE_VAL, 3, 4});
  Tensor flushed = tensorOf(DType::Float32, {1, NAN, 3, 4});
  Evidence evidence{flushed, wanted};
  CHECK_FALSE(judge(evidence).result.passed);
  evidence.numerics.flushesFactors = {true, {}};
  Judgement judgement = judge(evidence);
  CHECK(judgement.result.passed);
  CHECK_THAT(judgement.basis.back(),
             Catch::Contains("8 infinite elements are NaN"));
  // Nothing else is let pass.
  Tensor lost = tensorOf(DType::Float32, {NAN, NAN, 3, 4});
  Evidence other{lost, wanted};
  other.numerics = evidence.numerics;
  CHECK_FALSE(judge(other).result.passed);
}

TEST_CASE("positions are judged by the scores they name", "[judge]") {
  Tensor scores(DType::Float64, {2, 3});
  for (int64_t i = 0; i < 6; ++i)
    scores.set(i, std::vector<double>{1, 5, 5.001, 9, 2, 7}[size_t(i)]);
  Tensor slack(DType::Float64, {2, 3});
  for (int64_t i = 0; i < 6; ++i)
    slack.set(i, 0.01);
  auto verdict = [&](std::vector<double> positions, const Tensor *bounds) {
    Tensor actual = vectorOf(DType::Int64, positions);
    Tensor wanted = vectorOf(DType::Int64, {2, 0});
    Evidence evidence{actual, wanted};
    evidence.mode = OracleMode::Auto;
    evidence.picks.emplace(PickSource{scores, 1, bounds});
    evidence.plainScores = &scores;
    return judge(evidence);
  };
  CHECK(verdict({2, 0}, &slack).result.passed);
  CHECK(verdict({1, 0}, &slack).result.passed); // 5 and 5.001 may be equal
  CHECK_FALSE(verdict({0, 0}, &slack).result.passed);
  CHECK_FALSE(verdict({2, 3}, &slack).result.passed); // no such position
  // Without rounding there are no ties but true ones, and their order counts.
  Judgement exact = verdict({1, 0}, nullptr);
  CHECK_FALSE(exact.result.passed);
  CHECK_THAT(exact.reason, Catch::Contains("1 of 2 positions"));
}

TEST_CASE("what zeros would pass is no verification", "[judge]") {
  Evidence evidence{near, expected};
  evidence.tolerance = {10, 0, std::nullopt};
  CHECK_FALSE(judge(evidence).vacuities.empty());
}

TEST_CASE("Winograd's growth", "[winograd]") {
  // By hand from Lavin and Gray's matrices: F(2,3) and F(4,3).
  CHECK(winogradGrowth(2, 3) == Approx(5.0 / 3));
  CHECK(winogradGrowth(4, 3) == Approx(31.444).epsilon(1e-4));
  CHECK(winogradGrowth(1, 1) == 1);
}

/// `count` numbers from -1 to 1, evenly, in an order that `step` gives.
static Tensor spread(int64_t count, int64_t step, double shift = 0) {
  Tensor tensor(DType::Float32, {count});
  for (int64_t i = 0; i < count; ++i)
    tensor.set(i, 2.0 * double(i * step % count) / double(count) - 1 + shift);
  return tensor;
}

TEST_CASE("drawn numbers are judged by their distribution", "[judge]") {
  Tensor golden = spread(101, 1), other = spread(101, 7);
  Evidence evidence{other, golden};
  evidence.tolerance = {1e-3, 1e-3, std::nullopt};
  CHECK_FALSE(judge(evidence).result.passed);
  evidence.isDrawn = true;
  Judgement drawn = judge(evidence);
  CHECK(drawn.criterion == Criterion::Distribution);
  CHECK(drawn.result.passed);
  CHECK(drawn.vacuities.empty());
  // Equal numbers need no distribution.
  Evidence equal{golden, golden};
  equal.isDrawn = true;
  CHECK(judge(equal).criterion == Criterion::Tolerance);
  Tensor shifted = spread(101, 7, 1);
  Evidence wrong{shifted, golden};
  wrong.isDrawn = true;
  CHECK(StringRef(judge(wrong).reason).starts_with("the mean is"));
}

TEST_CASE("of few drawn numbers nothing is verified", "[judge]") {
  Tensor golden = vectorOf(DType::Float32, {0.25});
  Tensor far = vectorOf(DType::Float32, {0.75});
  Evidence evidence{far, golden};
  evidence.isDrawn = true;
  CHECK_FALSE(judge(evidence).result.passed);
  Tensor few = vectorOf(DType::Float64, {0.1, 0.2, 0.9}),
         others = vectorOf(DType::Float64, {0.15, 0.3, 0.8});
  Evidence pair{others, few};
  pair.isDrawn = true;
  Judgement judgement = judge(pair);
  CHECK(judgement.result.passed);
  CHECK(judgement.vacuities.size() == 1);
}
