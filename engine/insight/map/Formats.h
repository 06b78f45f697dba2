// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map for other programs, and for terminals.
#ifndef LH_INSIGHT_MAP_FORMATS_H
#define LH_INSIGHT_MAP_FORMATS_H

#include "insight/map/SpaceMap.h"

namespace lh {

/// For Graphviz's tools: a coloured edge per lane.
std::string renderDot(const SpaceMap &map, StringRef title);

/// A Mermaid flowchart, as documentation pages show them.
std::string renderMermaid(const SpaceMap &map);

/// Everything the map knows; docs/cli.md lists the keys.
std::string renderMapJson(const SpaceMap &map, StringRef title);

struct MapTextOptions {
  bool color = false;
  unsigned width = 80;
};

/// Rows of stations and columns of lanes.
void printMapText(const SpaceMap &map, const MapTextOptions &options,
                  llvm::raw_ostream &out);

} // namespace lh

#endif // LH_INSIGHT_MAP_FORMATS_H
