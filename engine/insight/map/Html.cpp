// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map as a page: one file that explains itself.
#include "insight/map/Html.h"

#include "insight/map/Page.h"
#include "insight/map/SvgWriter.h"
#include "insight/map/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace lh;

static std::string routeText(const MapMember &member) {
  std::vector<std::string> nodes;
  for (size_t node : member.route)
    nodes.push_back(std::to_string(node));
  return llvm::join(nodes, " ");
}

/// ` data-route-VIEW="..." data-lane-VIEW="..."` of a pipeline in a map.
static std::string routeAttributes(const SpaceMap &map, StringRef view,
                                   const MapMember &wanted) {
  for (size_t lane = 0; lane < map.lanes.size(); ++lane)
    for (const MapMember &member : map.lanes[lane].members)
      if (member.source == wanted.source && member.pipeline == wanted.pipeline)
        return (" data-route-" + view + "=\"" + routeText(member) +
                "\" data-lane-" + view + "=\"" + Twine(lane) + "\"")
            .str();
  return "";
}

static void printMembers(const SpaceMap &map, const SpaceMap *expanded,
                         const MapLane &lane, llvm::raw_ostream &out) {
  out << "<details class=\"members\"><summary>one by one</summary><ul>\n";
  for (const MapMember &member : lane.members) {
    out << "<li><button type=\"button\" aria-pressed=\"false\""
        << routeAttributes(map, "map", member);
    if (expanded)
      out << routeAttributes(*expanded, "full", member);
    out << '>' << escapeMarkup(map.sources[member.source].manifest) << ": "
        << escapeMarkup(member.pipeline) << "</button></li>\n";
  }
  out << "</ul></details>\n";
}

std::string lh::lanePicker(const MapLayout &collapsed,
                           const MapLayout *expanded) {
  const SpaceMap &map = collapsed.map;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "<ul class=\"picks\">\n<li><label><input type=\"radio\" name=\"lane\" "
         "id=\"pick-all\" checked> all pipelines</label></li>\n";
  for (size_t i = 0; i < map.lanes.size(); ++i) {
    const MapLane &lane = map.lanes[i];
    out << "<li><label><input type=\"radio\" name=\"lane\" id=\"pick-" << i
        << "\"><svg class=\"lh-map\" viewBox=\"0 0 20 20\" "
           "aria-hidden=\"true\">";
    SvgWriter svg(out);
    svg.open("g", laneAttributes(map, i));
    svg.plate(map, i, 10, 10);
    svg.close("g");
    out << "</svg><span>" << escapeMarkup(lane.name) << "</span>";
    if (lane.members.size() > 1)
      out << "<span class=\"count\">\u00d7" << lane.members.size() << "</span>";
    out << "</label>\n";
    if (lane.members.size() > 1)
      printMembers(map, expanded ? &expanded->map : nullptr, lane, out);
    out << "</li>\n";
  }
  out << "</ul>\n";
  return text;
}

std::string lh::pickerStyles(const SpaceMap &map) {
  std::string text;
  for (size_t i = 0; i < map.lanes.size(); ++i) {
    std::string lane = std::to_string(i);
    std::string when = "body:has(#pick-" + lane + ":checked) .lh-map.whole ";
    text += when + ".stretch:not(.lane-" + lane + ") { opacity: .1; }\n" +
            when + ".station:not(.on-" + lane + ") { opacity: .22; }\n";
  }
  return text;
}

static void printList(StringRef heading, ArrayRef<std::string> items,
                      llvm::raw_ostream &out) {
  if (items.empty())
    return;
  out << "<dt>" << heading << "</dt><dd><ul>";
  for (const std::string &item : items)
    out << "<li>" << escapeMarkup(item) << "</li>";
  out << "</ul></dd>\n";
}

static void printFacts(const SpaceMap &map, size_t index, StringRef prefix,
                       llvm::raw_ostream &out) {
  const MapNode &node = map.nodes[index];
  std::vector<std::string> lanes;
  for (size_t lane : node.lanes)
    lanes.push_back(laneLetter(lane) + " " + map.lanes[lane].name);
  std::set<std::string> manifests;
  for (const MapUse &use : node.uses)
    manifests.insert(map.sources[use.source].manifest);
  out << "<details><summary><b>" << escapeMarkup(node.name) << "</b> <small>"
      << escapeMarkup(node.summary)
      << "</small></summary>\n<dl class=\"facts\" "
      << "id=\"" << prefix << "-bubble-" << index << "\" data-name=\""
      << escapeMarkup(node.name) << "\">\n<dt>kind</dt><dd>"
      << escapeMarkup(node.kind) << ", " << escapeMarkup(node.summary)
      << "</dd>\n";
  printList("only when", node.whens, out);
  printList("counted here", node.badges, out);
  printList(node.kind == "composite" ? "inside" : "what it does", node.details,
            out);
  printList("pipelines", lanes, out);
  printList("manifests",
            std::vector<std::string>(manifests.begin(), manifests.end()), out);
  out << "</dl></details>\n";
}

static Decorations linksTo(const SpaceMap &map, StringRef prefix) {
  Decorations decorations;
  for (size_t i = 0; i < map.nodes.size(); ++i)
    decorations.nodes[i].link = ("#" + prefix + "-bubble-" + Twine(i)).str();
  return decorations;
}

static void printView(const MapLayout &layout, StringRef prefix,
                      StringRef title, llvm::raw_ostream &out) {
  out << "<section class=\"view-" << prefix << "\">\n<div class=\"canvas\">\n"
      << renderSvg(layout, linksTo(layout.map, prefix),
                   {title.str(), /*standalone=*/false, prefix.str()})
      << "</div>\n<h2>Bubbles</h2>\n<div class=\"bubbles\">\n";
  for (size_t i = 0; i < layout.map.nodes.size(); ++i)
    printFacts(layout.map, i, prefix, out);
  out << "</div>\n</section>\n";
}

static void printTargets(const SpaceMap &map, llvm::raw_ostream &out) {
  std::vector<std::string> names;
  for (const MapSource &source : map.sources)
    for (const MapTarget &target : source.targets) {
      std::string name = target.name;
      if (target.runs > 1)
        name += " \u00d7" + std::to_string(target.runs);
      if (!llvm::is_contained(names, name))
        names.push_back(name);
    }
  if (names.empty())
    return;
  out << "<h3>Targets</h3>\n<ul class=\"chips\">";
  for (const std::string &name : names)
    out << "<li>" << escapeMarkup(name) << "</li>";
  out << "</ul>\n";
}

static void printHeader(const SpaceMap &map, StringRef title,
                        llvm::raw_ostream &out) {
  size_t pipelines = 0;
  for (const MapSource &source : map.sources)
    pipelines += source.pipelines.size();
  auto count = [&](size_t number, StringRef word) {
    out << number << ' ' << word << (number == 1 ? "" : "s");
  };
  out << "<header><h1>" << escapeMarkup(title) << "</h1>\n<p>";
  count(map.nodes.size(), "bubble");
  out << ", ";
  count(pipelines, "pipeline");
  out << ", ";
  count(map.sources.size(), "manifest");
  out << "</p>\n<div class=\"tools\" data-script hidden>"
         "<input type=\"search\" id=\"search\" placeholder=\"find a bubble "
         "(/)\" "
         "aria-label=\"find a bubble\">"
         "<button type=\"button\" data-zoom=\"1.25\" aria-label=\"larger\">+"
         "</button><button type=\"button\" data-zoom=\"0.8\" "
         "aria-label=\"smaller\">\u2212</button>"
         "<button type=\"button\" "
         "data-zoom=\"fit\">fit</button></div></header>\n";
}

static void printManifests(const SpaceMap &map, llvm::raw_ostream &out) {
  out << "<h3>Manifests</h3>\n<dl class=\"facts\">";
  for (const MapSource &source : map.sources)
    out << "<dt><b>" << escapeMarkup(source.manifest) << "</b></dt><dd><small>"
        << escapeMarkup(source.summary) << "</small></dd>\n";
  out << "</dl>\n";
}

std::string lh::renderMapPage(const MapLayout &collapsed,
                              const MapLayout *expanded, StringRef title) {
  Page page;
  page.title = title.str();
  page.styles = pickerStyles(collapsed.map);
  llvm::raw_string_ostream out(page.body);
  printHeader(collapsed.map, title, out);
  out << "<div class=\"layout\">\n<nav aria-label=\"Pipelines\">\n"
         "<h3>Pipelines</h3>\n"
      << lanePicker(collapsed, expanded);
  if (expanded) {
    page.styles += "body:not(:has(#open-all:checked)) .view-full, "
                   "body:has(#open-all:checked) .view-map { display: none; }\n";
    out << "<ul class=\"picks\"><li><label><input type=\"checkbox\" "
           "id=\"open-all\"> open composite bubbles</label></li></ul>\n";
  }
  printTargets(collapsed.map, out);
  printManifests(collapsed.map, out);
  out << "</nav>\n<main>\n";
  printView(collapsed, "map", title, out);
  if (expanded)
    printView(*expanded, "full", title, out);
  out << "</main>\n</div>\n<aside class=\"drawer\" hidden "
         "aria-label=\"Bubble\">"
         "<button type=\"button\" class=\"close\" aria-label=\"close\">\u00d7"
         "</button><div class=\"body\"></div></aside>\n";
  out.flush();
  return htmlPage(page);
}
