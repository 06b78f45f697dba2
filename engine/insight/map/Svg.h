// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A placed map as SVG, by itself or within a page.
#ifndef LH_INSIGHT_MAP_SVG_H
#define LH_INSIGHT_MAP_SVG_H

#include "insight/map/Layout.h"

namespace lh {

/// What someone else has to say on a station. All is text: it is escaped.
struct NodeDecoration {
  /// "passed", "failed", "slower", "skipped", "unverified" colour the station;
  /// several may be given with spaces between. Letters, digits and '-' only.
  std::string classes;
  std::string text;  ///< in place of the second line: "1.2 ms, error 2e-5"
  std::string title; ///< shown when pointed at; empty: the map's own
  std::string link;  ///< "#drawer-3"; empty: none
};

struct Decorations {
  std::map<size_t, NodeDecoration> nodes; ///< by index in `SpaceMap::nodes`
};

struct SvgOptions {
  std::string title = "Pipeline map";
  /// A file of its own: with a legend and its styles. Else the page has both:
  /// `mapStyles()`.
  bool standalone = true;
  std::string idPrefix = "map"; ///< where a page has several
};

/// Elements have classes: `lane-N` on all that lane N goes through, `station`,
/// `stretch`; a station has the id PREFIX-node-N.
std::string renderSvg(const MapLayout &layout,
                      const Decorations &decorations = {},
                      const SvgOptions &options = {});

/// CSS for maps in a page, light and dark.
StringRef mapStyles();

/// "A" to "Z", then "A1" and so on: what a lane's plate says.
std::string laneLetter(size_t lane);

/// `style="..."` for what is drawn in the lane's colour, with a leading space;
/// nothing where the class `lane-N` says it.
std::string laneStyle(const MapLane &lane);

} // namespace lh

#endif // LH_INSIGHT_MAP_SVG_H
