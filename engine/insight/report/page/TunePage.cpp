// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A page that draws a search: its trials over time, and its two most telling
// dimensions.
#include "insight/report/TunePage.h"

#include "core/manifest/ValueText.h"
#include "insight/report/page/Assets.h"
#include "insight/report/page/Html.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>

using namespace lh;
using llvm::raw_ostream;

namespace {

constexpr double left = 60, width = 700, height = 220, cell = 44;

/// The trials of one site.
struct Search {
  std::string name;
  std::vector<const TrialRecord *> trials;
};

/// How many values of a dimension a grid shows, at most.
constexpr size_t mostValues = 16;

struct Dimension {
  std::string name;
  std::vector<Value> values;
  double telling = 0; ///< share of the variance that its values explain
};

} // namespace

static auto px(double place) { return llvm::format("%.1f", place); }

/// What a site is called behind the key of its work.
static std::vector<Search> searchesOf(ArrayRef<TrialRecord> trials) {
  std::vector<Search> searches;
  for (const TrialRecord &trial : trials) {
    std::string name = StringRef(trial.work).split(' ').second.str();
    auto known = llvm::find_if(
        searches, [&](const Search &each) { return each.name == name; });
    if (known == searches.end()) {
      searches.push_back({name, {}});
      known = std::prev(searches.end());
    }
    known->trials.push_back(&trial);
  }
  return searches;
}

static std::optional<double> speedOf(const TrialRecord &trial) {
  return trial.ratio ? std::optional(trial.ratio->median) : std::nullopt;
}

static void writeDot(double x, double y, const TrialRecord &trial,
                     raw_ostream &out) {
  std::optional<double> speed = speedOf(trial);
  out << "<circle cx=\"" << px(x) << "\" cy=\"" << px(y) << "\" r=\"4\" fill=\""
      << (speed ? "var(--accent)" : "none") << "\" stroke=\""
      << (speed ? "none" : "var(--failed)") << "\"><title>"
      << Html{textOf(trial.point)} << ": ";
  if (speed)
    out << llvm::format("%.3fx", *speed);
  else
    out << enumName(trial.outcome) << ' ' << Html{trial.reason};
  out << "</title></circle>\n";
}

/// Speed over the number of the trial, and the best so far.
static void writeTrials(const Search &search, raw_ostream &out) {
  double most = 1.1, least = 0.9;
  for (const TrialRecord *trial : search.trials)
    if (std::optional<double> speed = speedOf(*trial)) {
      most = std::max(most, *speed);
      least = std::min(least, *speed);
    }
  // What is slower than half stands at the bottom.
  least = std::max(least, 0.5);
  auto y = [&](double speed) {
    return 10 + height * (most - std::max(speed, least)) / (most - least);
  };
  double step = width / std::max<double>(1, double(search.trials.size()));
  out << "<svg viewBox=\"0 0 800 260\" role=\"img\" aria-label=\"speed of "
         "trials over time\">\n";
  for (double speed : {least, 1.0, most})
    out << "<line x1=\"60\" x2=\"760\" y1=\"" << px(y(speed)) << "\" y2=\""
        << px(y(speed)) << "\" stroke=\"var(--line)\"/><text x=\"54\" y=\""
        << px(y(speed) + 4) << "\" text-anchor=\"end\" fill=\"var(--soft)\" "
        << "font-size=\"12\">" << llvm::format("%.2fx", speed) << "</text>\n";
  std::string line;
  llvm::raw_string_ostream path(line);
  double best = 1;
  for (const auto &[i, trial] : llvm::enumerate(search.trials)) {
    double x = left + (double(i) + 0.5) * step;
    std::optional<double> speed = speedOf(*trial);
    best = std::max(best, speed.value_or(0));
    path << (i == 0 ? "" : " ") << px(x) << ',' << px(y(best));
    writeDot(x, speed ? y(*speed) : height + 20, *trial, out);
  }
  out << "<polyline points=\"" << line
      << "\" fill=\"none\" stroke=\"var(--passed)\" stroke-width=\"2\"/>\n"
      << "<text x=\"760\" y=\"255\" text-anchor=\"end\" fill=\"var(--soft)\" "
         "font-size=\"12\">trials in order; the line is the best so far; "
         "circles below have no time</text>\n</svg>\n";
}

/// The share of the speeds' variance between the values of a dimension.
static double telling(const Search &search, const Dimension &dimension) {
  double sum = 0, squares = 0, count = 0, between = 0;
  for (const Value &value : dimension.values) {
    double own = 0, number = 0;
    for (const TrialRecord *trial : search.trials) {
      auto found = trial->point.find(dimension.name);
      std::optional<double> speed = speedOf(*trial);
      if (!speed || found == trial->point.end() || found->second != value)
        continue;
      own += *speed;
      squares += *speed * *speed;
      ++number;
    }
    if (number == 0)
      continue;
    sum += own;
    count += number;
    between += own * own / number;
  }
  double all = count > 0 ? squares - sum * sum / count : 0;
  return all > 0 ? (between - sum * sum / count) / all : 0;
}

static std::vector<Dimension> tellingOf(const Search &search) {
  std::vector<Dimension> dimensions;
  for (const TrialRecord *trial : search.trials)
    for (const auto &[name, value] : trial->point) {
      auto known =
          llvm::find_if(dimensions, [&, &name = name](const auto &each) {
            return each.name == name;
          });
      if (known == dimensions.end()) {
        dimensions.push_back({name, {}});
        known = std::prev(dimensions.end());
      }
      if (!llvm::is_contained(known->values, value))
        known->values.push_back(value);
    }
  for (Dimension &dimension : dimensions) {
    llvm::sort(dimension.values);
    dimension.telling = telling(search, dimension);
  }
  llvm::erase_if(dimensions, [](const Dimension &dimension) {
    return dimension.values.size() < 2;
  });
  llvm::stable_sort(dimensions, [](const Dimension &a, const Dimension &b) {
    return a.telling > b.telling;
  });
  return dimensions;
}

/// The best speed of those that have both values.
static std::optional<double> bestOf(const Search &search,
                                    const Dimension &across, const Value &x,
                                    const Dimension &down, const Value &y) {
  std::optional<double> best;
  for (const TrialRecord *trial : search.trials) {
    auto a = trial->point.find(across.name), b = trial->point.find(down.name);
    std::optional<double> speed = speedOf(*trial);
    if (speed && a != trial->point.end() && b != trial->point.end() &&
        a->second == x && b->second == y)
      best = std::max(best.value_or(0), *speed);
  }
  return best;
}

static void writeGrid(const Search &search, Dimension across, Dimension down,
                      raw_ostream &out) {
  across.values.resize(std::min(across.values.size(), mostValues));
  down.values.resize(std::min(down.values.size(), mostValues));
  double high = 40 + cell * double(down.values.size() + 1);
  out << "<svg viewBox=\"0 0 800 " << px(high)
      << "\" role=\"img\" aria-label=\"best speed by two dimensions\">\n"
      << "<text x=\"60\" y=\"16\" fill=\"var(--soft)\" font-size=\"12\">"
      << Html{across.name} << " across, " << Html{down.name}
      << " down; the best speed of each pair</text>\n";
  for (const auto &[i, x] : llvm::enumerate(across.values))
    out << "<text x=\"" << px(left + cell * (double(i) + 0.5))
        << "\" y=\"36\" text-anchor=\"middle\" font-size=\"12\" "
           "fill=\"currentColor\">"
        << Html{valueText(x)} << "</text>\n";
  for (const auto &[j, y] : llvm::enumerate(down.values)) {
    double top = 42 + cell * double(j);
    out << "<text x=\"54\" y=\"" << px(top + cell / 2 + 4)
        << "\" text-anchor=\"end\" font-size=\"12\" fill=\"currentColor\">"
        << Html{valueText(y)} << "</text>\n";
    for (const auto &[i, x] : llvm::enumerate(across.values)) {
      std::optional<double> speed = bestOf(search, across, x, down, y);
      if (!speed)
        continue;
      double shade = std::clamp((*speed - 0.7) / 0.5, 0.05, 1.0);
      out << "<rect x=\"" << px(left + cell * double(i)) << "\" y=\"" << px(top)
          << "\" width=\"42\" height=\"42\" fill=\"var(--passed)\" "
          << "fill-opacity=\"" << llvm::format("%.2f", shade)
          << "\"/><text x=\"" << px(left + cell * (double(i) + 0.48))
          << "\" y=\"" << px(top + 26)
          << "\" text-anchor=\"middle\" font-size=\"11\" fill=\""
          << (shade > 0.5 ? "var(--ground)" : "currentColor") << "\">"
          << llvm::format("%.2f", *speed) << "</text>\n";
    }
  }
  out << "</svg>\n";
}

std::string lh::tunePage(StringRef title, ArrayRef<TrialRecord> trials) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<title>"
      << Html{title.str()} << "</title><style>" << assets::pageStyle
      << "svg { max-width: 60rem; display: block; margin: .5rem 0 1.5rem; }"
         "</style></head><body><main>\n<h2>Search: "
      << Html{title.str()} << "</h2>\n";
  for (const Search &search : searchesOf(trials)) {
    out << "<section><h3>" << Html{search.name} << "</h3>\n<p>"
        << search.trials.size() << " trials</p>\n";
    writeTrials(search, out);
    std::vector<Dimension> dimensions = tellingOf(search);
    if (dimensions.size() > 1)
      writeGrid(search, dimensions[0], dimensions[1], out);
    out << "</section>\n";
  }
  out << "</main></body></html>\n";
  return text;
}
