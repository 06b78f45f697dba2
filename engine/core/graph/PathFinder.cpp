// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest's graph: its edges checked, its source-to-sink paths.
#include "core/graph/PathFinder.h"

#include "core/support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace lh;

static constexpr size_t mostBubblesToTry = 1000;

std::optional<size_t> BubbleGraph::indexOf(StringRef name) const {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i].value == name)
      return i;
  return std::nullopt;
}

const BubbleGraph::Edge *BubbleGraph::edgeBetween(size_t from,
                                                  size_t to) const {
  for (const Edge &edge : edges)
    if (edge.from == from && edge.to == to)
      return &edge;
  return nullptr;
}

bool BubbleGraph::isSource(size_t bubble) const {
  return llvm::none_of(edges, [&](const Edge &e) { return e.to == bubble; });
}

bool BubbleGraph::isSink(size_t bubble) const {
  return llvm::none_of(edges, [&](const Edge &e) { return e.from == bubble; });
}

namespace {

/// Depth-first search that reports each cycle it closes.
class CycleFinder {
public:
  CycleFinder(const BubbleGraph &graph, DiagnosticSink &sink)
      : graph(graph), sink(sink), marks(graph.names.size(), Mark::New) {}

  LogicalResult run() {
    // Iterative, so that a long chain cannot exhaust the stack.
    for (size_t i = 0; i < marks.size(); ++i)
      if (marks[i] == Mark::New)
        searchFrom(i);
    return llvm::failure(found);
  }

private:
  enum class Mark { New, Open, Done };
  struct Visit {
    size_t bubble, nextEdge;
  };

  void searchFrom(size_t start) {
    std::vector<Visit> stack = {{start, 0}};
    marks[start] = Mark::Open;
    while (!stack.empty()) {
      Visit &top = stack.back();
      if (top.nextEdge == graph.edges.size()) {
        marks[top.bubble] = Mark::Done;
        stack.pop_back();
        continue;
      }
      const BubbleGraph::Edge &edge = graph.edges[top.nextEdge++];
      if (edge.from != top.bubble || marks[edge.to] == Mark::Done)
        continue;
      if (marks[edge.to] == Mark::Open) {
        report(stack, edge);
        continue;
      }
      marks[edge.to] = Mark::Open;
      stack.push_back({edge.to, 0});
    }
  }

  void report(ArrayRef<Visit> stack, const BubbleGraph::Edge &closing) {
    found = true;
    std::vector<size_t> cycle;
    for (const Visit &visit : stack)
      if (visit.bubble == closing.to || !cycle.empty())
        cycle.push_back(visit.bubble);
    std::string text;
    std::vector<DiagnosticNote> notes;
    for (size_t i = 0; i < cycle.size(); ++i) {
      size_t next = cycle[(i + 1) % cycle.size()];
      const BubbleGraph::Edge *edge = graph.edgeBetween(cycle[i], next);
      const std::string &from = graph.names[cycle[i]].value;
      text += from + " -> ";
      notes.push_back(
          {edge->decl->from.where,
           "edge '" + from + " -> " + graph.names[next].value + "'"});
    }
    text += graph.names[closing.to].value;
    (void)sink.error(DiagKind::GraphCycle, notes.front().where,
                     "the edges form a cycle: " + text, notes);
  }

  const BubbleGraph &graph;
  DiagnosticSink &sink;
  std::vector<Mark> marks;
  bool found = false;
};

} // namespace

FailureOr<BubbleGraph> lh::linkBubbles(ArrayRef<BubbleDecl> bubbles,
                                       ArrayRef<EdgeDecl> edges,
                                       DiagnosticSink &sink) {
  BubbleGraph graph;
  if (failed(linkBubbles(bubbles, edges, /*lacksBubbles=*/false, graph, sink)))
    return failure();
  return graph;
}

LogicalResult lh::linkBubbles(ArrayRef<BubbleDecl> bubbles,
                              ArrayRef<EdgeDecl> edges, bool lacksBubbles,
                              BubbleGraph &graph, DiagnosticSink &sink) {
  // Keeps what follows, quadratic in part and recursive, fast and shallow.
  if (bubbles.size() > mostBubblesToTry)
    return sink.error(DiagKind::ManifestLimit,
                      bubbles[mostBubblesToTry].name.where,
                      "more than " + Twine(mostBubblesToTry) + " bubbles");
  std::map<StringRef, size_t> indices;
  std::vector<StringRef> candidates;
  for (const BubbleDecl &bubble : bubbles) {
    indices[bubble.name.value] = graph.names.size();
    graph.names.push_back(bubble.name);
    candidates.push_back(bubble.name.value);
  }
  std::set<std::string> reported;
  LogicalResult result = success();
  auto find = [&](const Located<std::string> &name) -> std::optional<size_t> {
    auto found = indices.find(name.value);
    if (found != indices.end())
      return found->second;
    result = failure();
    if (!lacksBubbles && reported.insert(name.value).second)
      (void)sink.error(
          DiagKind::GraphUnknownBubble, name.where,
          "no bubble '" + name.value + "'" +
              suggestionFor(name.value, sink, [&] { return candidates; }));
    return std::nullopt;
  };
  std::map<std::pair<size_t, size_t>, const EdgeDecl *> seen;
  for (const EdgeDecl &edge : edges) {
    std::optional<size_t> from = find(edge.from), to = find(edge.to);
    if (!from || !to)
      continue;
    auto [first, isNew] = seen.emplace(std::pair(*from, *to), &edge);
    if (isNew)
      graph.edges.push_back({*from, *to, &edge});
    else
      sink.warning(DiagKind::GraphDuplicateEdge, edge.from.where,
                   "edge '" + edge.from.value + " -> " + edge.to.value +
                       "' is given twice",
                   {{first->second->from.where, "first given here"}});
  }
  if (failed(CycleFinder(graph, sink).run()))
    return failure();
  return result;
}

/// How many paths lead from each bubble to a sink; saturates.
static uint64_t countPaths(const BubbleGraph &graph, size_t bubble,
                           std::vector<std::optional<uint64_t>> &memory) {
  if (memory[bubble])
    return *memory[bubble];
  uint64_t total = 0;
  bool isSink = true;
  for (const BubbleGraph::Edge &edge : graph.edges) {
    if (edge.from != bubble)
      continue;
    isSink = false;
    uint64_t more = countPaths(graph, edge.to, memory);
    total = more > std::numeric_limits<uint64_t>::max() - total
                ? std::numeric_limits<uint64_t>::max()
                : total + more;
  }
  memory[bubble] = isSink ? 1 : total;
  return *memory[bubble];
}

static void extendPath(const BubbleGraph &graph, std::vector<size_t> &path,
                       std::vector<std::vector<size_t>> &paths) {
  bool isSink = true;
  for (const BubbleGraph::Edge &edge : graph.edges) {
    if (edge.from != path.back())
      continue;
    isSink = false;
    path.push_back(edge.to);
    extendPath(graph, path, paths);
    path.pop_back();
  }
  if (isSink)
    paths.push_back(path);
}

FailureOr<std::vector<std::vector<size_t>>>
lh::allPaths(const BubbleGraph &graph, size_t limit, const SourceSpan &where,
             DiagnosticSink &sink) {
  std::vector<size_t> sources;
  for (size_t i = 0; i < graph.names.size(); ++i)
    if (graph.isSource(i) && (!graph.isSink(i) || graph.names.size() == 1))
      sources.push_back(i);
  std::vector<std::optional<uint64_t>> memory(graph.names.size());
  uint64_t total = 0;
  for (size_t source : sources) {
    uint64_t more = countPaths(graph, source, memory);
    total = more > std::numeric_limits<uint64_t>::max() - total
                ? std::numeric_limits<uint64_t>::max()
                : total + more;
  }
  if (total > limit)
    return sink.error(DiagKind::GraphTooManyPipelines, where,
                      "the graph has " + Twine(total) +
                          " paths, which is more than " + Twine(limit) +
                          "; name those to run in 'pipelines'");
  std::vector<std::vector<size_t>> paths;
  for (size_t source : sources) {
    std::vector<size_t> path = {source};
    extendPath(graph, path, paths);
  }
  return paths;
}

std::vector<std::string> lh::pathNames(const BubbleGraph &graph,
                                       ArrayRef<std::vector<size_t>> paths) {
  std::vector<size_t> uses(graph.names.size(), 0);
  for (const std::vector<size_t> &path : paths)
    for (size_t bubble : path)
      ++uses[bubble];
  std::vector<std::string> names;
  for (const std::vector<size_t> &path : paths) {
    std::vector<StringRef> own, distinguishing, whole;
    for (size_t bubble : path) {
      StringRef name = graph.names[bubble].value;
      whole.push_back(name);
      if (uses[bubble] == 1)
        own.push_back(name);
      if (uses[bubble] != paths.size())
        distinguishing.push_back(name);
    }
    // '+' is in no bubble's name, so that joined names are new ones.
    if (paths.size() == 1)
      names.push_back("all");
    else if (!own.empty())
      names.push_back(own.front().str());
    else
      names.push_back(
          llvm::join(distinguishing.empty() ? whole : distinguishing, "+"));
  }
  return names;
}

FailureOr<std::vector<size_t>> lh::chainOrder(const BubbleGraph &graph,
                                              const SourceSpan &where,
                                              DiagnosticSink &sink) {
  std::vector<size_t> order;
  for (size_t i = 0; i < graph.names.size(); ++i)
    if (graph.isSource(i))
      order.push_back(i);
  bool isChain = order.size() == 1;
  while (isChain) {
    std::vector<size_t> next;
    for (const BubbleGraph::Edge &edge : graph.edges)
      if (edge.from == order.back())
        next.push_back(edge.to);
    if (next.empty())
      break;
    isChain = next.size() == 1 && order.size() < graph.names.size();
    order.push_back(next.front());
  }
  if (!isChain || order.size() != graph.names.size())
    return sink.error(DiagKind::GraphNotAChain, where,
                      "the bubbles of a bubble file must form one chain, from "
                      "one source to one sink");
  return order;
}
