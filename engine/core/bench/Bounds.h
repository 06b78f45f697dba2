// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far from its estimate a figure may be, when many are judged at once.
#ifndef LH_CORE_BENCH_BOUNDS_H
#define LH_CORE_BENCH_BOUNDS_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace lh {

namespace detail {

/// The chance that Student's t with so many degrees of freedom is above
/// sqrt(degrees) * tan(angle); a finite sum (Abramowitz and Stegun, 26.7).
inline double studentTail(double angle, size_t degrees) {
  double cosine = std::cos(angle), sum = 0;
  double term = degrees % 2 ? cosine : 1;
  for (size_t i = degrees % 2 ? 3 : 2; i <= degrees; i += 2) {
    sum += term;
    auto next = static_cast<double>(i);
    term *= cosine * cosine * (next - 1) / next;
  }
  sum *= std::sin(angle);
  double within = degrees % 2 ? (angle + sum) * 2 / std::numbers::pi : sum;
  return (1 - within) / 2;
}

} // namespace detail

/// What Student's t is above with this chance (up to 0.5); `degrees` from 1.
/// For many degrees it is the normal distribution's: 1.64 for 0.05.
inline double studentQuantile(double chance, size_t degrees) {
  degrees = std::min<size_t>(degrees, 1000);
  double low = 0, high = std::numbers::pi / 2;
  for (int i = 0; i < 60; ++i) {
    double middle = (low + high) / 2;
    (detail::studentTail(middle, degrees) > chance ? low : high) = middle;
  }
  return std::sqrt(static_cast<double>(degrees)) * std::tan(low);
}

/// What statisticsOf() has for a median's error, it has from the samples around
/// the median: about as many as the root of all. So its error is known no
/// better than that of a mean from so many, and at least from one.
inline double degreesOfMedian(size_t samples) {
  return std::max(1.0, std::sqrt(static_cast<double>(samples)));
}

} // namespace lh

#endif // LH_CORE_BENCH_BOUNDS_H
