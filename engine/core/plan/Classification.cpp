// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of a classifier against the right classes.
#include "core/plan/Classification.h"

#include "core/manifest/ValueText.h"

#include <cmath>

using namespace lh;

/// The position of the largest of `count` elements from `start`.
static int64_t largest(const Tensor &scores, int64_t start, int64_t count) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; ++i)
    if (scores.at(start + i) > scores.at(start + best))
      best = i;
  return best;
}

FailureOr<std::pair<int64_t, int64_t>> lh::countRight(const Tensor &scores,
                                                      const Tensor &labels,
                                                      std::string &reason) {
  int64_t classes = scores.shape().empty() ? 1 : scores.shape().back();
  int64_t rows = classes ? scores.elementCount() / classes : 0;
  if (rows != labels.elementCount()) {
    reason = std::to_string(labels.elementCount()) + " labels for " +
             std::to_string(rows) + " rows of scores";
    return failure();
  }
  int64_t right = 0;
  for (int64_t row = 0; row < rows; ++row)
    if (static_cast<double>(largest(scores, row * classes, classes)) ==
        labels.at(row))
      ++right;
  return std::pair(right, rows);
}

LabelRule lh::labelRule(const std::optional<Located<double>> &share,
                        int64_t rows, std::optional<int64_t> golden) {
  if (share)
    return {static_cast<int64_t>(
                std::ceil(share->value * static_cast<double>(rows))),
            "the manifest asks for a share of " +
                valueText(Value(share->value))};
  int64_t half = (rows + 1) / 2;
  if (golden.value_or(0) >= half)
    return {*golden, "so many are in the expected outputs"};
  return {half, "fewer than half, so the labels are likely of something else"};
}
