// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map as a page: one file that explains itself.
#ifndef LH_INSIGHT_MAP_HTML_H
#define LH_INSIGHT_MAP_HTML_H

#include "insight/map/Layout.h"

namespace lh {

/// The page of a map; `expanded`, if not null, is the same space with composite
/// bubbles opened, and the page can switch between the two.
std::string renderMapPage(const MapLayout &collapsed, const MapLayout *expanded,
                          StringRef title);

/// The list by which a reader picks a lane (radio buttons "pick-N") without a
/// script, with the pipelines of each; for any page that shows the map.
std::string lanePicker(const MapLayout &collapsed, const MapLayout *expanded);

/// The rules that fade what the picked lane doesn't use.
std::string pickerStyles(const SpaceMap &map);

} // namespace lh

#endif // LH_INSIGHT_MAP_HTML_H
