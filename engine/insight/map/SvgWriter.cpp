// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements that maps are drawn with.
#include "insight/map/SvgWriter.h"

#include "insight/map/Lanes.h"
#include "insight/map/Text.h"

#include "llvm/Support/Format.h"

using namespace lh;

static constexpr size_t paletteSize = 6;

std::string lh::laneLetter(size_t lane) {
  std::string letter(1, static_cast<char>('A' + lane % 26));
  return lane < 26 ? letter : letter + std::to_string(lane / 26);
}

bool lh::isHollow(const SpaceMap &map, size_t lane) {
  return map.lanes[lane].color.empty() && (lane / paletteSize) % 2 == 1;
}

std::string lh::laneStyle(const MapLane &lane) {
  std::string color = safeColor(lane.color);
  return color.empty() ? "" : " style=\"--lane:" + color + "\"";
}

std::string lh::laneAttributes(const SpaceMap &map, size_t lane,
                               StringRef moreClasses) {
  const MapLane &one = map.lanes[lane];
  std::string classes = "lane-" + std::to_string(lane);
  if (one.isOthers)
    classes += " lane-others";
  if (!moreClasses.empty())
    classes += " " + moreClasses.str();
  return " class=\"" + classes + "\"" + laneStyle(one);
}

static llvm::format_object<double> number(double value) {
  return llvm::format("%.6g", value);
}

void SvgWriter::rectangle(StringRef classes, double x, double y, double width,
                          double height, double radius) {
  out << "<rect class=\"" << classes << "\" x=\"" << number(x) << "\" y=\""
      << number(y) << "\" width=\"" << number(width) << "\" height=\""
      << number(height) << "\" rx=\"" << number(radius) << "\"/>\n";
}

void SvgWriter::path(StringRef classes, StringRef data) {
  out << "<path class=\"" << classes << "\" d=\"" << data << "\"/>\n";
}

void SvgWriter::text(StringRef classes, double x, double y, StringRef content) {
  out << "<text class=\"" << classes << "\" x=\"" << number(x) << "\" y=\""
      << number(y) << "\">" << escapeMarkup(content) << "</text>\n";
}

double SvgWriter::chip(StringRef frame, double x, double y, StringRef content) {
  double width = textWidth(content, 10) + 10;
  rectangle(frame, x, y - 10.5, width, 14, 7);
  text("small", x + 5, y, content);
  return x + width;
}

void SvgWriter::plate(const SpaceMap &map, size_t lane, double x, double y) {
  bool hollow = isHollow(map, lane);
  out << "<circle class=\"" << (hollow ? "plate-hollow" : "plate") << "\" cx=\""
      << number(x) << "\" cy=\"" << number(y) << "\" r=\"" << (hollow ? 7.8 : 9)
      << "\"/>\n";
  text(hollow ? "letter letter-hollow" : "letter", x, y + 4, laneLetter(lane));
}

void SvgWriter::open(StringRef element, StringRef attributes) {
  out << '<' << element << attributes << ">\n";
}

void SvgWriter::close(StringRef element) { out << "</" << element << ">\n"; }

void SvgWriter::title(StringRef content) {
  out << "<title>" << escapeMarkup(content) << "</title>\n";
}
