// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The space between two rows of stations, where lanes move sideways.
#ifndef LH_INSIGHT_MAP_CHANNEL_H
#define LH_INSIGHT_MAP_CHANNEL_H

#include "core/support/Diagnostic.h"

namespace lh {

/// A lane that comes into a channel from above at `tops`, runs sideways, and
/// leaves downwards at `bottoms`: one of each, or a lane that forks or joins.
struct Crossing {
  std::vector<double> tops, bottoms;
};

/// The track of each crossing, 0 at the top: crossings whose sideways parts
/// are closer than `clearance` have different ones, in an order in which few
/// of them cut each other.
std::vector<unsigned> assignTracks(ArrayRef<Crossing> crossings,
                                   double clearance);

} // namespace lh

#endif // LH_INSIGHT_MAP_CHANNEL_H
