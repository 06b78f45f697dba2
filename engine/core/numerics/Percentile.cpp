// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps, or counts, what may be above the percentile.
#include "core/numerics/Percentile.h"

#include "core/numerics/Vectorise.h"

#include <algorithm>
#include <bit>
#include <functional>

using namespace lh;

static constexpr size_t mostKept = size_t(1) << 14;
/// Of a positive double's bits, those below the exponent and seven of the
/// fraction.
static constexpr int droppedBits = 52 - 7;
static constexpr size_t buckets = size_t(1) << (63 - droppedBits);

static constexpr int64_t chunk = 512, rows = 8, columns = chunk / rows;

static size_t bucketOf(double value) {
  return size_t(std::bit_cast<uint64_t>(value) >> droppedBits);
}

static double lowEndOf(size_t bucket) {
  return std::bit_cast<double>(uint64_t(bucket) << droppedBits);
}

Percentile::Percentile(int64_t elements) : keep(size_t(elements / 100) + 1) {
  if (keep <= mostKept)
    values.reserve(2 * keep);
  else
    counts.resize(buckets);
}

/// A bit for each column of a chunk laid out in rows: whether any value in it
/// is above `floor`.
static uint64_t columnsAbove(double floor, const double *values) {
  static_assert(columns == 64, "a bit for each");
  uint64_t bits = 0;
  vectorised([=, &bits] {
    uint64_t found = 0;
#pragma omp simd reduction(| : found)
    for (int64_t column = 0; column < columns; ++column) {
      double most = 0;
      for (int64_t row = 0; row < rows; ++row) {
        double value = values[row * columns + column];
        most = most < value ? value : most;
      }
      found |= uint64_t(most > floor ? 1 : 0) << column;
    }
    bits = found;
  });
  return bits;
}

/// Copies those of `count` values, each `step` from the one before, that are
/// above `floor`, and tells how many are. No branch could foretell which.
static int64_t pickAbove(double floor, const double *values, int64_t count,
                         int64_t step, double *picked) {
  int64_t above = 0;
  for (int64_t i = 0; i < count; ++i) {
    picked[above] = values[i * step];
    above += values[i * step] > floor ? 1 : 0;
  }
  return above;
}

/// The same of a whole chunk. Few are above the floor: most columns have none.
static int64_t pickFromColumns(double floor, const double *values,
                               double *picked) {
  int64_t above = 0;
  for (uint64_t bits = columnsAbove(floor, values); bits; bits &= bits - 1)
    above += pickAbove(floor, values + std::countr_zero(bits), rows, columns,
                       picked + above);
  return above;
}

void Percentile::addAboveFloor(const double *added, int64_t count) {
  double picked[chunk];
  for (int64_t first = 0; first < count; first += chunk) {
    int64_t size = std::min(chunk, count - first);
    int64_t above = size == chunk
                        ? pickFromColumns(floor, added + first, picked)
                        : pickAbove(floor, added + first, size, 1, picked);
    if (counts.empty())
      keepThese(picked, above);
    else
      countThese(picked, above);
  }
}

void Percentile::keepThese(const double *picked, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(picked[i]);
    if (values.size() == 2 * keep)
      shrink();
  }
}

void Percentile::countThese(const double *picked, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    ++counts[bucketOf(picked[i])];
  countedSinceRaise += size_t(count);
  if (countedSinceRaise > keep / 8)
    raiseFloor();
}

void Percentile::shrink() {
  auto last = values.begin() + std::ptrdiff_t(keep - 1);
  std::nth_element(values.begin(), last, values.end(), std::greater<>());
  floor = *last;
  values.resize(keep);
}

/// Finds the bucket in which the smallest of the `keep` largest lies; what is
/// below it can't be the percentile any more.
void Percentile::raiseFloor() {
  countedSinceRaise = 0;
  int64_t above = 0;
  size_t lowest = bucketOf(floor), bucket = bucketOf(highest) + 1;
  while (bucket > lowest && above < int64_t(keep))
    above += counts[--bucket];
  // The largest double below the bucket: all of the bucket still counts.
  if (bucket > lowest)
    floor = std::bit_cast<double>((uint64_t(bucket) << droppedBits) - 1);
}

double Percentile::countedAt(size_t rank) const {
  auto left = int64_t(rank);
  for (size_t bucket = bucketOf(highest) + 1; bucket-- > 0;) {
    left -= counts[bucket];
    if (left < 0)
      return (lowEndOf(bucket) + lowEndOf(bucket + 1)) / 2;
  }
  return 0;
}

double Percentile::of(int64_t count) {
  // Nearest rank: ceil(0.99 n) counted from the smallest.
  auto rank = size_t(count - (99 * count + 99) / 100);
  if (!counts.empty())
    return countedAt(rank);
  if (rank >= values.size())
    return 0;
  auto position = values.begin() + std::ptrdiff_t(rank);
  std::nth_element(values.begin(), position, values.end(), std::greater<>());
  return *position;
}
