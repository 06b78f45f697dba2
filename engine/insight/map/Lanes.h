// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which pipelines share a lane, and what it is called.
#ifndef LH_INSIGHT_MAP_LANES_H
#define LH_INSIGHT_MAP_LANES_H

#include "insight/map/SpaceMap.h"

namespace lh {

/// At most `maximum` lanes for `pipelines`: those with one route share a lane;
/// if that isn't enough, those of one name do; the rest are "others".
std::vector<MapLane> makeLanes(std::vector<MapMember> pipelines,
                               ArrayRef<MapSource> sources, size_t maximum);

/// A colour that is safe to write into any of the formats: `#rgb`, `#rrggbb`,
/// or a word of letters. Empty if `text` is none.
std::string safeColor(StringRef text);

/// The lane's colour on white, for formats that have no style sheet.
std::string paletteColor(const MapLane &lane, size_t index);

} // namespace lh

#endif // LH_INSIGHT_MAP_LANES_H
