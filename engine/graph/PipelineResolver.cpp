// Which paths of the graph run, and whether they make sense as pipelines.
#include "graph/PipelineResolver.h"

#include "graph/PathFinder.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace lh;

static constexpr size_t maximumPaths = 64;

namespace {

/// A path over the manifest's bubbles, with the place of each of its names.
struct Path {
  std::string name, color;
  SourceSpan declaredAt;
  std::vector<size_t> bubbles;
  std::vector<SourceSpan> places;
};

class PipelineResolver {
public:
  PipelineResolver(const Manifest &manifest, ArrayRef<ResolvedBubble> bubbles,
                   ArrayRef<std::vector<size_t>> expanded,
                   const BubbleGraph &graph, DiagnosticSink &sink)
      : manifest(manifest), bubbles(bubbles), expanded(expanded), graph(graph),
        sink(sink) {}

  FailureOr<std::vector<ResolvedPipeline>> run();

private:
  std::optional<Path> declaredPath(const PipelineDecl &decl);
  std::vector<Path> declaredPaths();
  FailureOr<std::vector<Path>> defaultPaths();
  void warnUnused(ArrayRef<Path> paths);
  bool flatten(const Path &path, ResolvedPipeline &pipeline);
  void checkEnds(const Path &path);
  void complain(DiagKind kind, const SourceSpan &where, const Twine &message);

  const Manifest &manifest;
  ArrayRef<ResolvedBubble> bubbles;
  ArrayRef<std::vector<size_t>> expanded;
  const BubbleGraph &graph;
  DiagnosticSink &sink;
  /// Default paths share bubbles: what is wrong with one is said once.
  std::set<std::pair<unsigned, unsigned>> complained;
};

} // namespace

void PipelineResolver::complain(DiagKind kind, const SourceSpan &where,
                                const Twine &message) {
  if (complained.emplace(where.line, where.column).second)
    (void)sink.error(kind, where, message);
}

std::optional<Path> PipelineResolver::declaredPath(const PipelineDecl &decl) {
  Path path{decl.name.value, decl.color, decl.name.where, {}, {}};
  std::vector<StringRef> names;
  for (const Located<std::string> &name : graph.names)
    names.push_back(name.value);
  for (const Located<std::string> &step : decl.path) {
    std::optional<size_t> bubble = graph.indexOf(step.value);
    if (bubble) {
      path.bubbles.push_back(*bubble);
      path.places.push_back(step.where);
    } else {
      (void)sink.error(DiagKind::GraphUnknownBubble, step.where,
                       "no bubble '" + step.value + "' for pipeline '" +
                           decl.name.value + "'" +
                           didYouMean(step.value, names));
    }
  }
  if (path.bubbles.size() != decl.path.size())
    return std::nullopt;
  bool valid = true;
  for (size_t i = 0; i + 1 < path.bubbles.size(); ++i) {
    if (graph.edgeBetween(path.bubbles[i], path.bubbles[i + 1]))
      continue;
    valid = false;
    (void)sink.error(DiagKind::GraphNotAnEdge, path.places[i + 1],
                     "'" + decl.path[i].value + " -> " +
                         decl.path[i + 1].value + "' in pipeline '" +
                         decl.name.value + "' is not one of the edges");
  }
  return valid ? std::optional(std::move(path)) : std::nullopt;
}

std::vector<Path> PipelineResolver::declaredPaths() {
  std::vector<Path> paths;
  std::map<std::vector<size_t>, const PipelineDecl *> seen;
  for (const PipelineDecl &decl : manifest.pipelines) {
    std::optional<Path> path = declaredPath(decl);
    if (!path)
      continue;
    auto [first, isNew] = seen.emplace(path->bubbles, &decl);
    if (isNew)
      paths.push_back(std::move(*path));
    else
      (void)sink.error(DiagKind::GraphDuplicatePipeline, decl.name.where,
                       "pipeline '" + decl.name.value +
                           "' has the path of pipeline '" +
                           first->second->name.value + "'",
                       {{first->second->name.where, "first given here"}});
  }
  return paths;
}

FailureOr<std::vector<Path>> PipelineResolver::defaultPaths() {
  const SourceSpan &where = manifest.edges.empty()
                                ? manifest.name.where
                                : manifest.edges.front().from.where;
  FailureOr<std::vector<std::vector<size_t>>> found =
      allPaths(graph, maximumPaths, where, sink);
  if (failed(found))
    return failure();
  if (found->empty())
    return sink.error(DiagKind::GraphIncompletePipeline, where,
                      "the bubbles form no pipeline; join them by 'edges'");
  std::vector<std::string> names = pathNames(graph, *found);
  std::vector<Path> paths;
  for (size_t i = 0; i < found->size(); ++i) {
    Path path{names[i], "", manifest.name.where, (*found)[i], {}};
    for (size_t bubble : path.bubbles)
      path.places.push_back(graph.names[bubble].where);
    paths.push_back(std::move(path));
  }
  return paths;
}

void PipelineResolver::warnUnused(ArrayRef<Path> paths) {
  std::set<size_t> usedBubbles;
  std::set<std::pair<size_t, size_t>> usedEdges;
  for (const Path &path : paths) {
    usedBubbles.insert(path.bubbles.begin(), path.bubbles.end());
    for (size_t i = 0; i + 1 < path.bubbles.size(); ++i)
      usedEdges.emplace(path.bubbles[i], path.bubbles[i + 1]);
  }
  for (const BubbleGraph::Edge &edge : graph.edges)
    if (!usedEdges.count({edge.from, edge.to}))
      sink.warning(DiagKind::GraphUnusedEdge, edge.decl->from.where,
                   "edge '" + edge.decl->from.value + " -> " +
                       edge.decl->to.value + "' is in no pipeline");
  // A bubble that only unused edges reach has been mentioned with them.
  for (size_t i = 0; i < graph.names.size(); ++i)
    if (!usedBubbles.count(i) && graph.isSource(i) && graph.isSink(i))
      sink.warning(DiagKind::GraphUnusedBubble, graph.names[i].where,
                   "bubble '" + graph.names[i].value +
                       "' is in no pipeline and has no edges");
}

/// An ingress stands at the beginning and only there, an execute at the end.
void PipelineResolver::checkEnds(const Path &path) {
  for (size_t i = 0; i < path.bubbles.size(); ++i) {
    ArrayRef<size_t> chain = expanded[path.bubbles[i]];
    const std::string &name = graph.names[path.bubbles[i]].value;
    for (size_t j = 0; j < chain.size(); ++j) {
      const ResolvedAction &action = bubbles[chain[j]].action;
      bool isFirst = i == 0 && j == 0;
      bool isLast = i + 1 == path.bubbles.size() && j + 1 == chain.size();
      bool isIngress = std::holds_alternative<IngressDecl>(action);
      if (isFirst && !isIngress)
        complain(DiagKind::GraphIncompletePipeline, path.places[i],
                 "pipeline '" + path.name + "' starts at '" + name +
                     "'; it must start at an ingress");
      if (!isFirst && isIngress)
        complain(DiagKind::GraphMisplacedBubble, path.places[i],
                 "ingress '" + name +
                     "' stands behind another bubble; a pipeline has one "
                     "ingress, at its start");
      if (!isLast && std::holds_alternative<ExecuteDecl>(action))
        complain(DiagKind::GraphMisplacedBubble, path.places[i],
                 "nothing can follow '" + name +
                     "', which executes the module");
    }
  }
}

/// False when a bubble of the path has errors.
bool PipelineResolver::flatten(const Path &path, ResolvedPipeline &pipeline) {
  pipeline.name = path.name;
  pipeline.color = path.color;
  pipeline.declaredAt = path.declaredAt;
  for (size_t bubble : path.bubbles) {
    if (expanded[bubble].empty())
      return false;
    llvm::append_range(pipeline.path, expanded[bubble]);
  }
  return true;
}

FailureOr<std::vector<ResolvedPipeline>> PipelineResolver::run() {
  unsigned errors = sink.errorCount();
  std::vector<Path> paths;
  if (manifest.pipelines.empty()) {
    FailureOr<std::vector<Path>> found = defaultPaths();
    if (failed(found))
      return failure();
    paths = std::move(*found);
  } else {
    paths = declaredPaths();
  }
  std::vector<ResolvedPipeline> pipelines;
  bool complete = true;
  for (const Path &path : paths) {
    checkEnds(path);
    complete &= flatten(path, pipelines.emplace_back());
  }
  if (sink.errorCount() != errors)
    return failure();
  warnUnused(paths);
  if (!complete)
    return failure();
  return pipelines;
}

FailureOr<std::vector<ResolvedPipeline>>
lh::resolvePipelines(const Manifest &manifest, ArrayRef<ResolvedBubble> bubbles,
                     ArrayRef<std::vector<size_t>> expanded,
                     DiagnosticSink &sink) {
  FailureOr<BubbleGraph> graph =
      linkBubbles(manifest.bubbles, manifest.edges, sink);
  if (failed(graph))
    return failure();
  return PipelineResolver(manifest, bubbles, expanded, *graph, sink).run();
}
