// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphviz's layered layout, in process; its one home.
#include "insight/map/Ranks.h"

#include <graphviz/gvc.h>

#include <cstdio>
#include <string>

using namespace lh;

// Linked, so that no file has to tell Graphviz where its plugins lie.
extern "C" gvplugin_library_t gvplugin_dot_layout_LTX_library;

namespace {

/// A graph and its layout, freed together.
class Drawing {
public:
  explicit Drawing(const RankGraph &graph, bool ranksOnly);
  ~Drawing();
  Drawing(const Drawing &) = delete;
  Drawing &operator=(const Drawing &) = delete;

  bool layOut();
  std::vector<Agnode_t *> nodes;

private:
  void setDefaults(const RankGraph &graph, bool ranksOnly);
  void addVertices(const RankGraph &graph);
  void addEdges(const RankGraph &graph);

  GVC_t *context;
  Agraph_t *drawing;
  bool isLaidOut = false;
};

} // namespace

/// Graphviz's functions take `char *` and don't write to it.
static char *text(const char *constant) { return const_cast<char *>(constant); }

static void set(void *object, const char *name, const std::string &value) {
  agsafeset(object, text(name), text(value.c_str()), text(""));
}

static int keepQuiet(char *) { return 0; }

Drawing::Drawing(const RankGraph &graph, bool ranksOnly) {
  static lt_symlist_t plugins[] = {
      {"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
      {nullptr, nullptr}};
  agseterrf(keepQuiet);
  context = gvContextPlugins(plugins, 0);
  drawing = agopen(text("map"), Agdirected, nullptr);
  setDefaults(graph, ranksOnly);
  addVertices(graph);
  addEdges(graph);
  for (size_t i = 0; i < graph.clusters.size(); ++i) {
    std::string name = "cluster" + std::to_string(i);
    Agraph_t *cluster = agsubg(drawing, text(name.c_str()), 1);
    for (size_t vertex : graph.clusters[i])
      agsubnode(cluster, nodes[vertex], 1);
  }
}

Drawing::~Drawing() {
  if (isLaidOut)
    gvFreeLayout(context, drawing);
  agclose(drawing);
  gvFreeContext(context);
}

/// Graphviz's numbers have a point whatever the locale is.
static std::string inches(double points) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4f", points / 72);
  return buffer;
}

void Drawing::setDefaults(const RankGraph &graph, bool ranksOnly) {
  auto setDefault = [&](int kind, const char *name, const std::string &value) {
    agattr(drawing, kind, text(name), text(value.c_str()));
  };
  if (ranksOnly)
    setDefault(AGRAPH, "phase", "1");
  setDefault(AGRAPH, "splines", ""); // no edges: they are ours
  setDefault(AGRAPH, "nodesep", inches(graph.separation));
  setDefault(AGRAPH, "margin", "8"); // around a cluster
  setDefault(AGNODE, "label", "");
  setDefault(AGNODE, "shape", "box");
  setDefault(AGNODE, "fixedsize", "true");
  setDefault(AGNODE, "height", "0.1");
  setDefault(AGNODE, "width", "0.1");
  setDefault(AGEDGE, "tailport", "");
  setDefault(AGEDGE, "headport", "");
  setDefault(AGEDGE, "weight", "1");
}

void Drawing::addVertices(const RankGraph &graph) {
  for (size_t i = 0; i < graph.vertices.size(); ++i) {
    std::string name = "v" + std::to_string(i);
    nodes.push_back(agnode(drawing, text(name.c_str()), 1));
    set(nodes.back(), "width", inches(std::max(graph.vertices[i].width, 1.0)));
  }
}

void Drawing::addEdges(const RankGraph &graph) {
  for (const RankEdge &edge : graph.edges) {
    Agedge_t *drawn =
        agedge(drawing, nodes[edge.from], nodes[edge.to], nullptr, 1);
    set(drawn, "weight", std::to_string(edge.weight));
    if (graph.vertices[edge.from].isAnchoredLeft)
      set(drawn, "tailport", "w");
    if (graph.vertices[edge.to].isAnchoredLeft)
      set(drawn, "headport", "w");
  }
}

bool Drawing::layOut() {
  isLaidOut = gvLayout(context, drawing, "dot") == 0;
  return isLaidOut;
}

FailureOr<std::vector<unsigned>> lh::ranksOf(const RankGraph &graph) {
  Drawing drawing(graph, /*ranksOnly=*/true);
  if (!drawing.layOut())
    return failure();
  std::vector<unsigned> ranks;
  for (Agnode_t *node : drawing.nodes)
    ranks.push_back(static_cast<unsigned>(ND_rank(node)));
  return ranks;
}

FailureOr<std::vector<RankPosition>> lh::positionsOf(const RankGraph &graph) {
  Drawing drawing(graph, /*ranksOnly=*/false);
  if (!drawing.layOut())
    return failure();
  std::vector<RankPosition> positions;
  for (size_t i = 0; i < drawing.nodes.size(); ++i) {
    double x = ND_coord(drawing.nodes[i]).x;
    if (graph.vertices[i].isAnchoredLeft)
      x -= graph.vertices[i].width / 2;
    positions.push_back({static_cast<unsigned>(ND_rank(drawing.nodes[i])), x});
  }
  return positions;
}
