// The space between two rows of stations, where lanes move sideways.
#ifndef LH_MAP_CHANNEL_H
#define LH_MAP_CHANNEL_H

#include "support/Diagnostic.h"

namespace lh {

/// A lane that enters a channel at the top at `from` and leaves it at the
/// bottom at `to`.
struct Crossing {
  double from = 0, to = 0;
  bool isStraight() const { return from - to < 0.5 && to - from < 0.5; }
};

/// The track of each crossing, 0 at the top: crossings whose sideways parts
/// are closer than `clearance` have different ones, in an order in which few
/// of them cut each other. Straight ones have track 0 and take none.
std::vector<unsigned> assignTracks(ArrayRef<Crossing> crossings,
                                   double clearance);

} // namespace lh

#endif // LH_MAP_CHANNEL_H
