// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which paths of the graph run, and whether they make sense as pipelines.
#include "core/graph/PipelineResolver.h"

#include "core/graph/PathFinder.h"
#include "core/manifest/Words.h"
#include "core/support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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
  bool isWhole = true; ///< no bubble or edge of it is lacking
};

class PipelineResolver {
public:
  PipelineResolver(const Manifest &manifest, const BrokenParts &broken,
                   ArrayRef<ResolvedBubble> bubbles,
                   ArrayRef<ExpandedBubble> expanded, DiagnosticSink &sink)
      : manifest(manifest), broken(broken), bubbles(bubbles),
        expanded(expanded), sink(sink) {}

  PipelineParts run();

private:
  bool link();
  std::optional<std::vector<Path>> findPaths();
  Path declaredPath(const PipelineDecl &decl);
  void findBubbles(const PipelineDecl &decl, Path &path);
  void checkEdges(const PipelineDecl &decl, Path &path);
  std::vector<Path> declaredPaths();
  FailureOr<std::vector<Path>> defaultPaths();
  void warnUnused(ArrayRef<Path> paths);
  bool isSound(const Path &path) const;
  ResolvedPipeline flatten(const Path &path) const;
  void checkEnds(const Path &path);
  void checkTools(const Path &path);
  void complain(DiagKind kind, const SourceSpan &where, const Twine &message);

  const Manifest &manifest;
  const BrokenParts &broken;
  ArrayRef<ResolvedBubble> bubbles;
  ArrayRef<ExpandedBubble> expanded;
  DiagnosticSink &sink;
  BubbleGraph graph;
  std::map<StringRef, size_t> indices; ///< of the graph's bubbles
  bool areEdgesKnown = true;
  /// Default paths share bubbles: what is wrong with one is said once.
  std::set<std::pair<unsigned, unsigned>> complained;
  std::set<std::string> unknown; ///< names that no bubble has, reported
};

} // namespace

void PipelineResolver::complain(DiagKind kind, const SourceSpan &where,
                                const Twine &message) {
  if (complained.emplace(where.line, where.column).second)
    (void)sink.error(kind, where, message);
}

void PipelineResolver::findBubbles(const PipelineDecl &decl, Path &path) {
  for (const Located<std::string> &step : decl.path) {
    if (auto bubble = indices.find(step.value); bubble != indices.end()) {
      path.bubbles.push_back(bubble->second);
      path.places.push_back(step.where);
      continue;
    }
    path.isWhole = false;
    if (!broken.bubbles.lacksSome && unknown.insert(step.value).second)
      (void)sink.error(DiagKind::GraphUnknownBubble, step.where,
                       "no bubble '" + step.value + "' for pipeline '" +
                           decl.name.value + "'" +
                           suggestionFor(step.value, sink, [&] {
                             return std::vector<StringRef>(
                                 llvm::make_first_range(indices).begin(),
                                 llvm::make_first_range(indices).end());
                           }));
  }
}

void PipelineResolver::checkEdges(const PipelineDecl &decl, Path &path) {
  for (size_t i = 0; i + 1 < path.bubbles.size(); ++i) {
    if (graph.edgeBetween(path.bubbles[i], path.bubbles[i + 1]))
      continue;
    path.isWhole = false;
    (void)sink.error(DiagKind::GraphNotAnEdge, path.places[i + 1],
                     "'" + decl.path[i].value + " -> " +
                         decl.path[i + 1].value + "' in pipeline '" +
                         decl.name.value + "' is not one of the edges");
  }
}

Path PipelineResolver::declaredPath(const PipelineDecl &decl) {
  Path path{decl.name.value, decl.color, decl.name.where, {}, {}};
  path.isWhole = broken.pipelines.names.count(decl.name.value) == 0;
  findBubbles(decl, path);
  if (path.isWhole && areEdgesKnown)
    checkEdges(decl, path);
  return path;
}

std::vector<Path> PipelineResolver::declaredPaths() {
  std::vector<Path> paths;
  std::map<std::vector<size_t>, const PipelineDecl *> seen;
  for (const PipelineDecl &decl : manifest.pipelines) {
    Path &path = paths.emplace_back(declaredPath(decl));
    if (!path.isWhole)
      continue;
    auto [first, isNew] = seen.emplace(path.bubbles, &decl);
    if (isNew)
      continue;
    path.isWhole = false;
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

/// Why a tool can't stand behind `previous`, the last but one of a path of so
/// many bubbles; "" when it can: it is given the model's own file.
static std::string whyNoToolBehind(const ResolvedBubble &previous,
                                   size_t length, const ToolSpec &tool) {
  const auto *ingress = std::get_if<IngressDecl>(&previous.action);
  if (length != 2 || !ingress)
    return "stands behind '" + previous.name +
           "'; it runs the model as its file has it, and only an ingress can "
           "precede it";
  if (!ingress->command.empty())
    return "needs the model's file, which the program of '" + previous.name +
           "' doesn't leave";
  if (llvm::is_contained(tool.takes, ingress->kind))
    return "";
  std::vector<StringRef> forms;
  for (IngressKind kind : tool.takes)
    forms.push_back(wordOf(kind));
  return "is given models by '" + previous.name + "' as " +
         wordOf(ingress->kind).str() + ", and its tool takes " +
         llvm::join(forms, ", ");
}

/// Where tools stand in a whole path.
void PipelineResolver::checkTools(const Path &path) {
  std::vector<const ResolvedBubble *> whole;
  for (size_t bubble : path.bubbles) {
    if (!expanded[bubble].isSound)
      return;
    for (size_t index : expanded[bubble].chain)
      whole.push_back(&bubbles[index]);
  }
  const auto *last = std::get_if<ExecuteDecl>(&whole.back()->action);
  if (!last || !last->tool || whole.size() < 2)
    return;
  std::string why =
      whyNoToolBehind(*whole[whole.size() - 2], whole.size(), *last->tool);
  if (!why.empty())
    complain(DiagKind::GraphMisplacedBubble, path.places.back(),
             "'" + whole.back()->name + "' " + why);
}

/// An ingress stands at the beginning and only there, an execute at the end.
void PipelineResolver::checkEnds(const Path &path) {
  for (size_t i = 0; i < path.bubbles.size(); ++i) {
    if (!expanded[path.bubbles[i]].isSound)
      continue; // it may begin and end otherwise
    ArrayRef<size_t> chain = expanded[path.bubbles[i]].chain;
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

bool PipelineResolver::isSound(const Path &path) const {
  return path.isWhole && llvm::all_of(path.bubbles, [&](size_t bubble) {
           return expanded[bubble].isSound;
         });
}

ResolvedPipeline PipelineResolver::flatten(const Path &path) const {
  ResolvedPipeline pipeline{path.name, path.declaredAt, path.color, {}};
  for (size_t bubble : path.bubbles)
    llvm::append_range(pipeline.path, expanded[bubble].chain);
  return pipeline;
}

/// False when there are too many bubbles to look at.
bool PipelineResolver::link() {
  bool linked = succeeded(linkBubbles(manifest.bubbles, manifest.edges,
                                      broken.bubbles.lacksSome, graph, sink));
  areEdgesKnown =
      linked && !broken.edges.lacksSome && !broken.bubbles.lacksSome;
  for (size_t i = 0; i < graph.names.size(); ++i)
    indices[graph.names[i].value] = i;
  for (const EdgeDecl &edge : manifest.edges)
    for (const std::string *name : {&edge.from.value, &edge.to.value})
      if (!indices.count(*name))
        unknown.insert(*name);
  return graph.names.size() == manifest.bubbles.size();
}

/// Nothing when it can't be told what pipelines there are.
std::optional<std::vector<Path>> PipelineResolver::findPaths() {
  if (!manifest.pipelines.empty() || broken.pipelines.lacksSome)
    return declaredPaths();
  if (!areEdgesKnown)
    return std::nullopt;
  FailureOr<std::vector<Path>> found = defaultPaths();
  if (failed(found))
    return std::nullopt;
  return std::move(*found);
}

PipelineParts PipelineResolver::run() {
  unsigned errors = sink.errorCount();
  std::optional<std::vector<Path>> paths;
  if (link())
    paths = findPaths();
  PipelineParts parts;
  parts.areAllNamed = paths && !broken.pipelines.lacksSome;
  if (!paths)
    paths.emplace();
  for (const Path &path : *paths) {
    unsigned before = sink.errorCount();
    if (path.isWhole) {
      checkEnds(path);
      checkTools(path);
    }
    bool sound = isSound(path) && sink.errorCount() == before;
    (sound ? parts.whole : parts.partial).push_back(flatten(path));
  }
  bool isFaultless = areEdgesKnown && sink.errorCount() == errors;
  parts.isComplete = isFaultless && parts.areAllNamed && parts.partial.empty();
  if (isFaultless && !broken.pipelines.any())
    warnUnused(*paths);
  return parts;
}

PipelineParts lh::resolvePipelines(const Manifest &manifest,
                                   const BrokenParts &broken,
                                   ArrayRef<ResolvedBubble> bubbles,
                                   ArrayRef<ExpandedBubble> expanded,
                                   DiagnosticSink &sink) {
  return PipelineResolver(manifest, broken, bubbles, expanded, sink).run();
}
