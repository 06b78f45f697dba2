// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements that maps are drawn with.
#ifndef LH_INSIGHT_MAP_SVGWRITER_H
#define LH_INSIGHT_MAP_SVGWRITER_H

#include "insight/map/Svg.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

class SvgWriter {
public:
  explicit SvgWriter(llvm::raw_ostream &out) : out(out) {}

  void rectangle(StringRef classes, double x, double y, double width,
                 double height, double radius);
  void path(StringRef classes, StringRef data);
  /// Escapes `content`.
  void text(StringRef classes, double x, double y, StringRef content);
  /// A small text with a frame, its left border at `x`; returns its right one.
  double chip(StringRef frame, double x, double y, StringRef content);
  /// The round plate of a lane.
  void plate(const SpaceMap &map, size_t lane, double x, double y);
  void open(StringRef element, StringRef attributes = "");
  void close(StringRef element);
  void title(StringRef content);

  llvm::raw_ostream &out;
};

/// ` class="lane-3 ..." style="--lane:#123456"` for a lane's own elements.
std::string laneAttributes(const SpaceMap &map, size_t lane,
                           StringRef moreClasses = "");

/// Drawn with a light core: the second time that the palette comes round.
bool isHollow(const SpaceMap &map, size_t lane);

} // namespace lh

#endif // LH_INSIGHT_MAP_SVGWRITER_H
