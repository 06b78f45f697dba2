// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many independent errors the elements of a result have.
#include "core/numerics/IndependentErrors.h"

#include <algorithm>
#include <cmath>

using namespace lh;

namespace {
/// Sums over elements with a finite error: of errors *e* and results *r*, in
/// units of the largest of each.
struct Sums {
  double count = 0, e = 0, r = 0, ee = 0, rr = 0, er = 0, eeee = 0;

  void add(double error, double result) {
    count += 1;
    e += error;
    r += result;
    ee += error * error;
    rr += result * result;
    er += error * result;
    eeee += error * error * error * error;
  }
  /// Of the squares of the errors, what the straight line through them over the
  /// results explains.
  double explained() const {
    double spread = rr - r * r / count, slope = er - e * r / count;
    return e * e / count + (spread > 1e-12 * rr ? slope * slope / spread : 0);
  }
  /// What it would explain of independent errors.
  double explainedByChance() const { return ee * std::min(1.0, 2 / count); }
};

struct Units {
  double error = 0, result = 0;
};
} // namespace

static Units largestOf(const Tensor &actual, const Tensor &expected) {
  Units largest;
  for (int64_t i = 0, e = expected.elementCount(); i < e; ++i) {
    double result = expected.at(i), error = actual.at(i) - result;
    if (!std::isfinite(error))
      continue;
    largest.error = std::max(largest.error, std::abs(error));
    largest.result = std::max(largest.result, std::abs(result));
  }
  return largest;
}

double lh::independentErrors(const Tensor &actual, const Tensor &expected) {
  Units unit = largestOf(actual, expected);
  double elements = double(expected.elementCount());
  if (unit.error == 0)
    return elements;
  if (unit.result == 0)
    unit.result = 1;
  int64_t length = expected.shape().empty() ? 1 : expected.shape().back();
  double rows = 0, count = 0, squares = 0, fourths = 0;
  double explained = 0, byChance = 0;
  for (int64_t i = 0, e = expected.elementCount(); i < e; i += length) {
    Sums row;
    for (int64_t j = i; j < i + length; ++j) {
      double result = expected.at(j), error = actual.at(j) - result;
      if (std::isfinite(error))
        row.add(error / unit.error, result / unit.result);
    }
    if (row.count == 0)
      continue;
    rows += 1;
    count += row.count;
    squares += row.ee;
    fourths += row.eeee;
    explained += row.explained();
    byChance += row.explainedByChance();
  }
  // Of n normal errors, 3 (sum of squares)^2 / (sum of fourths) is about n.
  double own = std::min(count, 3 * squares * squares / fourths);
  // As many as `both` that a row's line has are in the elements of a row.
  double sharing = std::max(1.0, count / (2 * rows));
  double shared = squares > byChance ? std::max(0.0, explained - byChance) /
                                           (squares - byChance)
                                     : 0;
  // A mean of squares varies by the squares of the correlations between them
  // (L. Kish's design effect).
  return own / (1 + shared * shared * (sharing - 1));
}
