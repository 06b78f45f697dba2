// The bubbles of the library, and the manifests that join them.
#include "graph/BubbleLibrary.h"

#include "graph/Evaluate.h"
#include "manifest/ValueText.h"
#include "support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

/// "lib:area/name" for a library's bubble file, else the path as it is.
static std::string libraryName(StringRef file, const ResolveOptions &options) {
  for (const std::string &library : options.libraryDirs) {
    std::string folder = absolutePath("schedules", library) + "/";
    StringRef rest = file;
    if (!rest.consume_front(folder))
      continue;
    rest.consume_back(".yaml");
    return ("lib:" + rest).str();
  }
  return file.str();
}

static void addBubbles(StringRef folder, const TargetSpec &target,
                       const ResolveOptions &options, SourceStore &sources,
                       std::vector<PlanNode> &nodes) {
  llvm::vfs::FileSystem &files = sources.fileSystem();
  for (const std::string &entry : listFolder(files, folder)) {
    std::string path = (folder + "/" + entry).str();
    StringRef stem = llvm::sys::path::stem(entry);
    if (isFolder(files, path)) {
      addBubbles(path, target, options, sources, nodes);
      continue;
    }
    if (!StringRef(entry).ends_with(".yaml") || stem.ends_with(".test"))
      continue;
    CollectingSink notForThisTarget;
    auto chain =
        loadBubbleFile(path, target, options, sources, notForThisTarget);
    if (succeeded(chain))
      nodes.push_back(
          {stem.str(), libraryName(path, options), "", std::move(*chain)});
  }
}

std::vector<PlanNode> lh::readLibrary(const TargetSpec &target,
                                      const ResolveOptions &options,
                                      SourceStore &sources) {
  ResolveOptions plain = options;
  plain.set.clear();
  std::vector<PlanNode> nodes;
  for (const std::string &library : options.libraryDirs)
    addBubbles(absolutePath("schedules", library), target, plain, sources,
               nodes);
  return nodes;
}

static bool isEnd(const ResolvedBubble &bubble) {
  return std::holds_alternative<ExecuteDecl>(bubble.action) ||
         std::holds_alternative<EmitDecl>(bubble.action);
}

/// The bubble that `bubble` is a part of, as its pipeline names it.
static StringRef outerName(const ResolvedBubble &bubble) {
  return StringRef(bubble.name).split('/').first;
}

/// A node for a bubble declared in place; nothing when it isn't plain passes.
static std::optional<PlanNode> nodeFor(const ResolvedBubble &bubble,
                                       const ResolveOptions &options) {
  PlanNode node;
  node.name = outerName(bubble).str();
  if (!bubble.files.empty()) {
    node.use = libraryName(bubble.files.front(), options);
    node.name = llvm::sys::path::stem(bubble.files.front()).str();
    return node;
  }
  const auto *passes = std::get_if<PassesDecl>(&bubble.action);
  if (!passes || !passes->pipeline.isLiteral())
    return std::nullopt;
  node.passes = valueText(std::get<Value>(passes->pipeline.pieces[0]));
  return node;
}

static std::optional<ProvenPath> provenPath(const ResolvedGraph &graph,
                                            const ResolvedPipeline &pipeline,
                                            const TargetSpec &target,
                                            const ResolveOptions &options) {
  ProvenPath path{
      llvm::sys::path::filename(graph.file).str(), pipeline.name, {}};
  CollectingSink lacksFact;
  auto facts = factValues(target);
  StringRef last;
  for (size_t index : llvm::drop_begin(pipeline.path)) {
    const ResolvedBubble &bubble = graph.bubbles[index];
    if (!conditionHolds(bubble.when, facts, lacksFact))
      return std::nullopt;
    if (isEnd(bubble))
      break;
    if (outerName(bubble) != last || path.nodes.empty()) {
      std::optional<PlanNode> node = nodeFor(bubble, options);
      if (!node)
        return std::nullopt;
      path.nodes.push_back(std::move(*node));
    }
    last = outerName(bubble);
    path.nodes.back().chain.push_back(bubble);
  }
  return path;
}

std::vector<ProvenPath> lh::readProvenPaths(const TargetSpec &target,
                                            const ResolveOptions &options,
                                            SourceStore &sources) {
  std::vector<ProvenPath> paths;
  ResolveOptions plain = options;
  plain.set.clear();
  llvm::vfs::FileSystem &files = sources.fileSystem();
  for (const std::string &library : options.libraryDirs) {
    std::string folder = absolutePath("manifests", library);
    for (const std::string &entry : listFolder(files, folder)) {
      CollectingSink unusable;
      auto graph = loadGraph(folder + "/" + entry, plain, sources, unusable);
      if (failed(graph) ||
          llvm::none_of(graph->targets, [&](const TargetSpec &known) {
            return known.backend == target.backend;
          }))
        continue;
      for (const ResolvedPipeline &pipeline : graph->pipelines)
        if (auto path = provenPath(*graph, pipeline, target, options))
          paths.push_back(std::move(*path));
    }
  }
  return paths;
}
