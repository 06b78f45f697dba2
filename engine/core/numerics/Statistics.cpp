// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statistics of pairs: loops over one quantity each, for the vectoriser.
#include "core/numerics/Statistics.h"

#include "core/numerics/Ordinal.h"
#include "core/numerics/Vectorise.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace lh;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double largestDouble = std::numeric_limits<double>::max();
static constexpr int64_t maxDistance = std::numeric_limits<int64_t>::max();
static constexpr size_t worstCount = 5;
/// The smallest share of what is allowed that is too much.
static constexpr double tooMuch = 1 + 0x1p-52;

Statistics::Statistics(CompareResult &result, DType dtype, int64_t elements)
    : result(result), tiny(smallestNormal(dtype)), absolute(elements),
      relative(elements) {
  result.minExpected = infinity;
  result.maxExpected = -infinity;
}

//===-- NaN and infinity --------------------------------------------------===//

static int64_t countSpecials(const PairBlock &block) {
  int64_t specials = 0;
  vectorised([&block, &specials] {
    int64_t count = 0;
#pragma omp simd reduction(+ : count)
    for (int64_t i = 0; i < block.size; ++i) {
      bool finite = (std::fabs(block.actual[i]) <= largestDouble) &
                    (std::fabs(block.expected[i]) <= largestDouble);
      count += finite ? 0 : 1;
    }
    specials = count;
  });
  return specials;
}

/// Adds the pairs that aren't finite on both sides, and closes the gaps.
void Statistics::takeSpecials(PairBlock &block) {
  if (countSpecials(block) == 0)
    return;
  block.hasGaps = true;
  int64_t kept = 0;
  for (int64_t i = 0; i < block.size; ++i) {
    if (!std::isfinite(block.actual[i]) || !std::isfinite(block.expected[i])) {
      addSpecial(block, i);
      continue;
    }
    block.actual[kept] = block.actual[i];
    block.expected[kept] = block.expected[i];
    block.error[kept] = block.error[i];
    block.allowed[kept] = block.allowed[i];
    block.distance[kept] = block.distance[i];
    block.offset[kept++] = i;
  }
  block.size = kept;
}

/// A pair in which at least one is NaN or infinite.
void Statistics::addSpecial(const PairBlock &block, int64_t i) {
  double actual = block.actual[i], expected = block.expected[i];
  bool judged = std::isfinite(block.allowed[i]);
  result.unbounded += !judged;
  result.nanActual += std::isnan(actual);
  result.nanExpected += std::isnan(expected);
  result.infActual += std::isinf(actual);
  result.infExpected += std::isinf(expected);
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) {
    ++result.ulpHistogram.front();
    return;
  }
  ++result.ulpHistogram.back();
  result.maxAbs = result.maxRel = infinity;
  result.smallestAtol = result.smallestRtol = infinity;
  result.maxUlp = maxDistance;
  if (!judged)
    return;
  ++result.mismatches;
  remember({infinity, infinity, block.first + i, maxDistance});
}

//===-- Finite pairs ------------------------------------------------------===//

/// Relative errors, and with them the smallest rtol. One division serves both:
/// dividing by `tiny`, a power of two, is a product, and the larger divisor
/// gives the smaller quotient.
void Statistics::divide(const PairBlock &block) {
  double most = 0;
  vectorised([&block, out = ratios.relative, &most, tiny = tiny] {
    double perTiny = 1 / tiny, needed = 0;
#pragma omp simd reduction(max : needed)
    for (int64_t i = 0; i < block.size; ++i) {
      double error = block.error[i], magnitude = std::fabs(block.expected[i]);
      double quotient = error / magnitude;
      double ofTiny = error * perTiny;
      out[i] = quotient < ofTiny ? quotient : ofTiny;
      // The quotient may have rounded down to what would not quite pass.
      int64_t up = quotient * magnitude < error ? 1 : 0;
      double enough =
          std::bit_cast<double>(std::bit_cast<int64_t>(quotient) + up);
      needed = needed < enough ? enough : needed;
    }
    most = needed;
  });
  result.smallestRtol = std::max(result.smallestRtol, most);
}

/// Errors as shares of what is allowed.
void Statistics::share(const PairBlock &block) {
  vectorised([&block, out = ratios.share] {
#pragma omp simd
    for (int64_t i = 0; i < block.size; ++i) {
      double error = block.error[i], allowed = block.allowed[i];
      double share = error / allowed;
      // 0 of 0 is none; what is too much stays so when it rounds.
      double least = error > allowed ? tooMuch : 0;
      out[i] = share > least ? share : least;
    }
  });
}

/// Where distances are a criterion too, the kinder one counts.
void Statistics::shareOfUlp(const PairBlock &block) {
  if (!result.tolerance.ulp)
    return;
  vectorised([&block, &ratios = ratios, ulp = *result.tolerance.ulp] {
    auto allowed = double(ulp);
#pragma omp simd
    for (int64_t i = 0; i < block.size; ++i) {
      auto distance = double(block.distance[i]);
      double share = distance / allowed;
      double least = block.distance[i] > ulp ? tooMuch : 0;
      share = share > least ? share : least;
      ratios.share[i] = share < ratios.share[i] ? share : ratios.share[i];
    }
  });
}

void Statistics::addSums(const PairBlock &block) {
  vectorised([&block, &ratios = ratios, &sums = sums] {
    double error = 0, relative = 0, errors = 0, actuals = 0, expecteds = 0,
           dot = 0;
#pragma omp simd reduction(+ : error, relative, errors, actuals, expecteds, dot)
    for (int64_t i = 0; i < block.size; ++i) {
      double a = block.actual[i], e = block.expected[i];
      error += block.error[i];
      relative += ratios.relative[i];
      errors += block.error[i] * block.error[i];
      actuals += a * a;
      expecteds += e * e;
      dot += a * e;
    }
    sums.error += error;
    sums.relative += relative;
    sums.errorSquared += errors;
    sums.actualSquared += actuals;
    sums.expectedSquared += expecteds;
    sums.dot += dot;
  });
}

Statistics::Extremes Statistics::addExtremes(const PairBlock &block) {
  Extremes extremes;
  vectorised([&block, &ratios = ratios, &extremes] {
    double error = 0, relative = 0, share = 0, actual = 0;
    int64_t mismatches = 0;
#pragma omp simd reduction(max : error, relative, share, actual)              \
    reduction(+ : mismatches)
    for (int64_t i = 0; i < block.size; ++i) {
      double a = std::fabs(block.actual[i]);
      error = error < block.error[i] ? block.error[i] : error;
      relative = relative < ratios.relative[i] ? ratios.relative[i] : relative;
      share = share < ratios.share[i] ? ratios.share[i] : share;
      actual = actual < a ? a : actual;
      mismatches += ratios.share[i] > 1 ? 1 : 0;
    }
    extremes = {error, relative, share, actual, mismatches};
  });
  result.maxAbs = std::max(result.maxAbs, extremes.error);
  result.maxRel = std::max(result.maxRel, extremes.relative);
  result.mismatches += extremes.mismatches;
  maxActual = std::max(maxActual, extremes.actual);
  return extremes;
}

/// The range, and how many lie below the normal numbers or have no bound.
void Statistics::addRange(const PairBlock &block) {
  vectorised([&block, &result = result, tiny = tiny] {
    double low = result.minExpected, high = result.maxExpected;
    int64_t actuals = 0, expecteds = 0, unbounded = 0;
#pragma omp simd reduction(min : low) reduction(max : high)                   \
    reduction(+ : actuals, expecteds, unbounded)
    for (int64_t i = 0; i < block.size; ++i) {
      double a = std::fabs(block.actual[i]), e = block.expected[i];
      low = e < low ? e : low;
      high = high < e ? e : high;
      actuals += (a > 0) & (a < tiny) ? 1 : 0;
      expecteds += (std::fabs(e) > 0) & (std::fabs(e) < tiny) ? 1 : 0;
      unbounded += block.allowed[i] > largestDouble ? 1 : 0;
    }
    result.minExpected = low;
    result.maxExpected = high;
    result.denormalActual += actuals;
    result.denormalExpected += expecteds;
    result.unbounded += unbounded;
  });
}

/// ulpBucketOf() without a branch: from 1 on, the exponent of twice the
/// distance less one, and one more.
static int64_t fastUlpBucketOf(int64_t distance) {
  double value = 2 * double(distance) - 1;
  value = value > 0.5 ? value : 0.5; // a distance of 0
  int64_t exponent = (std::bit_cast<int64_t>(value) >> 52) - 1023;
  constexpr int64_t last = ulpBuckets - 3;
  return 1 + (exponent < last ? exponent : last);
}

/// How many of the block's buckets are `bucket`, counted in bytes: a vector
/// holds the most of those.
static int64_t countOf(const uint8_t *buckets, uint8_t bucket) {
  constexpr int64_t lanes = 64;
  static_assert(PairBlock::capacity / lanes <= 255, "a lane's count fits");
  uint8_t counts[lanes] = {};
  for (int64_t first = 0; first < PairBlock::capacity; first += lanes)
#pragma omp simd
    for (int64_t i = 0; i < lanes; ++i)
      counts[i] = uint8_t(counts[i] + (buckets[first + i] == bucket ? 1 : 0));
  return std::accumulate(counts, counts + lanes, int64_t(0));
}

void Statistics::addDistances(const PairBlock &block) {
  vectorised([&block, &result = result] {
    int32_t wide[PairBlock::capacity];
    int64_t most = 0;
#pragma omp simd reduction(max : most)
    for (int64_t i = 0; i < block.size; ++i) {
      int64_t distance = block.distance[i];
      most = most < distance ? distance : most;
      wide[i] = int32_t(fastUlpBucketOf(distance));
    }
    uint8_t buckets[PairBlock::capacity];
#pragma omp simd
    for (int64_t i = 0; i < block.size; ++i)
      buckets[i] = uint8_t(wide[i]);
    std::fill(buckets + block.size, std::end(buckets), uint8_t(ulpBuckets));
    // One pass for each bucket up to the highest: the usual few cost less than
    // counting the distances one by one.
    for (size_t bucket = 0, last = ulpBucketOf(most); bucket <= last; ++bucket)
      result.ulpHistogram[bucket] += countOf(buckets, uint8_t(bucket));
    result.maxUlp = std::max(result.maxUlp, most);
  });
}

void Statistics::remember(const Candidate &candidate) {
  auto worse = [](const Candidate &a, const Candidate &b) {
    return std::pair(a.share, a.error) > std::pair(b.share, b.error);
  };
  if (worst.size() == worstCount && !worse(candidate, worst.back()))
    return;
  if (worst.size() == worstCount)
    worst.pop_back();
  worst.insert(std::upper_bound(worst.begin(), worst.end(), candidate, worse),
               candidate);
}

void Statistics::addWorst(const PairBlock &block, const Extremes &extremes) {
  if (worst.size() == worstCount &&
      std::pair(extremes.share, extremes.error) <=
          std::pair(worst.back().share, worst.back().error))
    return;
  for (int64_t i = 0; i < block.size; ++i) {
    int64_t position = block.first + (block.hasGaps ? block.offset[i] : i);
    if (block.error[i] > 0 && std::isfinite(block.allowed[i]))
      remember({ratios.share[i], block.error[i], position, block.distance[i]});
  }
}

void Statistics::add(PairBlock &block) {
  takeSpecials(block);
  finite += block.size;
  divide(block);
  share(block);
  shareOfUlp(block);
  addSums(block);
  Extremes extremes = addExtremes(block);
  addRange(block);
  addDistances(block);
  absolute.add(block.error, block.size, extremes.error);
  relative.add(ratios.relative, block.size, extremes.relative);
  addWorst(block, extremes);
}

//===-- The end -----------------------------------------------------------===//

std::vector<int64_t> lh::indexOf(int64_t position, ArrayRef<int64_t> shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = position % shape[d];
    position /= shape[d];
  }
  return index;
}

std::string lh::indexText(ArrayRef<int64_t> index) {
  std::string text;
  for (int64_t i : index)
    text += (text.empty() ? "" : ", ") + std::to_string(i);
  return "[" + text + "]";
}

/// L2, cosine and root mean squares. Squares of very large and very small
/// numbers leave the range of a double: those are scaled and added again.
void Statistics::measureAngle(const Tensor &actual, const Tensor &expected) {
  double largest = std::max(maxActual, result.maxNorm), scale = 1;
  if (largest > 0 && (largest > 0x1p480 || largest < 0x1p-480)) {
    scale = std::ldexp(1.0, -std::max(std::ilogb(largest), -1000));
    sums = {sums.error, sums.relative};
    for (int64_t i = 0, e = actual.elementCount(); i < e; ++i) {
      double x = actual.at(i) * scale, y = expected.at(i) * scale;
      if (!std::isfinite(x) || !std::isfinite(y))
        continue;
      sums.errorSquared += (x - y) * (x - y);
      sums.actualSquared += x * x;
      sums.expectedSquared += y * y;
      sums.dot += x * y;
    }
  }
  auto rms = [&](double sum) {
    return std::sqrt(sum / double(finite)) / scale;
  };
  result.rmsAbs = rms(sums.errorSquared);
  result.rmsExpected = rms(sums.expectedSquared);
  if (result.meanAbs == 0)
    return;
  result.relativeL2 = std::sqrt(sums.errorSquared / sums.expectedSquared);
  double norms =
      std::sqrt(sums.actualSquared) * std::sqrt(sums.expectedSquared);
  result.cosine = norms > 0 ? std::clamp(sums.dot / norms, -1.0, 1.0) : 0.0;
}

void Statistics::finish(const Tensor &actual, const Tensor &expected) {
  result.smallestAtol = std::max(result.smallestAtol, result.maxAbs);
  if (finite > 0) {
    result.meanAbs = sums.error / double(finite);
    result.meanRel = sums.relative / double(finite);
    result.p99Abs = absolute.of(finite);
    result.p99Rel = relative.of(finite);
    result.maxNorm =
        std::max(std::fabs(result.minExpected), std::fabs(result.maxExpected));
    measureAngle(actual, expected);
  } else {
    result.minExpected = result.maxExpected = 0;
  }
  for (const Candidate &candidate : worst)
    result.worst.push_back({indexOf(candidate.position, actual.shape()),
                            actual.at(candidate.position),
                            expected.at(candidate.position), candidate.distance,
                            candidate.share});
  if (!worst.empty())
    result.worstShare = worst.front().share;
  result.passed = result.mismatches == 0;
}
