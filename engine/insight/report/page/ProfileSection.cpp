// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of calls went: a bar per node, and the nodes under the roofs
// of the machine.
#include "insight/report/page/Html.h"
#include "insight/report/page/Sections.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace lh;
using llvm::raw_ostream;

/// A place in a picture.
static auto px(double place) { return llvm::format("%.1f", place); }

namespace {

constexpr int left = 240, plot = 490, barHeight = 22, height = 260;
constexpr size_t mostBars = 30;

/// A range of numbers along a logarithmic axis, in whole decades.
class Decades {
public:
  Decades(double least, double most)
      : from(std::floor(std::log10(least))), to(std::ceil(std::log10(most))) {
    to = std::max(to, from + 1);
  }

  /// From 0 to 1.
  double place(double number) const {
    return (std::log10(number) - from) / (to - from);
  }
  template <typename Draw> void each(Draw draw) const {
    for (double power = from; power <= to; ++power)
      draw(std::pow(10, power));
  }

private:
  double from, to;
};

/// The roofline model (Williams, Waterman, Patterson, 2009): operations per
/// second over operations per byte that a node has to move at least.
class Roofline {
public:
  explicit Roofline(const ProfiledResult &result);
  void write(raw_ostream &out) const;

private:
  struct Point {
    const ProfiledNode *node;
    double intensity, rate;
  };

  void writeAxes(raw_ostream &out) const;
  void writeRoof(raw_ostream &out) const;
  double x(double intensity) const {
    return left + across.place(intensity) * plot;
  }
  double y(double rate) const { return height - up.place(rate) * height; }

  const ProfiledResult &result;
  std::vector<Point> points;
  double peak = 0, bandwidth = 0;
  Decades across{1, 10}, up{1, 10};
};

} // namespace

static std::string percent(double share) {
  return numberText(std::round(share * 1000) / 10) + "&thinsp;%";
}

Roofline::Roofline(const ProfiledResult &result) : result(result) {
  for (const ProfiledNode &node : result.nodes) {
    if (!(node.operations > 0 && node.bytes > 0 && node.seconds > 0))
      continue;
    double rate = node.operations / node.seconds;
    points.push_back({&node, node.operations / node.bytes, rate});
    if (node.ofPeak && *node.ofPeak > 0)
      peak = std::max(peak, rate / *node.ofPeak);
    if (node.ofBandwidth && *node.ofBandwidth > 0)
      bandwidth =
          std::max(bandwidth, node.bytes / node.seconds / *node.ofBandwidth);
  }
  if (points.empty() || !(peak > 0 && bandwidth > 0))
    return;
  auto [least, most] = std::minmax_element(
      points.begin(), points.end(), [](const Point &one, const Point &other) {
        return one.intensity < other.intensity;
      });
  double ridge = peak / bandwidth;
  across = Decades(std::min(least->intensity, ridge) / 2,
                   std::max(most->intensity, ridge) * 2);
  double slowest = peak;
  for (const Point &point : points)
    slowest = std::min(slowest, point.rate);
  up = Decades(slowest, peak * 1.1);
}

void Roofline::writeAxes(raw_ostream &out) const {
  across.each([&](double number) {
    out << "<path class=\"tick\" d=\"M" << px(x(number)) << " 0V" << height
        << "\"/><text x=\"" << px(x(number)) << "\" y=\"" << height + 14
        << "\">" << llvm::format("%g", number) << "</text>";
  });
  up.each([&](double number) {
    out << "<path class=\"tick\" d=\"M" << left << ' ' << px(y(number)) << "h"
        << plot << "\"/><text class=\"name\" x=\"" << left - 8 << "\" y=\""
        << px(y(number) + 4) << "\">" << llvm::format("%g", number * 1e-9)
        << " GFLOP/s</text>";
  });
  out << "<text x=\"" << left + plot / 2 << "\" y=\"" << height + 30
      << "\">operations per byte</text>";
}

void Roofline::writeRoof(raw_ostream &out) const {
  double ridge = peak / bandwidth, begin = ridge, end = ridge;
  for (const Point &point : points) {
    begin = std::min(begin, point.intensity);
    end = std::max(end, point.intensity);
  }
  out << "<path class=\"peak\" d=\"";
  char command = 'M';
  for (double intensity : {begin, ridge, end}) {
    double roof = y(std::min(peak, intensity * bandwidth));
    out << std::exchange(command, 'L') << px(x(intensity)) << ' '
        << px(std::min<double>(height, roof));
  }
  out << "\"><title>" << numberText(peak * 1e-9) << " GFLOP/s, "
      << numberText(bandwidth * 1e-9) << " GB/s</title></path>";
}

void Roofline::write(raw_ostream &out) const {
  if (points.empty() || !(peak > 0 && bandwidth > 0))
    return;
  out << "<figure><figcaption>Each node under the roofs of the machine, larger "
         "the longer it takes; the dashed lines are the copy rate and the "
         "peak</figcaption><svg class=\"bench\" viewBox=\"0 0 960 "
      << height + 36 << "\" role=\"img\" aria-label=\"Roofline\">";
  writeAxes(out);
  writeRoof(out);
  for (const Point &point : points)
    out << "<circle class=\"bar\" cx=\"" << px(x(point.intensity)) << "\" cy=\""
        << px(y(point.rate)) << "\" r=\""
        << px(2.5 + 20 * std::sqrt(point.node->seconds / result.seconds))
        << "\"><title>" << Html{point.node->node} << ": "
        << timeText(point.node->seconds) << ", "
        << percent(point.node->ofRoofline.value_or(0))
        << " of the roofline</title></circle>";
  out << "</svg></figure>\n";
}

static void writeBars(const ProfiledResult &result, raw_ostream &out) {
  ArrayRef<ProfiledNode> nodes = result.nodes;
  size_t hidden = nodes.size() - std::min(nodes.size(), mostBars);
  nodes = nodes.take_front(mostBars);
  if (nodes.empty() || !(nodes[0].seconds > 0))
    return;
  out << "<figure><figcaption>Time of a node, the darker part what the machine "
         "would need at its roofline"
      << (hidden > 0 ? "; without the " + countText(int64_t(hidden)) +
                           " that take least"
                     : std::string())
      << "</figcaption><svg class=\"bench\" viewBox=\"0 0 960 "
      << nodes.size() * barHeight + 8
      << "\" role=\"img\" aria-label=\"Time by node\">";
  for (size_t i = 0; i < nodes.size(); ++i) {
    const ProfiledNode &node = nodes[i];
    size_t top = i * barHeight + 4;
    double width = node.seconds / nodes[0].seconds * plot;
    out << "<text class=\"name\" x=\"" << left - 8 << "\" y=\"" << top + 12
        << "\">" << Html{node.node} << "</text><rect class=\"bar\" x=\"" << left
        << "\" y=\"" << top << "\" width=\"" << px(width) << "\" height=\""
        << barHeight - 6 << "\"><title>"
        << Html{node.strategy.empty() ? node.kind : node.strategy}
        << "</title></rect>";
    if (node.ofRoofline)
      out << "<rect class=\"roof\" x=\"" << left << "\" y=\"" << top
          << "\" width=\"" << px(width * std::min(1.0, *node.ofRoofline))
          << "\" height=\"" << barHeight - 6 << "\"/>";
    out << "<text class=\"value\" x=\"" << left + plot + 10 << "\" y=\""
        << top + 12 << "\">" << timeText(node.seconds) << ", "
        << percent(node.seconds / result.seconds)
        << (node.ofRoofline ? ", " + percent(*node.ofRoofline) + " of roofline"
                            : std::string())
        << "</text>";
  }
  out << "</svg></figure>\n";
}

void lh::writeProfiles(const PageData &data, raw_ostream &out) {
  bool isFirst = true;
  for (const SavedRun &run : data.runs)
    for (const ProfiledResult &result : run.profiles) {
      if (std::exchange(isFirst, false))
        out << "<section id=\"profiles\"><h2>Where the time goes</h2>\n";
      out << "<p class=\"run\">" << Html{resultName(result.key)} << ": "
          << timeText(result.seconds) << " a call</p>";
      writeBars(result, out);
      Roofline(result).write(out);
    }
  if (!isFirst)
    out << "</section>\n";
}
