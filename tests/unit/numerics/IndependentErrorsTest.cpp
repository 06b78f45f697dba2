// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of how many errors a result's errors are made.
#include "core/numerics/IndependentErrors.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace lh;

namespace {
constexpr int64_t rows = 3, length = 65;

/// The count where element `i` of a row, with this result and a normal number
/// of its own beside that of the row, has the error that `errorOf` gives.
template <typename Function> double countOf(Function errorOf) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Tensor expected(DType::Float64, {rows, length});
  Tensor actual(DType::Float64, {rows, length});
  for (int64_t row = 0; row < rows; ++row) {
    double common = normal(random);
    for (int64_t i = 0; i < length; ++i) {
      double result = 1 + normal(random);
      expected.set(row * length + i, result);
      actual.set(row * length + i,
                 result + 1e-6 * errorOf(result, common, normal(random)));
    }
  }
  return independentErrors(actual, expected);
}
} // namespace

TEST_CASE("each element's own error counts", "[independent-errors]") {
  double count = countOf([](double, double, double own) { return own; });
  CHECK(count > 0.7 * rows * length);
  CHECK(count <= rows * length);
}

TEST_CASE("what a row's elements share counts about once",
          "[independent-errors]") {
  CHECK(countOf([](double, double common, double) { return common; }) < 10);
  CHECK(countOf([](double result, double common, double) {
          return common * result;
        }) < 10);
  // A mean was subtracted and a deviation divided by.
  CHECK(countOf([](double result, double common, double) {
          return common * (1 - 3 * result);
        }) < 10);
  double half =
      countOf([](double, double common, double own) { return common + own; });
  CHECK(half > 4);
  CHECK(half < 100);
}

TEST_CASE("errors that are no numbers don't count", "[independent-errors]") {
  double nan = std::numeric_limits<double>::quiet_NaN();
  double count = countOf([&](double result, double, double own) {
    return result > 1 ? nan : own;
  });
  CHECK(count > 0.5 * rows * length / 2);
  CHECK(count < 0.7 * rows * length);
}

TEST_CASE("where nothing is off, each element counts", "[independent-errors]") {
  CHECK(countOf([](double, double, double) { return 0; }) == rows * length);
  Tensor scalar(DType::Float32, {}), off(DType::Float32, {});
  off.set(0, 1);
  CHECK(independentErrors(off, scalar) == 1);
  Tensor empty(DType::Float32, {4, 0});
  CHECK(independentErrors(empty, empty) == 0);
}
