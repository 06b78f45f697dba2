// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which points to try next, by a tree of Parzen estimators: how often a value
// occurs among good points, against how often among the others.
#include "core/tune/Search.h"

#include "core/manifest/ValueText.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace lh;

/// Before so many points with a time there is nothing to learn from.
static constexpr size_t leastKnown = 8;
/// One point in so many is drawn, lest a part of the space is never seen.
static constexpr size_t drawnOnceIn = 8;
/// The share of the points that are good, and how many at least.
static constexpr size_t goodOnceIn = 4, leastGood = 3;
/// How many points are as good as knowing nothing of a dimension.
static constexpr double prior = 0.4;

namespace {

/// A dimension, as the search sees it.
struct Axis {
  bool isOrdered = false;
  size_t size = 0; ///< number of values
  /// By point: which value it has, if any.
  std::vector<std::optional<size_t>> places = {};

  /// What a point with value `a` says of value `b`: a bell over neighbours in
  /// order. Of whole numbers, for exp() isn't the same everywhere.
  double nearness(size_t a, size_t b) const {
    size_t distance = a < b ? b - a : a - b;
    size_t reach = isOrdered ? std::max<size_t>(3, size / 6) : 1;
    if (distance >= reach)
      return 0;
    size_t root = reach * reach - distance * distance;
    return static_cast<double>(root * root);
  }
};

/// How often the values of all dimensions occur in a group of points.
class Density {
public:
  explicit Density(ArrayRef<Axis> axes) : axes(axes), counts(axes.size()) {
    for (const Axis &axis : axes)
      masses.emplace_back(axis.size, prior / static_cast<double>(axis.size));
  }

  void add(size_t point) {
    for (size_t i = 0; i < axes.size(); ++i)
      if (std::optional<size_t> place = axes[i].places[point]) {
        addAt(i, *place);
        counts[i] += 1;
      }
  }

  /// Among the points that have the dimension at all: what only one strategy
  /// has is held against the others of that strategy.
  double at(size_t axis, size_t place) const {
    return masses[axis][place] / (counts[axis] + prior);
  }

private:
  void addAt(size_t i, size_t place) {
    double total = 0;
    for (size_t other = 0; other < axes[i].size; ++other)
      total += axes[i].nearness(place, other);
    for (size_t other = 0; other < axes[i].size; ++other)
      masses[i][other] += axes[i].nearness(place, other) / total;
  }

  ArrayRef<Axis> axes;
  std::vector<double> counts;              ///< by axis
  std::vector<std::vector<double>> masses; ///< by axis, then by value
};

class Proposal {
public:
  Proposal(const TuneSpace &space, ArrayRef<TriedPoint> tried, uint64_t seed);

  std::vector<size_t> bySeed(size_t count);
  std::vector<size_t> byDensity(size_t count);

private:
  void take(size_t point) {
    isTaken[point] = true;
    taken.push_back(point);
    picks.push_back(point);
  }
  size_t nextBySeed() const;
  size_t best(const Density &good, const Density &others) const;
  std::vector<size_t> withTimeBestFirst() const;

  const TuneSpace &space;
  std::vector<Axis> axes = {};
  std::vector<size_t> order = {}; ///< all points, as the seed has them
  std::vector<bool> isTaken;      ///< tried or picked
  std::vector<size_t> taken = {}; ///< the same
  std::vector<std::optional<double>> costs;
  std::vector<size_t> picks = {};
};

} // namespace

static std::vector<Axis> axesOf(const TuneSpace &space) {
  std::vector<Axis> axes;
  for (const TuneDimension &dimension : dimensionsOf(space)) {
    Axis axis = {asNumber(dimension.values.front()).has_value(),
                 dimension.values.size()};
    for (const TunePoint &point : space.points) {
      auto found = point.find(dimension.name);
      std::optional<size_t> &place = axis.places.emplace_back();
      for (size_t i = 0; found != point.end() && i < axis.size; ++i)
        if (sameValue(found->second, dimension.values[i]))
          place = i;
    }
    for (const Value &value : dimension.values)
      axis.isOrdered &= asNumber(value).has_value();
    axes.push_back(std::move(axis));
  }
  return axes;
}

/// 0 to count-1, shuffled. What the standard library draws differs between its
/// makers; this is splitmix64.
static std::vector<size_t> shuffled(size_t count, uint64_t state) {
  auto below = [&](uint64_t bound) {
    uint64_t x = state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (x ^ (x >> 31)) % bound;
  };
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[below(i)]);
  return order;
}

Proposal::Proposal(const TuneSpace &space, ArrayRef<TriedPoint> tried,
                   uint64_t seed)
    : space(space), order(shuffled(space.points.size(), seed)),
      isTaken(space.points.size()), costs(space.points.size()) {
  for (const TriedPoint &each : tried) {
    if (each.point >= space.points.size())
      continue;
    if (!isTaken[each.point])
      taken.push_back(each.point);
    isTaken[each.point] = true;
    bool hasTime = each.cost && std::isfinite(*each.cost);
    costs[each.point] = hasTime ? each.cost : std::nullopt;
  }
  // The order in which they were tried says nothing.
  llvm::sort(taken);
}

size_t Proposal::nextBySeed() const {
  return *llvm::find_if(order, [&](size_t point) { return !isTaken[point]; });
}

std::vector<size_t> Proposal::bySeed(size_t count) {
  for (size_t point : order)
    if (!isTaken[point] && picks.size() < count)
      take(point);
  return std::move(picks);
}

/// What occurs most among the good against how often it does among the others.
size_t Proposal::best(const Density &good, const Density &others) const {
  std::optional<size_t> found;
  double most = -1;
  for (size_t point : order) {
    if (isTaken[point])
      continue;
    double score = 1;
    for (size_t i = 0; i < axes.size(); ++i)
      if (std::optional<size_t> place = axes[i].places[point])
        score *= good.at(i, *place) / others.at(i, *place);
    if (score > most) {
      most = score;
      found = point;
    }
  }
  return *found;
}

/// Without the empty point, which says nothing of any value.
std::vector<size_t> Proposal::withTimeBestFirst() const {
  std::vector<size_t> points;
  for (size_t point : taken)
    if (costs[point] && !space.points[point].empty())
      points.push_back(point);
  llvm::stable_sort(points,
                    [&](size_t a, size_t b) { return *costs[a] < *costs[b]; });
  return points;
}

std::vector<size_t> Proposal::byDensity(size_t count) {
  axes = axesOf(space);
  Density good(axes), others(axes);
  std::vector<size_t> ranked = withTimeBestFirst();
  // With too few none is good, so that what is least like them comes next.
  size_t goods =
      ranked.size() < leastKnown
          ? 0
          : std::max(leastGood, (ranked.size() + goodOnceIn - 1) / goodOnceIn);
  ranked.resize(goods);
  for (size_t point : taken)
    (llvm::is_contained(ranked, point) ? good : others).add(point);
  while (picks.size() < count && taken.size() < space.points.size()) {
    bool draws = taken.size() % drawnOnceIn == drawnOnceIn - 1;
    size_t point = draws ? nextBySeed() : best(good, others);
    take(point);
    // As if it had been no good: a round's points differ from each other.
    others.add(point);
  }
  return std::move(picks);
}

std::vector<size_t> lh::proposePoints(const TuneSpace &space,
                                      ArrayRef<TriedPoint> tried,
                                      SearchKind kind, size_t count,
                                      uint64_t seed) {
  Proposal proposal(space, tried, seed);
  bool isSmall = space.points.size() <= smallSpace;
  return kind != SearchKind::Tpe || isSmall ? proposal.bySeed(count)
                                            : proposal.byDensity(count);
}
