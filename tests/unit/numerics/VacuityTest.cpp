// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which comparisons are found to say nothing.
#include "core/numerics/Vacuity.h"
#include "TestSupport.h"
#include "core/numerics/Generate.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace lh;

static constexpr double infinite = std::numeric_limits<double>::infinity();

static std::vector<Vacuity> kindsOf(const Tensor &expected,
                                    const Tolerance &tolerance,
                                    const Tensor *bounds = nullptr) {
  std::vector<Vacuity> kinds;
  for (const VacuityFinding &finding :
       findVacuity(expected, expected.dtype(), tolerance, bounds)) {
    CHECK(!finding.words.empty());
    kinds.push_back(finding.kind);
  }
  return kinds;
}

static std::vector<Vacuity> kindsOf(std::initializer_list<double> expected,
                                    const Tolerance &tolerance) {
  return kindsOf(vectorOf(DType::Float32, expected), tolerance);
}

using Kinds = std::vector<Vacuity>;

TEST_CASE("a tolerance wider than the output lets zeros pass", "[vacuity]") {
  CHECK(kindsOf({1, -2, 3}, {3, 0, {}}) == Kinds{Vacuity::Zeros});
  CHECK(kindsOf({1, -2, 3}, {0, 1, {}}) == Kinds{Vacuity::Zeros});
  CHECK(kindsOf({1, -2, 3}, {1.9, 0, {}}).empty());
  // One element suffices.
  CHECK(kindsOf({1e-7}, {1e-5, 0, {}}) == Kinds{Vacuity::Zeros});
  CHECK(kindsOf({1e-3}, {1e-5, 0, {}}).empty());
  // Zeros would not pass where a special is expected.
  CHECK(kindsOf({1, infinite, 3}, {5, 0, {}}).empty());
}

TEST_CASE("values closer than the tolerance let a constant pass", "[vacuity]") {
  CHECK(kindsOf({100, 101, 102}, {1, 0, {}}) == Kinds{Vacuity::Constant});
  CHECK(kindsOf({100, 101, 102}, {0.9, 0, {}}).empty());
  CHECK(kindsOf({100, 101, 102}, {0, 0.02, {}}) == Kinds{Vacuity::Constant});
  auto findings = findVacuity(vectorOf(DType::Float32, {100, 102}),
                              DType::Float32, {1, 0, {}});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].words == "an output of 101 everywhere would pass");
  // One that the type can't hold doesn't count.
  CHECK(kindsOf(vectorOf(DType::Int8, {3, 4}), {0.5, 0, {}}).empty());
  CHECK(kindsOf(vectorOf(DType::Int8, {3, 5}), {1, 0, {}}) ==
        Kinds{Vacuity::Constant});
}

TEST_CASE("distances in representable values may excuse a constant",
          "[vacuity]") {
  Tensor expected = vectorOf(DType::Float8E4M3FN, {1, 1.125, 1.25});
  CHECK(kindsOf(expected, {0, 0, 1}) == Kinds{Vacuity::Constant});
  CHECK(kindsOf(expected, {0, 0, 0}).empty());
}

TEST_CASE("neighbours that may be exchanged let another order pass",
          "[vacuity]") {
  Tensor expected = vectorOf(DType::Float32, {0, 0.25, 10, 10.25});
  int shuffled = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    auto findings =
        findVacuity(expected, DType::Float32, {0.25, 0, {}}, nullptr, seed);
    REQUIRE(findings.size() <= 1);
    for (const VacuityFinding &finding : findings)
      REQUIRE(finding.kind == Vacuity::Shuffled);
    shuffled += !findings.empty();
    CHECK(findVacuity(expected, DType::Float32, {0.2, 0, {}}, nullptr, seed)
              .empty());
  }
  CHECK(shuffled > 0);
  CHECK(shuffled < 100); // most orders are noticed
}

TEST_CASE("a shuffle that changes nothing is no finding", "[vacuity]") {
  Tensor mask(DType::Bool, {1000});
  for (int i = 0; i < 1000; ++i)
    mask.set(i, i == 500);
  CHECK(kindsOf(mask, {}).empty());
  CHECK(kindsOf({1, 2}, {}).empty());
}

TEST_CASE("expected values that are all the same say little", "[vacuity]") {
  CHECK(kindsOf({0, 0, -0.0}, {1e-5, 0, {}}) ==
        Kinds{Vacuity::ConstantExpected});
  CHECK(kindsOf({3, 3, 3}, {1e-5, 0, {}}) == Kinds{Vacuity::ConstantExpected});
  double nan = std::nan("");
  CHECK(kindsOf({nan, nan}, {}) == Kinds{Vacuity::ConstantExpected});
  CHECK(kindsOf(vectorOf(DType::Int8, {7, 7}), {}) ==
        Kinds{Vacuity::ConstantExpected});
  // Both: too wide a tolerance for a constant.
  CHECK(kindsOf({3, 3, 3}, {3, 0, {}}) ==
        Kinds{Vacuity::Zeros, Vacuity::ConstantExpected});
}

TEST_CASE("masks, indices and single elements may be constant", "[vacuity]") {
  CHECK(kindsOf(vectorOf(DType::Bool, {0, 0, 0}), {}).empty());
  CHECK(kindsOf(vectorOf(DType::Int32, {0, 0, 0}), {}).empty());
  CHECK(kindsOf(vectorOf(DType::Int64, {2, 2, 2}), {}).empty());
  CHECK(kindsOf({5}, {1e-5, 1e-3, {}}).empty());
  CHECK(kindsOf({0}, {1e-5, 1e-3, {}}).empty());
  CHECK(kindsOf(Tensor(DType::Float32, {0, 4}), {1, 1, {}}).empty());
}

TEST_CASE("bounds that are nowhere finite judge nothing", "[vacuity]") {
  Tensor expected = vectorOf(DType::Float32, {1, 2});
  Tensor none = vectorOf(DType::Float64, {infinite, std::nan("")});
  CHECK(kindsOf(expected, {}, &none) == Kinds{Vacuity::Unjudged});
  Tensor one = vectorOf(DType::Float64, {infinite, 0.5});
  CHECK(kindsOf(expected, {}, &one) == Kinds{Vacuity::Constant});
  Tensor wide = vectorOf(DType::Float64, {1, 2});
  CHECK(kindsOf(expected, {}, &wide) == Kinds{Vacuity::Zeros});
  Tensor tight = vectorOf(DType::Float64, {0.4, 0.4});
  CHECK(kindsOf(expected, {}, &tight).empty());
}

TEST_CASE("a softmax of equal logits is uniform", "[vacuity]") {
  Tolerance tight{1e-6, 1e-6, {}};
  CHECK(kindsOf(tensorOf(DType::Float32, {2, 2}, {0.501, 0.499, 0.5, 0.5}),
                tight) == Kinds{Vacuity::UniformRows});
  CHECK(kindsOf(tensorOf(DType::Float16, {1, 4}, {0.25, 0.25, 0.25, 0.25}),
                tight) == Kinds{Vacuity::UniformRows});
  // One row with information is enough; so is a sum that isn't 1.
  CHECK(kindsOf(tensorOf(DType::Float32, {2, 2}, {0.5, 0.5, 0.7, 0.3}), tight)
            .empty());
  CHECK(
      kindsOf(tensorOf(DType::Float32, {1, 2}, {0.504, 0.503}), tight).empty());
}

TEST_CASE("random results with the built-in tolerances are no finding",
          "[vacuity]") {
  for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float32,
                      DType::Float64, DType::Int8, DType::Int32, DType::Bool,
                      DType::Float8E4M3FN, DType::Float8E5M2})
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Tensor expected = generateTensor(dtype, {3, 7}, {}, seed);
      CHECK(kindsOf(expected, builtInTolerance(dtype)).empty());
    }
}

TEST_CASE("every block of a large tensor counts", "[vacuity]") {
  Tensor expected(DType::Float32, {20000});
  for (int i = 0; i < 20000; ++i)
    expected.set(i, 1e-7);
  expected.set(19999, 1);
  CHECK(kindsOf(expected, {1e-5, 0, {}}).empty());
  expected.set(19999, 1e-6);
  CHECK(kindsOf(expected, {1e-5, 0, {}}) == Kinds{Vacuity::Zeros});
}
