// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run graph`: the pipeline space as a map.
#include "cli/Command.h"

#include "cli/SharedOptions.h"
#include "core/support/FileSystem.h"
#include "core/support/Version.h"
#include "insight/ci/Contradictions.h"
#include "insight/map/DescribeGraph.h"
#include "insight/map/Formats.h"
#include "insight/map/Html.h"
#include "insight/map/Svg.h"
#include "steps/GraphLoader.h"

using namespace lh;

namespace {
struct MapOptions {
  GraphOptions graph; ///< parameters and libraries; not its manifest
  std::vector<std::string> manifests;
  std::string format = "html", output = "-";
  bool expand = false; ///< show what is inside composite bubbles
};
} // namespace

static void addMapFlags(CLI::App &command, MapOptions &options) {
  addManifests(command, options.manifests);
  addValue(command, "--format", "FORMAT", options.format,
           "'html' (default): a page that needs no network, with what each "
           "bubble does; 'svg'; 'dot' and 'mermaid' for other tools; 'json'")
      ->check(CLI::IsMember({"html", "svg", "dot", "mermaid", "json"}));
  addValue(command, "-o,--output", "FILE", options.output,
           "where the map goes (default: standard output)");
  command.add_flag(
      "--expand", options.expand,
      "show what is inside composite bubbles; the page can switch by itself");
  addSetFlag(command, options.graph);
  addLibraryFlags(command, options.graph.libraryDirs, options.graph.plugins);
}

static std::string titleOf(ArrayRef<MapSource> sources) {
  return sources.size() == 1 ? sources.front().manifest : "Pipeline space";
}

static FailureOr<std::string> drawn(const MapOptions &options,
                                    ArrayRef<ResolvedGraph> graphs,
                                    const Present &present) {
  std::vector<MapSource> sources;
  for (const ResolvedGraph &graph : graphs)
    sources.push_back(describeGraph(graph));
  SpaceMapOptions space{.expand = options.expand};
  for (const Contradiction &one : contradictionsOf(graphs, present))
    space.opposed.emplace_back(one.fails, one.passes);
  std::string title = titleOf(sources);
  SpaceMap map = makeSpaceMap(sources, space);
  if (options.format == "dot")
    return renderDot(map, title);
  if (options.format == "mermaid")
    return renderMermaid(map);
  if (options.format == "json")
    return renderMapJson(map, title);
  FailureOr<MapLayout> layout = layOut(std::move(map));
  if (failed(layout))
    return failure();
  if (options.format == "svg")
    return renderSvg(*layout, {}, {.title = title});
  bool hasInside = llvm::any_of(layout->map.nodes, [](const MapNode &node) {
    return !node.inner.empty();
  });
  if (!hasInside)
    return renderMapPage(*layout, nullptr, title);
  space.expand = true;
  FailureOr<MapLayout> expanded = layOut(makeSpaceMap(sources, space));
  if (failed(expanded))
    return failure();
  return renderMapPage(*layout, &*expanded, title);
}

static int runGraph(const MapOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  std::vector<ResolvedGraph> graphs;
  for (const std::string &manifest : options.manifests)
    if (auto graph = loadGraph(manifest, resolveOptions(options.graph, env),
                               sources, sink);
        succeeded(graph))
      graphs.push_back(std::move(*graph));
  if (graphs.size() != options.manifests.size())
    return badUsage;
  FailureOr<std::string> text = drawn(options, graphs, {env.today, versions()});
  if (failed(text)) {
    env.err << "lh-run: Graphviz could not lay out the map\n";
    return 1;
  }
  if (options.output == "-") {
    env.out << *text;
    return 0;
  }
  return succeeded(writeFileAtomically(options.output, *text, {}, sink))
             ? 0
             : badUsage;
}

CommandRun lh::makeGraphCommand(CLI::App &command) {
  return makeCommand(command, addMapFlags, runGraph);
}
