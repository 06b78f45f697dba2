// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the random generator fills.
#include "core/numerics/Generate.h"

#include "core/numerics/Random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>

using namespace lh;

static constexpr StringRef words[] = {"normal", "uniform", "integers",
                                      "zeros",  "ones",    "specials"};

ArrayRef<StringRef> lh::distributionWords() { return words; }

std::optional<Distribution> lh::parseDistribution(StringRef word) {
  const StringRef *found = std::find(std::begin(words), std::end(words), word);
  if (found == std::end(words))
    return std::nullopt;
  return Distribution(found - std::begin(words));
}

uint64_t lh::seedForName(uint64_t seed, StringRef name) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (char c : name)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  uint64_t state = seed ^ hash;
  return splitMix(state);
}

static double draw(Random &random, const GenerateOptions &options) {
  switch (options.distribution) {
  case Distribution::Normal:
  case Distribution::Specials:
    return random.normal();
  case Distribution::Uniform:
    // An explicit fma: a compiler that contracts a product and a sum or not
    // would change the last bit.
    return std::fma(random.uniform(), options.high - options.low, options.low);
  case Distribution::Integers: {
    double low = std::ceil(options.low);
    double span = std::floor(options.high) - low + 1;
    // Only spans that a double counts exactly are drawn from.
    uint64_t choices = uint64_t(std::clamp(span, 1.0, 0x1p53));
    return low + double(random.below(choices));
  }
  case Distribution::Zeros:
    return 0;
  case Distribution::Ones:
    return 1;
  }
  return 0;
}

namespace {
/// What a floating-point type is made of.
struct FloatForm {
  int precision, smallestExponent, largestExponent;
};
} // namespace

static FloatForm formOf(DType dtype) {
  if (dtype == DType::Float16)
    return {11, -14, 15};
  if (dtype == DType::BFloat16)
    return {8, -126, 127};
  return dtype == DType::Float32 ? FloatForm{24, -126, 127}
                                 : FloatForm{53, -1022, 1023};
}

static std::vector<double> specialFloats(DType dtype, bool extremes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  FloatForm form = formOf(dtype);
  double normal = std::ldexp(1, form.smallestExponent);
  double step = std::ldexp(normal, 1 - form.precision);
  double largest =
      std::ldexp(2 - std::ldexp(1, 1 - form.precision), form.largestExponent);
  if (!extremes)
    largest = std::ldexp(1, form.largestExponent * 2 / 5);
  return {std::numeric_limits<double>::quiet_NaN(),
          infinity,
          -infinity,
          0.0,
          -0.0,
          step,
          -step,
          normal - step,
          normal,
          -normal,
          largest,
          -largest};
}

static std::vector<double> specialIntegers(DType dtype) {
  bool isUnsigned = dtypeName(dtype).starts_with("u");
  int bits = static_cast<int>(storedBits(dtype));
  // Tensor::set() saturates what a double rounds up.
  double span = std::ldexp(1, bits);
  if (isUnsigned)
    return {0, 1, span - 1};
  return {0, 1, -1, -span / 2, span / 2 - 1};
}

namespace {
/// Which rows of a tensor are moved: every other one, from the first or from
/// the second on.
struct MovedRows {
  int64_t length = 1;
  uint64_t first = 0;

  bool contain(int64_t element) const {
    return uint64_t(element / length) % 2 == first;
  }
};
} // namespace

static double offsetFor(DType dtype) {
  if (dtype == DType::Float16)
    return 30;
  return dtype == DType::Float64 ? 1000 : 300;
}

/// A softmax that doesn't take away the largest of its row overflows there.
static MovedRows moveRows(Tensor &tensor, Random &random) {
  MovedRows rows;
  if (!tensor.shape().empty())
    rows.length = std::max<int64_t>(1, tensor.shape().back());
  rows.first = random.below(2);
  double offset = 0;
  for (int64_t i = 0, e = tensor.elementCount(); i < e; ++i) {
    if (i % rows.length == 0)
      offset = offsetFor(tensor.dtype()) * (random.below(2) ? 1 : -1);
    if (rows.contain(i))
      tensor.set(i, tensor.at(i) + offset);
  }
  return rows;
}

/// Puts specials in random places, each kind as often as the others.
static void sprinkle(Tensor &tensor, Random &random, bool extremes,
                     std::optional<MovedRows> spared) {
  constexpr int64_t sparsity = 16, most = 48;
  DType dtype = tensor.dtype();
  int64_t count = tensor.elementCount();
  if (count == 0 || !(isFloat(dtype) || isInteger(dtype)))
    return;
  std::vector<double> specials =
      isFloat(dtype) ? specialFloats(dtype, extremes) : specialIntegers(dtype);
  uint64_t first = random.below(specials.size());
  int64_t places = std::clamp<int64_t>(count / sparsity, 1, most);
  // One in each of so many equal parts: none replaces another.
  uint64_t part = uint64_t(count / places);
  for (uint64_t i = 0; i < uint64_t(places); ++i) {
    auto place = int64_t(i * part + random.below(part));
    if (!spared || !spared->contain(place))
      tensor.set(place, specials[(first + i) % specials.size()]);
  }
}

Tensor lh::generateTensor(DType dtype, std::vector<int64_t> shape,
                          const GenerateOptions &options, uint64_t seed) {
  assert(options.low <= options.high && "the caller checks the range");
  Tensor tensor(dtype, std::move(shape));
  Random random(seed);
  GenerateOptions drawn = options;
  bool constant = options.distribution == Distribution::Zeros ||
                  options.distribution == Distribution::Ones;
  if (dtype == DType::Bool && !constant)
    drawn = {Distribution::Integers, 0, 1};
  for (int64_t i = 0, e = tensor.elementCount(); i < e; ++i)
    tensor.set(i, draw(random, drawn));
  if (options.distribution != Distribution::Specials)
    return tensor;
  std::optional<MovedRows> moved;
  if (options.offsets && isFloat(dtype))
    moved = moveRows(tensor, random);
  sprinkle(tensor, random, options.extremes, moved);
  return tensor;
}
