// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What NonMaxSuppression may select, and what no rounding excuses.
#include "core/plan/Judge.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace lh;

namespace {

using Rows = std::vector<std::vector<double>>;

Tensor rowsOf(const Rows &rows) {
  Tensor tensor(DType::Int64, {int64_t(rows.size()), 3});
  for (size_t i = 0; i < 3 * rows.size(); ++i)
    tensor.set(int64_t(i), rows[i / 3][i % 3]);
  return tensor;
}

Tensor tensorOf(std::vector<int64_t> shape, const std::vector<double> &values) {
  Tensor tensor(DType::Float64, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(int64_t(i), values[i]);
  return tensor;
}

/// Squares of 10 x 10, each given by how far down it lies: overlaps of
/// (10 - d) / (10 + d).
Tensor squaresAt(const std::vector<double> &tops) {
  std::vector<double> values;
  for (double top : tops)
    values.insert(values.end(), {top, 0, top + 10, 10});
  return tensorOf({1, int64_t(tops.size()), 4}, values);
}

/// The fault in selecting these boxes of one image and class.
std::string faultOf(const std::vector<double> &boxes,
                    const SelectionSource &source) {
  Rows rows;
  for (double box : boxes)
    rows.push_back({0, 0, box});
  std::optional<std::string> fault = faultOfSelection(rowsOf(rows), source);
  REQUIRE(fault);
  return *fault;
}

using Catch::Contains;

/// Boxes 0 and 1 overlap by 9/11, boxes 2 and 3 by 8/12; the others not.
const Tensor boxes = squaresAt({0, 1, 50, 52});
const Tensor scores = tensorOf({1, 1, 4}, {0.9, 0.8, 0.7, 0.6});
const SelectionSource exact{boxes, scores, {3, 0.7, 0.5, false}};

} // namespace

TEST_CASE("without slack one selection is right", "[selections]") {
  CHECK(faultOf({0, 2, 3}, exact) == "");
  CHECK_THAT(faultOf({2, 0, 3}, exact),
             Contains("image 0, class 0: box 2 is wrong: box 0 comes first"));
  CHECK_THAT(faultOf({0, 1, 2}, exact), Contains("box 1 is wrong: it was"));
  CHECK_THAT(faultOf({0, 0, 2}, exact), Contains("box 0 is wrong: it was"));
  CHECK_THAT(faultOf({0, 2}, exact), Contains("box 3 is left out"));
  CHECK_THAT(faultOf({}, exact), Contains("box 0 is left out"));
  CHECK_THAT(faultOf({0, 2, 7}, exact), Contains("no such box"));
  CHECK_THAT(faultOf({0, 2, 3, 1}, exact), Contains("one more than"));
}

TEST_CASE("selections go by image and class", "[selections]") {
  Tensor two = tensorOf({1, 2, 4}, {0.9, 0, 0, 0, 0, 0, 0, 0.9});
  SelectionSource source{boxes, two, {3, 0.7, 0.5, false}};
  CHECK(faultOfSelection(rowsOf({{0, 0, 0}, {0, 1, 3}}), source) == "");
  for (const Rows &rows : {Rows{{0, 1, 3}, {0, 0, 0}}, Rows{{0, 0, 0}},
                           Rows{{0, 0, 0}, {0, 1, 3}, {0, 2, 0}},
                           Rows{{0, 0, 0}, {0, 1, 3}, {1, 0, 0}}})
    CHECK(faultOfSelection(rowsOf(rows), source) != "");
}

TEST_CASE("scores within their slack may come in either order",
          "[selections]") {
  SelectionSource source = exact;
  source.scoreSlack = 0.04;
  CHECK(faultOf({2, 0, 3}, source) != "");
  source.scoreSlack = 0.06;
  // The overlapping pair may go either way; nothing else changes.
  CHECK(faultOf({0, 2, 3}, source) == "");
  CHECK(faultOf({1, 2, 3}, source) == "");
  CHECK(faultOf({0, 3, 2}, source) == "");
  CHECK(faultOf({2, 0, 3}, source) != "");
  CHECK(faultOf({0, 1, 2}, source) != "");
}

TEST_CASE("equal scores without slack go by position", "[selections]") {
  Tensor equal = tensorOf({1, 1, 4}, {0.9, 0.9, 0.9, 0.9});
  SelectionSource source{boxes, equal, {1, 0.7, 0.5, false}};
  CHECK(faultOf({0}, source) == "");
  CHECK_THAT(faultOf({1}, source), Contains("box 0 comes first"));
}

TEST_CASE("a score at its limit may be good or not", "[selections]") {
  SelectionSource source = exact;
  source.rules.scoreLimit = 0.61;
  CHECK(faultOf({0, 2}, source) == "");
  CHECK(faultOf({0, 2, 3}, source) != "");
  source.scoreSlack = 0.02;
  CHECK(faultOf({0, 2}, source) == "");
  CHECK(faultOf({0, 2, 3}, source) == "");
  CHECK(faultOf({0, 3}, source) != ""); // box 2 is certainly good
}

TEST_CASE("an overlap at its limit may remove a box or not", "[selections]") {
  SelectionSource source = exact;
  source.rules.overlapLimit = 8.0 / 12; // equal but for rounding
  CHECK(faultOf({0, 2}, source) == "");
  CHECK(faultOf({0, 2, 3}, source) == "");
  CHECK(faultOf({0, 1, 2}, source) != "");
  source.rules.overlapLimit = 8.0 / 12 + 0.01;
  CHECK(faultOf({0, 2}, source) != "");
  source.boxSlack = 0.1;
  CHECK(faultOf({0, 2}, source) == "");
  CHECK(faultOf({0, 2, 3}, source) == "");
}

TEST_CASE("boxes without an area overlap nothing", "[selections]") {
  Tensor flat = squaresAt({0, 0});
  for (int64_t i : {2, 6})
    flat.set(i, 0);
  Tensor two = tensorOf({1, 1, 2}, {0.9, 0.8});
  SelectionSource source{flat, two, {2, -1, 0.5, false}};
  CHECK(faultOf({0, 1}, source) == "");
  CHECK(faultOf({0}, source) != "");
}

TEST_CASE("boxes may be given by their centres", "[selections]") {
  // x, y, width, height: overlaps of 9/11 and of none.
  Tensor centred =
      tensorOf({1, 3, 4}, {5, 5, 10, 10, 6, 5, 10, 10, 16, 5, 10, 10});
  Tensor three = tensorOf({1, 1, 3}, {0.9, 0.8, 0.7});
  SelectionSource source{centred, three, {3, 0.7, 0, true}};
  CHECK(faultOf({0, 2}, source) == "");
  CHECK(faultOf({0, 1, 2}, source) != "");
}

TEST_CASE("no selection is judged by what is no number", "[selections]") {
  for (double wrong : {0x1p70, double(NAN), double(INFINITY)}) {
    Tensor odd = squaresAt({0, 1, 50, 52});
    odd.set(5, wrong);
    CHECK_FALSE(
        faultOfSelection(rowsOf({{0, 0, 0}}), {odd, scores, exact.rules}));
  }
  SelectionSource source = exact;
  source.scoreSlack = HUGE_VAL;
  CHECK_FALSE(faultOfSelection(rowsOf({{0, 0, 0}}), source));
}

TEST_CASE("auto judges selections of any length step by step", "[judge]") {
  Tensor wanted = rowsOf({{0, 0, 0}, {0, 0, 2}});
  auto verdict = [&](const Rows &rows, double slack) {
    Tensor actual = rowsOf(rows);
    Evidence evidence{actual, wanted};
    evidence.mode = OracleMode::Auto;
    evidence.selection.emplace(exact);
    evidence.selection->rules.scoreLimit = 0.61;
    evidence.selection->scoreSlack = slack;
    return judge(evidence);
  };
  CHECK(verdict({{0, 0, 0}, {0, 0, 2}}, 0).result.passed);
  Rows longer = {{0, 0, 0}, {0, 0, 2}, {0, 0, 3}};
  CHECK(verdict(longer, 0.02).result.passed);
  Judgement refused = verdict(longer, 0);
  CHECK_FALSE(refused.result.passed);
  CHECK_THAT(refused.reason, Contains("box 3 is wrong"));
}

TEST_CASE("the slack of what decides is twice the plain lowering's error",
          "[judge]") {
  Tensor oracle = tensorOf({2}, {1, 2}), plain = tensorOf({2}, {1, 2.5});
  CHECK(slackByRatio(plain, oracle) == 1);
  CHECK(slackByRatio(tensorOf({1}, {1}), oracle) == HUGE_VAL);
}
