// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The space between two rows of stations, where lanes move sideways.
#include "insight/map/Channel.h"

#include <algorithm>
#include <cmath>

using namespace lh;

namespace {

/// A crossing with the extent of its sideways part.
struct Extent {
  const Crossing &crossing;
  double low, high;

  explicit Extent(const Crossing &crossing) : crossing(crossing) {
    auto [lowTop, highTop] =
        std::minmax_element(crossing.tops.begin(), crossing.tops.end());
    auto [lowBottom, highBottom] =
        std::minmax_element(crossing.bottoms.begin(), crossing.bottoms.end());
    low = std::min(*lowTop, *lowBottom);
    high = std::max(*highTop, *highBottom);
  }

  bool isClose(const Extent &other, double clearance) const {
    return low < other.high + clearance && other.low < high + clearance;
  }
};

} // namespace

/// How badly a vertical part at `x` meets the sideways part of `other`, and
/// its vertical parts `ends` on the other side of the track.
static int meets(double x, const Extent &other, ArrayRef<double> ends) {
  for (double end : ends)
    if (std::abs(x - end) < 1) // two lanes would look like one
      return 4;
  return x > other.low && x < other.high ? 1 : 0;
}

/// The cuts when `upper` runs above `lower`.
static int cuts(const Extent &upper, const Extent &lower) {
  int count = 0;
  for (double x : upper.crossing.bottoms)
    count += meets(x, lower, lower.crossing.tops);
  for (double x : lower.crossing.tops)
    count += meets(x, upper, {});
  return count;
}

/// The crossings, those that should be higher first.
static std::vector<size_t> orderOf(ArrayRef<Extent> extents, double clearance) {
  std::vector<size_t> order(extents.size());
  std::vector<int> score(extents.size());
  for (size_t i = 0; i < extents.size(); ++i) {
    order[i] = i;
    for (size_t j = 0; j < extents.size(); ++j)
      if (j != i && extents[i].isClose(extents[j], clearance))
        score[i] += cuts(extents[i], extents[j]) - cuts(extents[j], extents[i]);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return score[a] < score[b]; });
  // The score is an average; neighbours are put right one by one.
  for (size_t round = 0; round < order.size(); ++round) {
    bool changed = false;
    for (size_t i = 1; i < order.size(); ++i) {
      const Extent &upper = extents[order[i - 1]], &lower = extents[order[i]];
      if (cuts(lower, upper) >= cuts(upper, lower))
        continue;
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
  std::vector<Extent> extents(crossings.begin(), crossings.end());
  std::vector<unsigned> tracks(crossings.size());
  std::vector<size_t> placed;
  for (size_t one : orderOf(extents, clearance)) {
    for (size_t other : placed)
      if (extents[one].isClose(extents[other], clearance))
        tracks[one] = std::max(tracks[one], tracks[other] + 1);
    placed.push_back(one);
  }
  return tracks;
}
