// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bubbles of the library, and the manifests that join them.
#include "core/graph/BubbleLibrary.h"

#include "core/graph/Evaluate.h"
#include "core/manifest/ValueText.h"
#include "core/support/FileSystem.h"

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

/// Whether `chain`, the file that `depth` uses lead to, is a chain of uses.
static bool isMadeOfFiles(ArrayRef<ResolvedBubble> chain, size_t depth) {
  return llvm::all_of(chain, [&](const ResolvedBubble &bubble) {
    return bubble.files.size() > depth;
  });
}

static void addBubbles(StringRef folder, const TargetSpec &target,
                       const ResolveOptions &options, SourceStore &sources,
                       std::vector<PlanNode> &nodes) {
  for (const std::string &file : listFilesBelow(sources.fileSystem(), folder)) {
    std::string path = (folder + "/" + file).str();
    StringRef stem = llvm::sys::path::stem(file);
    if (!StringRef(file).ends_with(".yaml") || stem.ends_with(".test"))
      continue;
    CollectingSink notForThisTarget;
    auto chain =
        loadBubbleFile(path, target, options, sources, notForThisTarget);
    if (succeeded(chain) && !isMadeOfFiles(*chain, 1))
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

/// A bubble declared in place; nothing when it isn't plain passes.
static std::optional<PlanNode> nodeInPlace(const ResolvedBubble &bubble) {
  const auto *passes = std::get_if<PassesDecl>(&bubble.action);
  if (!passes || !passes->pipeline.isLiteral())
    return std::nullopt;
  PlanNode node;
  node.name = bubble.name;
  node.passes = valueText(std::get<Value>(passes->pipeline.pieces[0]));
  node.chain = {bubble};
  return node;
}

/// How many of the first bubbles have the same first `parts` of their names.
static size_t commonLength(ArrayRef<ResolvedBubble> bubbles, size_t parts) {
  auto begin = [&](const ResolvedBubble &bubble) {
    StringRef name = bubble.name, rest = name;
    for (size_t i = 0; i < parts; ++i)
      rest = rest.split('/').second;
    return name.drop_back(rest.size()).rtrim('/');
  };
  return bubbles
      .take_while([&](const ResolvedBubble &bubble) {
        return begin(bubble) == begin(bubbles.front());
      })
      .size();
}

/// The nodes of `chain`, which is the file that `depth` uses lead to: that file
/// or, where it is made of files alone, theirs.
static void addNodes(ArrayRef<ResolvedBubble> chain, size_t depth,
                     const ResolveOptions &options,
                     std::vector<PlanNode> &nodes) {
  if (!isMadeOfFiles(chain, depth)) {
    const std::string &file = chain.front().files[depth - 1];
    nodes.push_back({llvm::sys::path::stem(file).str(),
                     libraryName(file, options), "", chain.vec()});
    return;
  }
  while (!chain.empty()) {
    size_t length = commonLength(chain, depth + 1);
    addNodes(chain.take_front(length), depth + 1, options, nodes);
    chain = chain.drop_front(length);
  }
}

static std::optional<ProvenPath> provenPath(const ResolvedGraph &graph,
                                            const ResolvedPipeline &pipeline,
                                            const TargetSpec &target,
                                            const ResolveOptions &options) {
  CollectingSink lacksFact;
  auto facts = factValues(target);
  std::vector<ResolvedBubble> bubbles;
  for (size_t index : llvm::drop_begin(pipeline.path)) {
    const ResolvedBubble &bubble = graph.bubbles[index];
    if (!conditionHolds(bubble.when, facts, lacksFact))
      return std::nullopt;
    if (isEnd(bubble))
      break;
    bubbles.push_back(bubble);
  }
  ProvenPath path{
      llvm::sys::path::filename(graph.file).str(), pipeline.name, {}};
  for (ArrayRef<ResolvedBubble> rest = bubbles; !rest.empty();) {
    size_t length = commonLength(rest, 1);
    if (!rest.front().files.empty())
      addNodes(rest.take_front(length), 1, options, path.nodes);
    else if (auto node = nodeInPlace(rest.front()))
      path.nodes.push_back(std::move(*node));
    else
      return std::nullopt;
    rest = rest.drop_front(length);
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
