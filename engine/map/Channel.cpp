// The space between two rows of stations, where lanes move sideways.
#include "map/Channel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace lh;

/// How badly a vertical part at `x` meets the sideways part of `other`.
static int meets(double x, const Crossing &other) {
  // Two verticals in one place would look like one lane.
  if (std::abs(x - other.from) < 1 || std::abs(x - other.to) < 1)
    return 4;
  return x > std::min(other.from, other.to) &&
                 x < std::max(other.from, other.to)
             ? 1
             : 0;
}

/// The cuts when `upper` runs above `lower`.
static int cuts(const Crossing &upper, const Crossing &lower) {
  return meets(upper.to, lower) + meets(lower.from, upper);
}

static bool isClose(const Crossing &left, const Crossing &right,
                    double clearance) {
  auto [leftLow, leftHigh] = std::minmax(left.from, left.to);
  auto [rightLow, rightHigh] = std::minmax(right.from, right.to);
  return leftLow < rightHigh + clearance && rightLow < leftHigh + clearance;
}

/// The crossings that need a track, those that should be higher first.
static std::vector<size_t> orderOf(ArrayRef<Crossing> crossings,
                                   double clearance) {
  std::vector<size_t> order;
  std::vector<int> score(crossings.size());
  for (size_t i = 0; i < crossings.size(); ++i) {
    if (crossings[i].isStraight())
      continue;
    order.push_back(i);
    for (size_t j = 0; j < crossings.size(); ++j)
      if (j != i && !crossings[j].isStraight() &&
          isClose(crossings[i], crossings[j], clearance))
        score[i] +=
            cuts(crossings[i], crossings[j]) - cuts(crossings[j], crossings[i]);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return score[a] < score[b]; });
  // The score is an average; neighbours are put right one by one.
  for (size_t round = 0; round < order.size(); ++round) {
    bool changed = false;
    for (size_t i = 1; i < order.size(); ++i)
      if (cuts(crossings[order[i]], crossings[order[i - 1]]) <
          cuts(crossings[order[i - 1]], crossings[order[i]])) {
        std::swap(order[i - 1], order[i]);
        changed = true;
      }
    if (!changed)
      break;
  }
  return order;
}

std::vector<unsigned> lh::assignTracks(ArrayRef<Crossing> crossings,
                                       double clearance) {
  std::vector<unsigned> tracks(crossings.size());
  std::vector<size_t> placed;
  for (size_t one : orderOf(crossings, clearance)) {
    for (size_t other : placed)
      if (isClose(crossings[one], crossings[other], clearance))
        tracks[one] = std::max(tracks[one], tracks[other] + 1);
    placed.push_back(one);
  }
  return tracks;
}
