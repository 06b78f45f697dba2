// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Toom-Cook transforms and their norms.
#include "core/numerics/Winograd.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

using namespace lh;

static constexpr std::array<double, 10> points = {0,   1,    -1, 2,  -2,
                                                  0.5, -0.5, 4,  -4, 0.25};

/// The coefficients of the product of (x - p) over all points but `left`.
static std::vector<double> productWithout(int left, int count) {
  std::vector<double> product = {1};
  for (int l = 0; l < count; ++l) {
    if (l == left)
      continue;
    product.push_back(0);
    for (size_t k = product.size(); k-- > 0;)
      product[k] = (k > 0 ? product[k - 1] : 0) - points[size_t(l)] * product[k];
  }
  return product;
}

static double squaredNorm(const std::vector<double> &row) {
  double sum = 0;
  for (double value : row)
    sum += value * value;
  return sum;
}

/// |G_j|^2 |B_j|^2 for point j of `count`.
static double transformedPower(int j, int count, int r) {
  double point = points[size_t(j)], scale = 1;
  for (int l = 0; l < count; ++l)
    if (l != j)
      scale *= point - points[size_t(l)];
  std::vector<double> filter;
  for (int k = 0; k < r; ++k)
    filter.push_back(std::pow(point, k) / scale);
  return squaredNorm(filter) * squaredNorm(productWithout(j, count));
}

double lh::winogradGrowth(int m, int r) {
  assert(m >= 1 && r >= 1 && m + r <= 12 && "no transform of that size");
  int finite = m + r - 2; // the last point is infinity
  double largest = 0;
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int j = 0; j < finite; ++j) {
      double weight = std::pow(points[size_t(j)], i);
      sum += weight * weight * transformedPower(j, finite, r);
    }
    if (i == m - 1) // infinity takes the leading coefficients alone
      sum += squaredNorm(productWithout(finite, finite));
    largest = std::max(largest, std::sqrt(sum / r));
  }
  return std::max(1.0, largest * largest); // both dimensions of the image
}
