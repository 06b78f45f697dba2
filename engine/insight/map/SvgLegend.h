// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The legend of a map that stands by itself.
#ifndef LH_INSIGHT_MAP_SVGLEGEND_H
#define LH_INSIGHT_MAP_SVGLEGEND_H

#include "insight/map/SvgWriter.h"

namespace lh {

/// Draws title, lanes, targets and signs from (x, y) on, at most `width` wide
/// (a column of lanes is 300); returns the height.
double drawLegend(SvgWriter &svg, const SpaceMap &map, StringRef title,
                  double x, double y, double width);

} // namespace lh

#endif // LH_INSIGHT_MAP_SVGLEGEND_H
