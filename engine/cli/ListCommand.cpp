// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run list`: what a manifest declares, for people.
#include "cli/Commands.h"

#include "cli/ExitCodes.h"
#include "cli/GraphLoader.h"
#include "core/manifest/ValueText.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

static void printPipelines(const ResolvedGraph &graph, llvm::raw_ostream &out) {
  out << "pipelines\n";
  for (const ResolvedPipeline &pipeline : graph.pipelines) {
    std::vector<std::string> names;
    for (size_t bubble : pipeline.path)
      names.push_back(graph.bubbles[bubble].name);
    out << "  " << pipeline.name << ": " << llvm::join(names, " -> ") << '\n';
  }
}

/// Each fact, and the file that it comes from where that isn't the target's.
static void printFacts(const TargetSpec &target, llvm::raw_ostream &out) {
  for (const auto &[name, fact] : target.facts) {
    out << "    " << name << " = " << visibleLine(valueText(fact.value));
    std::string folder = folderOf(fact.where.file);
    bool isDefault = llvm::sys::path::filename(folder) == "defaults";
    if (fact.where.isKnown() && fact.where.file != target.file)
      out << " (" << (isDefault ? "defaults/" : "")
          << llvm::sys::path::filename(fact.where.file) << ")";
    out << '\n';
  }
}

int lh::listCommand(const ListOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  FailureOr<ResolvedGraph> graph =
      loadGraph(options.graph.manifest, resolveOptions(options.graph, env),
                sources, sink);
  if (failed(graph))
    return badUsage;
  env.out << visibleLine(graph->name) << ": " << visibleLine(graph->summary)
          << '\n';
  printPipelines(*graph, env.out);
  env.out << "targets\n";
  for (const TargetSpec &target : graph->targets) {
    env.out << "  " << target.name << " (" << target.backend
            << (target.triple.empty() ? "" : ", ") << target.triple << ")\n";
    if (options.facts)
      printFacts(target, env.out);
  }
  env.out << "cases\n";
  for (const CaseDecl &one : graph->cases)
    env.out << "  " << one.name.value << '\n';
  if (!graph->params.empty())
    env.out << "params\n";
  for (const auto &[name, value] : graph->params)
    env.out << "  " << name << " = " << visibleLine(valueText(value)) << '\n';
  return 0;
}
