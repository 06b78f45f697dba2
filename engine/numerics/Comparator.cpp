// Compares two tensors in one pass, block by block.
#include "numerics/Comparator.h"

#include "numerics/Half.h"
#include "numerics/Ordinal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>

using namespace lh;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr int64_t maxDistance = std::numeric_limits<int64_t>::max();
static constexpr int64_t blockSize = 1024;
static constexpr size_t worstCount = 5;

Tolerance lh::builtInTolerance(DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return {1e-3, 4e-3, std::nullopt};
  case DType::BFloat16:
    return {1e-2, 3.2e-2, std::nullopt};
  case DType::Float32:
    return {1e-5, 1e-3, std::nullopt};
  case DType::Float64:
    return {1e-12, 1e-9, std::nullopt};
  default:
    return {};
  }
}

namespace {

/// The largest `keep` of the values added, in constant memory.
class Largest {
public:
  explicit Largest(size_t keep) : keep(keep) { values.reserve(2 * keep); }

  void add(double value) {
    if (value <= floor)
      return;
    values.push_back(value);
    if (values.size() == 2 * keep)
      shrink();
  }

  /// The value with `rank` (0: the largest) among all that were added; values
  /// never added count as zero.
  double at(size_t rank) {
    if (rank >= values.size())
      return 0;
    auto position = values.begin() + std::ptrdiff_t(rank);
    std::nth_element(values.begin(), position, values.end(), std::greater<>());
    return *position;
  }

private:
  void shrink() {
    auto last = values.begin() + std::ptrdiff_t(keep - 1);
    std::nth_element(values.begin(), last, values.end(), std::greater<>());
    floor = *last;
    values.resize(keep);
  }

  size_t keep;
  double floor = 0;
  std::vector<double> values;
};

/// A run of elements, with what the statistics need of each.
struct Block {
  int64_t first = 0, size = 0;
  double actual[blockSize], expected[blockSize];
  double error[blockSize];     ///< |actual - expected|
  int64_t distance[blockSize]; ///< in representable values of actual's type
  double allowed[blockSize];   ///< the error that is; not finite: any
};

struct Candidate {
  double score = 0, error = 0;
  int64_t position = 0, distance = 0;
};

/// Accumulates the statistics of the pairs it is given, in order.
class Statistics {
public:
  Statistics(CompareResult &result, DType dtype, int64_t elements);

  void add(const Block &block);
  void finish(const Tensor &actual, const Tensor &expected);

private:
  void addFinite(const Block &block, int64_t i);
  void addSpecial(const Block &block, int64_t i);
  void addRange(double actual, double expected);
  double score(const Block &block, int64_t i) const;
  void remember(Candidate candidate);

  CompareResult &result;
  double tiny; ///< floor of the denominator of relative errors
  Largest absolute, relative;
  std::vector<Candidate> worst;
  int64_t finite = 0;
  double sumAbs = 0, sumRel = 0, sumSquares = 0, sumExpected = 0;
  double maxActual = 0;
};

/// Squares and products over the finite pairs.
struct Products {
  double difference = 0, actual = 0, expected = 0, dot = 0;
};

} // namespace

//===-- Blocks: elements as doubles, errors and distances -----------------===//

template <typename T>
static void loadAs(const Tensor &tensor, int64_t first, int64_t size,
                   double *out) {
  const T *from = tensor.as<T>() + first;
  for (int64_t i = 0; i < size; ++i)
    out[i] = double(from[i]);
}

static void load(const Tensor &tensor, int64_t first, int64_t size,
                 double *out) {
  switch (tensor.dtype()) {
  case DType::Float32:
    return loadAs<float>(tensor, first, size, out);
  case DType::Float64:
    return loadAs<double>(tensor, first, size, out);
  default:
    for (int64_t i = 0; i < size; ++i)
      out[i] = tensor.at(first + i);
  }
}

/// A 64-bit integer element, exactly.
static __int128 wideAt(const Tensor &tensor, int64_t i) {
  if (tensor.dtype() == DType::Int64)
    return tensor.as<int64_t>()[i];
  if (tensor.dtype() == DType::UInt64)
    return tensor.as<uint64_t>()[i];
  return static_cast<__int128>(tensor.at(i));
}

/// |a - b|, or the largest int64 where that is more.
static int64_t distanceBetween(int64_t a, int64_t b) {
  int64_t difference;
  if (__builtin_sub_overflow(std::max(a, b), std::min(a, b), &difference))
    return maxDistance;
  return difference;
}

/// What `value` is when stored as `dtype`: beyond its range, an infinity.
static double overflowIn(DType dtype, double value) {
  switch (dtype) {
  case DType::Float16:
    return halfToFloat(doubleToHalf(value));
  case DType::BFloat16:
    return bfloat16ToFloat(doubleToBFloat16(value));
  case DType::Float32:
    return float(value);
  default:
    return value;
  }
}

template <typename Ordinal>
static void measureWith(Block &block, Ordinal ordinalOf) {
  for (int64_t i = 0; i < block.size; ++i) {
    block.error[i] = std::fabs(block.actual[i] - block.expected[i]);
    block.distance[i] = distanceBetween(ordinalOf(block.actual[i]),
                                        ordinalOf(block.expected[i]));
  }
}

static void measureFloats(Block &block, DType actualType, DType expectedType) {
  if (actualType != expectedType) // a wider reference may leave the range
    for (int64_t i = 0; i < block.size; ++i)
      if (double stored = overflowIn(actualType, block.expected[i]);
          std::isinf(stored))
        block.expected[i] = stored;
  if (actualType == DType::Float32) // the usual case, inlined
    return measureWith(block, [](double value) {
      return ordinal(std::bit_cast<uint32_t>(float(value)));
    });
  measureWith(block,
              [&](double value) { return ordinalIn(actualType, value); });
}

static void measureIntegers(Block &block, const Tensor &actual,
                            const Tensor &expected) {
  bool wide = byteSize(actual.dtype()) == 8 || byteSize(expected.dtype()) == 8;
  for (int64_t i = 0; i < block.size; ++i) {
    __int128 difference = wide ? wideAt(actual, block.first + i) -
                                     wideAt(expected, block.first + i)
                               : int64_t(block.actual[i] - block.expected[i]);
    if (difference < 0)
      difference = -difference;
    block.error[i] = double(difference);
    block.distance[i] =
        difference > maxDistance ? maxDistance : int64_t(difference);
  }
}

static bool isAnyFloat(DType dtype) {
  return isFloat(dtype) || isSmallFloat(dtype);
}

static void fill(Block &block, int64_t first, const Tensor &actual,
                 const Tensor &expected) {
  block.first = first;
  block.size = std::min(blockSize, actual.elementCount() - first);
  load(actual, first, block.size, block.actual);
  load(expected, first, block.size, block.expected);
  if (!isAnyFloat(actual.dtype()) && !isAnyFloat(expected.dtype()))
    return measureIntegers(block, actual, expected);
  // Where only one is an integer, distances count in the float's type.
  DType counted =
      isAnyFloat(actual.dtype()) ? actual.dtype() : expected.dtype();
  measureFloats(block, counted, expected.dtype());
}

//===-- Statistics --------------------------------------------------------===//

/// How many of `elements` lie at or above the 99th percentile (nearest rank).
static size_t topCount(int64_t elements) { return size_t(elements / 100) + 1; }

Statistics::Statistics(CompareResult &result, DType dtype, int64_t elements)
    : result(result), tiny(smallestNormal(dtype)), absolute(topCount(elements)),
      relative(topCount(elements)) {}

/// An element's error over its bound, under the criterion that is kinder:
/// at most 1 means that it passes.
double Statistics::score(const Block &block, int64_t i) const {
  auto ratio = [](double value, double bound) {
    if (value <= bound)
      return bound > 0 ? value / bound : 0.0;
    return bound > 0 ? std::max(value / bound, 1 + 0x1p-52) : infinity;
  };
  double score = ratio(block.error[i], block.allowed[i]);
  if (result.tolerance.ulp)
    score = std::min(
        score, ratio(double(block.distance[i]), double(*result.tolerance.ulp)));
  return score;
}

void Statistics::remember(Candidate candidate) {
  auto worse = [](const Candidate &a, const Candidate &b) {
    return std::pair(a.score, a.error) > std::pair(b.score, b.error);
  };
  if (worst.size() == worstCount && !worse(candidate, worst.back()))
    return;
  if (worst.size() == worstCount)
    worst.pop_back();
  worst.insert(std::upper_bound(worst.begin(), worst.end(), candidate, worse),
               candidate);
}

void Statistics::add(const Block &block) {
  for (int64_t i = 0; i < block.size; ++i) {
    if (std::isfinite(block.actual[i]) && std::isfinite(block.expected[i]))
      addFinite(block, i);
    else
      addSpecial(block, i);
  }
}

static bool isDenormal(double value, double tiny) {
  return value != 0 && std::fabs(value) < tiny;
}

void Statistics::addRange(double actual, double expected) {
  if (finite == 0)
    result.minExpected = result.maxExpected = expected;
  ++finite;
  result.minExpected = std::min(result.minExpected, expected);
  result.maxExpected = std::max(result.maxExpected, expected);
  result.maxNorm = std::max(result.maxNorm, std::fabs(expected));
  maxActual = std::max(maxActual, std::fabs(actual));
  result.denormalActual += isDenormal(actual, tiny);
  result.denormalExpected += isDenormal(expected, tiny);
  sumExpected += expected * expected;
}

void Statistics::addFinite(const Block &block, int64_t i) {
  double error = block.error[i];
  double magnitude = std::fabs(block.expected[i]);
  bool judged = std::isfinite(block.allowed[i]);
  addRange(block.actual[i], block.expected[i]);
  result.unbounded += !judged;
  ++result.ulpHistogram[ulpBucketOf(block.distance[i])];
  if (error == 0)
    return;
  double ratio = error / std::max(magnitude, tiny);
  sumAbs += error;
  sumRel += ratio;
  sumSquares += error * error;
  result.maxAbs = std::max(result.maxAbs, error);
  result.maxRel = std::max(result.maxRel, ratio);
  result.maxUlp = std::max(result.maxUlp, block.distance[i]);
  absolute.add(error);
  relative.add(ratio);
  // The quotient may round down to a value that would not quite pass.
  double needed = error / magnitude;
  if (needed * magnitude < error)
    needed = std::nextafter(needed, infinity);
  result.smallestRtol = std::max(result.smallestRtol, needed);
  if (!judged)
    return;
  double score = this->score(block, i);
  result.mismatches += score > 1;
  remember({score, error, block.first + i, block.distance[i]});
}

/// A pair in which at least one is NaN or infinite.
void Statistics::addSpecial(const Block &block, int64_t i) {
  double actual = block.actual[i], expected = block.expected[i];
  bool judged = !std::isfinite(expected) || std::isfinite(block.allowed[i]);
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

/// `scale` keeps squares of very large and very small numbers in range.
static Products multiply(const Tensor &actual, const Tensor &expected,
                         double scale) {
  Products sums;
  double a[blockSize], e[blockSize];
  for (int64_t first = 0; first < actual.elementCount(); first += blockSize) {
    int64_t size = std::min(blockSize, actual.elementCount() - first);
    load(actual, first, size, a);
    load(expected, first, size, e);
    Products block;
    for (int64_t i = 0; i < size; ++i) {
      double x = a[i] * scale, y = e[i] * scale;
      if (!std::isfinite(x) || !std::isfinite(y))
        continue;
      block.difference += (x - y) * (x - y);
      block.actual += x * x;
      block.expected += y * y;
      block.dot += x * y;
    }
    sums.difference += block.difference;
    sums.actual += block.actual;
    sums.expected += block.expected;
    sums.dot += block.dot;
  }
  return sums;
}

/// The element's index in each dimension.
static std::vector<int64_t> indexOf(int64_t position, ArrayRef<int64_t> shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = position % shape[d];
    position /= shape[d];
  }
  return index;
}

void Statistics::finish(const Tensor &actual, const Tensor &expected) {
  result.smallestAtol = std::max(result.smallestAtol, result.maxAbs);
  if (finite > 0) {
    result.meanAbs = sumAbs / double(finite);
    result.meanRel = sumRel / double(finite);
    result.rmsAbs = std::sqrt(sumSquares / double(finite));
    result.rmsExpected = std::sqrt(sumExpected / double(finite));
    // Nearest rank: ceil(0.99 n) counted from the smallest.
    size_t rank = size_t(finite - (99 * finite + 99) / 100);
    result.p99Abs = absolute.at(rank);
    result.p99Rel = relative.at(rank);
  }
  double largest = std::max(maxActual, result.maxNorm);
  if (result.meanAbs > 0 && largest > 0) {
    int exponent = std::max(std::ilogb(largest), -1000);
    bool extreme = exponent > 480 || exponent < -480;
    Products sums =
        multiply(actual, expected, extreme ? std::ldexp(1.0, -exponent) : 1.0);
    result.relativeL2 = std::sqrt(sums.difference / sums.expected);
    double norms = std::sqrt(sums.actual) * std::sqrt(sums.expected);
    result.cosine = norms > 0 ? std::clamp(sums.dot / norms, -1.0, 1.0) : 0.0;
  }
  for (const Candidate &candidate : worst)
    result.worst.push_back({indexOf(candidate.position, actual.shape()),
                            actual.at(candidate.position),
                            expected.at(candidate.position), candidate.distance,
                            candidate.score});
  if (!worst.empty())
    result.worstShare = worst.front().score;
  result.passed = result.mismatches == 0;
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t dim : shape) {
    text += text.empty() ? "" : "x";
    text += std::to_string(dim);
  }
  return text.empty() ? "scalar" : text;
}

static void allow(Block &block, const Tolerance &tolerance,
                  const Tensor *bounds) {
  if (bounds)
    return load(*bounds, block.first, block.size, block.allowed);
  // Only a bound of its own can leave an element unjudged.
  constexpr double most = std::numeric_limits<double>::max();
  for (int64_t i = 0; i < block.size; ++i)
    block.allowed[i] = std::min(
        tolerance.atol + tolerance.rtol * std::fabs(block.expected[i]), most);
}

double CompareResult::psnr() const {
  return 20 * std::log10((maxExpected - minExpected) / rmsAbs);
}

bool lh::withinTolerance(const Tensor &actual, const Tensor &expected,
                         const Tolerance &tolerance, const Tensor *bounds) {
  return compareTensors(actual, expected, tolerance, bounds).passed;
}

CompareResult lh::compareTensors(const Tensor &actual, const Tensor &expected,
                                 const Tolerance &tolerance,
                                 const Tensor *bounds) {
  assert((!bounds || (bounds->dtype() == DType::Float64 &&
                      bounds->shape() == expected.shape())) &&
         "bounds are float64, one for each element");
  CompareResult result;
  result.tolerance = tolerance;
  if (actual.shape() != expected.shape()) {
    result.mismatch = "shape " + shapeText(actual.shape()) +
                      " differs from the expected " +
                      shapeText(expected.shape());
    return result;
  }
  result.elements = actual.elementCount();
  Statistics statistics(result, actual.dtype(), result.elements);
  Block block;
  for (int64_t first = 0; first < result.elements; first += blockSize) {
    fill(block, first, actual, expected);
    allow(block, tolerance, bounds);
    statistics.add(block);
  }
  statistics.finish(actual, expected);
  return result;
}
