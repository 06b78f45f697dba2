// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run list`: what a manifest declares, for people.
#include "cli/Command.h"

#include "cli/SharedOptions.h"
#include "cli/TuneSites.h"
#include "core/graph/NamedFiles.h"
#include "core/manifest/ValueText.h"
#include "core/support/FileSystem.h"
#include "insight/map/DescribeGraph.h"
#include "insight/map/Formats.h"
#include "insight/report/Summary.h"
#include "insight/report/TerminalReport.h"
#include "steps/GraphLoader.h"
#include "steps/KernelBodies.h"
#include "steps/RunSetup.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

namespace {
struct ListOptions {
  GraphOptions graph;
  bool space = false;            ///< the pipeline space, as text
  bool facts = false;            ///< the targets' facts, too
  bool kernels = false;          ///< kernels that can be named, too
  bool choices = false;          ///< what each product can be computed by
  std::vector<std::string> more; ///< further manifests of the space
};
} // namespace

static void addListFlags(CLI::App &command, ListOptions &options) {
  addGraphFlags(command, options.graph);
  command.add_flag("--facts", options.facts,
                   "list the facts of each target too, and the file that each "
                   "comes from where that is not the target's own");
  command.add_flag("--kernels", options.kernels,
                   "list the kernels that its bubbles can name too, and for "
                   "each target why one can't be called there");
  command.add_flag("--choices", options.choices,
                   "list the products of one pipeline on one case and target "
                   "instead: which strategy computes each by which rule, which "
                   "others could, and why the rest can't; runs what leads to "
                   "the choices");
  CLI::Option *space = command.add_flag(
      "--space", options.space,
      "show the pipelines of one or several manifests as text, as 'graph' "
      "draws them: a row for each bubble, a column for each pipeline");
  addValue(command, "more", "MANIFEST", options.more,
           "with --space: further manifests")
      ->needs(space);
}

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

/// Each kernel that can be named, what it computes, and where it can be called.
static void printKernels(const ResolvedGraph &graph,
                         ArrayRef<std::string> libraryDirs,
                         SourceStore &sources, DriverEnv &env,
                         DiagnosticSink &sink) {
  NamedFileSearch search{"kernel", folderOf(graph.file), libraryDirs};
  HostFacts host = detectHost();
  env.out << "kernels\n";
  for (const std::string &file : namedFiles(search, env.files)) {
    FailureOr<KernelSpec> kernel =
        readKernel({file, {}}, search, sources, sink);
    if (failed(kernel))
      continue;
    std::vector<std::string> patterns;
    for (const auto &[pattern, symbol] : kernel->functions)
      patterns.push_back(pattern);
    env.out << "  " << visibleLine(kernel->name)
            << (kernel->doc.empty() ? "" : ": ") << visibleLine(kernel->doc)
            << "\n    computes " << llvm::join(patterns, ", ") << '\n';
    for (const TargetSpec &target : graph.targets) {
      std::string why = whyNoCandidate(*kernel, target, host);
      env.out << "    " << target.name << ": "
              << (why.empty() ? "can be called" : visibleLine(why)) << '\n';
    }
  }
}

static int listSpace(const ListOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  std::vector<std::string> manifests = {options.graph.manifest};
  manifests.insert(manifests.end(), options.more.begin(), options.more.end());
  FailureOr<std::vector<MapSource>> read = loadMapSources(
      manifests, resolveOptions(options.graph, env), sources, sink);
  if (failed(read))
    return badUsage;
  printMapText(makeSpaceMap(*read), {.color = env.color, .width = env.width},
               env.out);
  return 0;
}

/// "tile by many_columns (rows = 6)"; "none" where nothing was chosen.
static std::string choiceText(const OpChoice &choice) {
  if (choice.strategy.empty())
    return "none";
  std::vector<std::string> numbers;
  for (const auto &[name, value] : choice.numbers)
    numbers.push_back(name + " = " + value);
  return choice.strategy + " by " + choice.rule +
         (numbers.empty() ? "" : " (" + llvm::join(numbers, ", ") + ")");
}

static void printChoices(const ListedProduct &product, llvm::raw_ostream &out) {
  out << visibleLine(textOf(product.product)) << ": "
      << visibleLine(choiceText(product.choice)) << '\n';
  if (!product.nodes.empty())
    out << "  of " << visibleLine(llvm::join(product.nodes, ", ")) << '\n';
  std::vector<std::string> could;
  for (const auto &[strategy, why] : product.strategies)
    if (why.empty())
      could.push_back(strategy);
  if (!could.empty())
    out << "  can be: " << llvm::join(could, ", ") << '\n';
  for (const auto &[strategy, why] : product.strategies)
    if (!why.empty())
      out << "  not " << strategy << ": " << visibleLine(why) << '\n';
}

/// Runs one path, and lists what each of its products could be computed by.
static int listChoices(const ListOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Engine::Options engineOptions;
  engineOptions.runner.module.listsCandidates = true;
  FailureOr<RunSetup> setup =
      setUpRun(options.graph, engineOptions, sources, env, sink);
  if (failed(setup))
    return badUsage;
  // Nothing is compared, and no more runs than has to.
  setup->graph.verify.reset();
  ManifestRunOptions run;
  run.graph = options.graph;
  Selection selection = selectionFor(run);
  restrictToOneCase(setup->graph, selection);
  if (selection.pipelines.empty() && !setup->graph.pipelines.empty())
    selection.pipelines = {setup->graph.pipelines.front().name};
  FailureOr<Plan> plan = setup->plan(selection, env, sink);
  if (failed(plan))
    return badUsage;
  plan->results.resize(std::min<size_t>(plan->results.size(), 1));
  RunRecord record = setup->runToEnd(*plan, run);
  if (record.results.empty())
    return nothingRan;
  env.out << resultName(record.results[0].key) << '\n';
  for (const ListedProduct &product : listedProducts(record, 0))
    printChoices(product, env.out);
  for (StepId step : pathOf(record, 0))
    if (record.outcomes[step].status == StepStatus::Failed) {
      printReport(record, env.out, sink, {});
      return 1;
    }
  return 0;
}

static int runList(const ListOptions &options, DriverEnv &env) {
  if (options.space)
    return listSpace(options, env);
  if (options.choices)
    return listChoices(options, env);
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
  if (options.kernels)
    printKernels(*graph, resolveOptions(options.graph, env).libraryDirs,
                 sources, env, sink);
  env.out << "cases\n";
  for (const CaseDecl &one : graph->cases)
    env.out << "  " << one.name.value << (one.doc.empty() ? "" : ": ")
            << visibleLine(one.doc) << '\n';
  if (!graph->params.empty())
    env.out << "params\n";
  for (const auto &[name, value] : graph->params)
    env.out << "  " << name << " = " << visibleLine(valueText(value)) << '\n';
  return 0;
}

CommandRun lh::makeListCommand(CLI::App &command) {
  return makeCommand(command, addListFlags, runList);
}
