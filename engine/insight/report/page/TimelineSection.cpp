// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which step ran when: a lane for each that ran at the same time.
#include "insight/report/page/Html.h"
#include "insight/report/page/Sections.h"

#include "insight/report/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>

using namespace lh;
using llvm::raw_ostream;

namespace {

constexpr double chartWidth = 1000;
constexpr int laneHeight = 18;
constexpr double narrowest = 0.7; ///< in the picture's units

/// Steps drawn as one box: a wide one, or several that follow each other.
struct Box {
  double begin = 0, end = 0; ///< seconds
  size_t steps = 0;
  size_t bubble = 0; ///< of the longest
  double longest = 0;
  StepStatus worst = StepStatus::Passed;
};

/// Draws the steps of one run.
class Timeline {
public:
  Timeline(const PageData &data, size_t run)
      : data(data), run(data.runs[run]), bubbleOf(data.bubbleOf[run]) {}

  void write(raw_ostream &out);

private:
  void place();
  size_t laneFor(const SavedStep &step);
  void draw(StepId id, size_t lane);
  void writeAxis(raw_ostream &out) const;
  void writeBox(const Box &box, size_t lane, raw_ostream &out) const;
  double x(double seconds) const { return seconds / span * chartWidth; }

  const PageData &data;
  const SavedRun &run;
  const std::vector<size_t> &bubbleOf;
  double span = 1;
  std::vector<std::vector<Box>> lanes;
  std::vector<double> laneEnds;
  std::vector<size_t> laneWorkers;
};

} // namespace

/// The worker's own lane if it is free, else the first that is.
size_t Timeline::laneFor(const SavedStep &step) {
  size_t found = lanes.size();
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    if (laneEnds[lane] > step.begin + 1e-9)
      continue;
    if (laneWorkers[lane] == step.worker)
      return lane;
    found = std::min(found, lane);
  }
  if (found == lanes.size()) {
    lanes.emplace_back();
    laneEnds.push_back(0);
    laneWorkers.push_back(0);
  }
  return found;
}

/// What is too narrow to be seen joins what stands right before it.
void Timeline::draw(StepId id, size_t lane) {
  const SavedStep &step = run.steps[id];
  double end = step.begin + step.seconds;
  double wide = span / chartWidth * narrowest;
  std::vector<Box> &boxes = lanes[lane];
  bool joins =
      !boxes.empty() && step.begin - boxes.back().end < wide &&
      (step.seconds < wide || boxes.back().end - boxes.back().begin < wide);
  if (!joins)
    boxes.push_back({step.begin, end, 0, bubbleOf[id], 0, StepStatus::Passed});
  Box &box = boxes.back();
  box.end = std::max(box.end, end);
  ++box.steps;
  if (step.seconds >= box.longest) {
    box.longest = step.seconds;
    box.bubble = bubbleOf[id];
  }
  if (step.status != StepStatus::Passed)
    box.worst = step.status;
}

void Timeline::place() {
  std::vector<StepId> order;
  for (StepId id = 0; id < run.steps.size(); ++id) {
    const SavedStep &step = run.steps[id];
    if (step.status == StepStatus::NotRun)
      continue;
    order.push_back(id);
    span = std::max(order.size() == 1 ? 0 : span, step.begin + step.seconds);
  }
  if (!(span > 0))
    span = 1;
  llvm::stable_sort(order, [&](StepId a, StepId b) {
    return run.steps[a].begin < run.steps[b].begin;
  });
  for (StepId id : order) {
    size_t lane = laneFor(run.steps[id]);
    laneEnds[lane] = run.steps[id].begin + run.steps[id].seconds;
    laneWorkers[lane] = run.steps[id].worker;
    draw(id, lane);
  }
}

void Timeline::writeAxis(raw_ostream &out) const {
  constexpr int ticks = 8;
  int bottom = int(lanes.size()) * laneHeight;
  for (int i = 0; i <= ticks; ++i) {
    double at = chartWidth * i / ticks;
    out << "<path class=\"tick\" d=\"M" << llvm::format("%.0f", at) << " 0V"
        << bottom + 4 << "\"/><text class=\""
        << (i == 0       ? "first"
            : i == ticks ? "last"
                         : "")
        << "\" x=\"" << llvm::format("%.0f", at) << "\" y=\"" << bottom + 17
        << "\">" << timeText(span * i / ticks) << "</text>";
  }
}

void Timeline::writeBox(const Box &box, size_t lane, raw_ostream &out) const {
  double width = std::max(x(box.end) - x(box.begin), narrowest);
  bool isBad =
      box.worst != StepStatus::Passed && box.worst != StepStatus::NotApplicable;
  const std::string &name = data.bubbles[box.bubble].name;
  out << "<a href=\"#bubble-" << box.bubble << "\"><rect class=\""
      << (isBad ? "bad" : "hue") << "\" style=\"--h:" << box.bubble * 47 % 360
      << "\" x=\"" << llvm::format("%.2f", x(box.begin)) << "\" y=\""
      << lane * laneHeight + 2 << "\" width=\"" << llvm::format("%.2f", width)
      << "\" height=\"" << laneHeight - 4 << "\"><title>";
  if (box.steps > 1)
    out << box.steps << " steps, most of it ";
  out << Html{name} << ' ' << timeText(box.end - box.begin) << ' '
      << enumName(box.worst) << "</title></rect>";
  constexpr double letter = 6.2;
  if (width > letter * static_cast<double>(name.size()) + 6)
    out << "<text class=\"in\" x=\"" << llvm::format("%.2f", x(box.begin) + 3)
        << "\" y=\"" << lane * laneHeight + 13 << "\">" << Html{name}
        << "</text>";
  out << "</a>\n";
}

void Timeline::write(raw_ostream &out) {
  place();
  if (lanes.empty())
    return;
  size_t height = lanes.size() * laneHeight + 22;
  out << "<figure><figcaption>" << Html{run.manifest} << ", " << lanes.size()
      << " at a time at most</figcaption><svg class=\"timeline\" viewBox=\"0 0 "
      << chartWidth << ' ' << height
      << "\" role=\"img\" aria-label=\"Which step ran when\">\n";
  writeAxis(out);
  for (size_t lane = 0; lane < lanes.size(); ++lane)
    for (const Box &box : lanes[lane])
      writeBox(box, lane, out);
  out << "</svg></figure>\n";
}

void lh::writeTimeline(const PageData &data, raw_ostream &out) {
  out << "<section id=\"timeline\"><h2>Timeline</h2>\n";
  for (size_t run = 0; run < data.runs.size(); ++run)
    Timeline(data, run).write(out);
  out << "</section>\n";
}
