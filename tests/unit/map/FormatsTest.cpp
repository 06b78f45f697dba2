// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every format holds hostile names without being misread.
#include "Spaces.h"

#include "insight/map/Formats.h"
#include "insight/map/Html.h"
#include "insight/map/Page.h"
#include "insight/map/Svg.h"

#include "llvm/Support/JSON.h"

#include <catch2/catch.hpp>
#include <graphviz/cgraph.h>

using namespace lh;

static const std::string hostile =
    "<script>alert(1)</script>\"'`&;\n$(rm x)\\ ${{ y }} --> ]]>: #{\x1b[31m";

static SpaceMap hostileMap(bool expand = false) {
  MapSource source = sourceOf("m", {"p: in low/a low/b out"});
  source.manifest = source.summary = hostile;
  source.pipelines[0].name = hostile;
  source.pipelines[0].color = hostile;
  source.targets = {{hostile, 1}};
  source.cases = {hostile};
  for (MapBubble &bubble : source.bubbles) {
    bool isInner = StringRef(bubble.name).starts_with("low/");
    bubble.name = isInner ? "low/" + bubble.name.substr(4) + hostile
                          : hostile + bubble.name;
    bubble.summary = bubble.kind = bubble.when = hostile;
    bubble.details = {hostile};
  }
  // Names of the outer kind have a '/' in "</script>": they are no chains.
  SpaceMapOptions options;
  options.expand = expand;
  return makeSpaceMap({source}, options);
}

static MapLayout placed(SpaceMap map) {
  FailureOr<MapLayout> layout = layOut(std::move(map));
  REQUIRE(succeeded(layout));
  return std::move(*layout);
}

static bool hasControls(StringRef text) {
  for (char c : text)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      return true;
  return false;
}

TEST_CASE("a hostile name is text in SVG", "[map]") {
  NodeDecoration decoration{"passed\" onload=\"x", hostile, hostile,
                            "javascript:" + hostile};
  Decorations decorations;
  decorations.nodes[0] = decoration;
  for (bool expand : {false, true}) {
    std::string text = renderSvg(placed(hostileMap(expand)), decorations);
    CHECK_FALSE(StringRef(text).contains("<script"));
    CHECK_FALSE(StringRef(text).contains("onload=\""));
    CHECK_FALSE(hasControls(text));
    CHECK(StringRef(text).contains("&lt;script&gt;"));
  }
}

TEST_CASE("a hostile name is text in HTML", "[map]") {
  MapLayout open = placed(hostileMap(true));
  std::string text = renderMapPage(placed(hostileMap()), &open, hostile);
  CHECK(StringRef(text).count("<script>") == 1); // the page's own
  CHECK_FALSE(hasControls(text));
  CHECK(StringRef(text).contains("script-src 'sha256-"));
  for (const char *outside : {"http://", "https://", "@import", "url("}) {
    INFO(outside);
    size_t allowed = StringRef(text).count("http://www.w3.org/2000/svg");
    CHECK(StringRef(text).count(outside) ==
          (StringRef(outside) == "http://" ? allowed : 0));
  }
}

TEST_CASE("a hostile name is text in DOT", "[map]") {
  std::string text = renderDot(hostileMap(), hostile);
  // Outside of quotes there is nothing but DOT.
  bool quoted = false;
  std::string outside;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted)
      outside += text[i];
  }
  CHECK_FALSE(quoted);
  CHECK_FALSE(StringRef(outside).contains("script"));
  CHECK_FALSE(hasControls(text));
  // Graphviz reads it as it was meant.
  Agraph_t *graph = agmemread(text.c_str());
  REQUIRE(graph != nullptr);
  CHECK(agnnodes(graph) == 3);
  CHECK(agnedges(graph) == 2);
  CHECK(StringRef(agnameof(graph)).contains("<script>"));
  agclose(graph);
}

TEST_CASE("a hostile name is text in Mermaid", "[map]") {
  std::string text = renderMermaid(hostileMap());
  CHECK_FALSE(StringRef(text).contains("<script"));
  CHECK_FALSE(StringRef(text).contains("rm x)"));
  CHECK_FALSE(hasControls(text));
  // Three quotes would end a label.
  llvm::SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    INFO(line.str());
    CHECK((line.count('"') == 0 || line.count('"') == 2));
  }
}

TEST_CASE("a hostile name is the same name in JSON", "[map]") {
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse(renderMapJson(hostileMap(), hostile));
  REQUIRE(static_cast<bool>(parsed));
  const llvm::json::Object &root = *parsed->getAsObject();
  CHECK(root.getString("title") == StringRef(hostile));
  const llvm::json::Array &lanes = *root.getArray("lanes");
  REQUIRE(lanes.size() == 1);
  CHECK(lanes[0].getAsObject()->getString("name") == StringRef(hostile));
  CHECK(lanes[0].getAsObject()->getString("color") == StringRef("#2c4bbc"));
}

static std::string textOf(const SpaceMap &map) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printMapText(map, {}, stream);
  return text;
}

TEST_CASE("a hostile name gives a terminal no orders", "[map]") {
  std::string text = textOf(hostileMap());
  CHECK_FALSE(hasControls(text));
  CHECK_FALSE(StringRef(text).contains("\x1b"));
}

TEST_CASE("the text map has a row per bubble and a column per lane", "[map]") {
  SpaceMap map =
      makeSpaceMap({sourceOf("m", {"all: in middle out", "some: in out"})});
  std::string text = textOf(map);
  INFO(text);
  CHECK(StringRef(text).contains("  \u25cf\u2500\u25cf  in  does in\n"));
  CHECK(StringRef(text).contains("  \u25cf \u2502  middle  does middle\n"));
  CHECK(StringRef(text).contains("  \u25c9\u2500\u25c9  out  does out\n"));
  CHECK(StringRef(text).contains("  A all  m\n"));
}

TEST_CASE("a station has what others say on it", "[map]") {
  MapLayout layout = placed(makeSpaceMap({sourceOf("m", {"p: in out"})}));
  Decorations decorations;
  decorations.nodes[1] = {"failed", "error 0.5", "", "#drawer-1"};
  SvgOptions options;
  options.standalone = false;
  options.idPrefix = "run";
  std::string text = renderSvg(layout, decorations, options);
  CHECK(StringRef(text).contains("id=\"run-node-1\""));
  CHECK(StringRef(text).contains("on-0 failed\""));
  CHECK(StringRef(text).contains(">error 0.5</text>"));
  CHECK(StringRef(text).contains("<a href=\"#drawer-1\">"));
  CHECK_FALSE(StringRef(text).contains("<style>"));
}

TEST_CASE("an empty map can be drawn", "[map]") {
  CHECK(StringRef(renderSvg(placed(makeSpaceMap({})))).contains("</svg>"));
  CHECK_FALSE(textOf(makeSpaceMap({})).empty());
}
