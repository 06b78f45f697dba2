// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run graph` and `lh-run list --space`: the pipeline space as a map.
#include "cli/Commands.h"

#include "cli/ExitCodes.h"
#include "cli/GraphLoader.h"
#include "core/support/FileSystem.h"
#include "insight/map/DescribeGraph.h"
#include "insight/map/Formats.h"
#include "insight/map/Html.h"
#include "insight/map/Svg.h"

using namespace lh;

/// What the manifests declare; errors of all of them are reported.
static FailureOr<std::vector<MapSource>>
loadSources(ArrayRef<std::string> manifests, const GraphOptions &options,
            DriverEnv &env, SourceStore &sources, DiagnosticSink &sink) {
  std::vector<MapSource> result;
  LogicalResult valid = success();
  for (const std::string &manifest : manifests) {
    FailureOr<ResolvedGraph> graph =
        loadGraph(manifest, resolveOptions(options, env), sources, sink);
    if (failed(graph))
      valid = failure();
    else
      result.push_back(describeGraph(*graph));
  }
  if (failed(valid))
    return failure();
  return result;
}

static std::string titleOf(ArrayRef<MapSource> sources) {
  return sources.size() == 1 ? sources.front().manifest : "Pipeline space";
}

static FailureOr<std::string> drawn(const DrawOptions &options,
                                    const std::vector<MapSource> &sources) {
  std::string title = titleOf(sources);
  SpaceMap map = makeSpaceMap(sources, {options.expand});
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
    return renderSvg(*layout, {}, {title});
  bool hasInside = llvm::any_of(layout->map.nodes, [](const MapNode &node) {
    return !node.inner.empty();
  });
  if (!hasInside)
    return renderMapPage(*layout, nullptr, title);
  FailureOr<MapLayout> expanded = layOut(makeSpaceMap(sources, {true}));
  if (failed(expanded))
    return failure();
  return renderMapPage(*layout, &*expanded, title);
}

int lh::drawCommand(const DrawOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  FailureOr<std::vector<MapSource>> read =
      loadSources(options.manifests, options.graph, env, sources, sink);
  if (failed(read))
    return badUsage;
  FailureOr<std::string> text = drawn(options, *read);
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

int lh::listSpace(const ListOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  std::vector<std::string> manifests = {options.graph.manifest};
  manifests.insert(manifests.end(), options.more.begin(), options.more.end());
  FailureOr<std::vector<MapSource>> read =
      loadSources(manifests, options.graph, env, sources, sink);
  if (failed(read))
    return badUsage;
  printMapText(makeSpaceMap(*read), {env.color, env.width}, env.out);
  return 0;
}
