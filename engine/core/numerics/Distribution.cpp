// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparing two samples of random numbers.
#include "core/numerics/Distribution.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace lh;

/// A right sample is beyond them once in 16,000 times.
static constexpr double standardErrors = 4;

SampleMoments lh::momentsOf(const Tensor &sample) {
  SampleMoments moments;
  moments.least = std::numeric_limits<double>::infinity();
  moments.largest = -moments.least;
  int64_t elements = sample.elementCount();
  for (int64_t i = 0; i < elements; ++i) {
    double value = sample.at(i);
    if (!std::isfinite(value)) {
      ++moments.notFinite;
      continue;
    }
    ++moments.count;
    moments.mean += value;
    moments.least = std::min(moments.least, value);
    moments.largest = std::max(moments.largest, value);
  }
  auto count = static_cast<double>(std::max<int64_t>(moments.count, 1));
  moments.mean /= count;
  for (int64_t i = 0; i < elements; ++i) {
    double distance = sample.at(i) - moments.mean;
    if (!std::isfinite(distance))
      continue;
    moments.variance += distance * distance;
    moments.fourth += distance * distance * distance * distance;
  }
  moments.variance /= count;
  moments.fourth /= count;
  return moments;
}

static std::string describe(const char *what, double actual, double expected,
                            double allowed) {
  std::string text;
  llvm::raw_string_ostream(text)
      << what
      << llvm::format(" %.4g, not %.4g +- %.2g", actual, expected, allowed);
  return text;
}

/// The squared standard error of the sample's variance.
static double errorOfVariance(const SampleMoments &sample) {
  double spread = sample.fourth - sample.variance * sample.variance;
  return std::max(0.0, spread) /
         static_cast<double>(std::max<int64_t>(sample.count, 1));
}

std::optional<std::string> lh::differenceOf(const SampleMoments &actual,
                                            const SampleMoments &expected) {
  if (actual.notFinite != expected.notFinite)
    return std::to_string(actual.notFinite) + " numbers are not finite; " +
           std::to_string(expected.notFinite) + " are expected to be so";
  if (expected.count == 0)
    return std::nullopt;
  auto count = static_cast<double>(expected.count);
  double mean =
      standardErrors * std::sqrt((actual.variance + expected.variance) / count);
  if (std::abs(actual.mean - expected.mean) > mean)
    return describe("the mean is", actual.mean, expected.mean, mean);
  double variance = standardErrors * std::sqrt(errorOfVariance(actual) +
                                               errorOfVariance(expected));
  if (std::abs(actual.variance - expected.variance) > variance)
    return describe("the variance is", actual.variance, expected.variance,
                    variance);
  double beyond = (2 + 10 / std::sqrt(count)) * std::sqrt(expected.variance);
  if (actual.least < expected.least - beyond)
    return describe("the least number is", actual.least, expected.least,
                    beyond);
  if (actual.largest > expected.largest + beyond)
    return describe("the largest number is", actual.largest, expected.largest,
                    beyond);
  return std::nullopt;
}
