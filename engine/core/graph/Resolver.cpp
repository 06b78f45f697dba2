// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Manifest to ResolvedGraph: reads every file it names, resolves every name.
#include "core/graph/Resolver.h"

#include "core/graph/BubbleExpander.h"
#include "core/graph/ContractFlow.h"
#include "core/graph/Evaluate.h"
#include "core/graph/ModelCases.h"
#include "core/graph/ModelSniffing.h"
#include "core/graph/PipelineResolver.h"
#include "core/graph/TargetFinder.h"
#include "core/graph/TunedFiles.h"
#include "core/manifest/ManifestParser.h"
#include "core/manifest/Words.h"
#include "core/support/FileSystem.h"
#include "core/support/Suggestion.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace lh;

/// What is set for a parameter, else its default, which must be a literal.
static FailureOr<Value> parameterValue(const ParameterDecl &parameter,
                                       const ResolveOptions &options,
                                       DiagnosticSink &sink) {
  const Located<std::string> &name = parameter.name;
  auto setting = options.set.find(name.value);
  if (setting != options.set.end())
    return settingValue(setting->second, parameter, options.workingDirectory,
                        sink);
  if (!parameter.defaultValue)
    return sink.error(DiagKind::GraphUnboundParameter, name.where,
                      "parameter '" + name.value +
                          "' has no value; give it one with --set " +
                          name.value + "=...");
  const Expression &given = *parameter.defaultValue;
  FailureOr<Value> value = evaluate(given, Scope{}, sink);
  if (failed(value))
    return failure();
  return checkedValue(*value, parameter, folderOf(given.where.file),
                      given.where, sink);
}

/// The values of those `parameters` that have one.
static std::map<std::string, Value>
parameterValues(ArrayRef<ParameterDecl> parameters, const BrokenPart &broken,
                const ResolveOptions &options, DiagnosticSink &sink) {
  std::map<std::string, Value> values;
  std::vector<StringRef> names;
  for (const ParameterDecl &parameter : parameters) {
    const std::string &name = parameter.name.value;
    names.push_back(name);
    if (broken.names.count(name))
      continue;
    FailureOr<Value> value = parameterValue(parameter, options, sink);
    if (succeeded(value))
      values[name] = std::move(*value);
  }
  for (const auto &[name, text] : options.set)
    if (!broken.lacksSome && !llvm::is_contained(names, name))
      (void)sink.error(DiagKind::GraphUnknownParameter, {},
                       "--set " + name + "=" + text +
                           ": there is no parameter '" + name + "'" +
                           didYouMean(name, names));
  return values;
}

/// The environment in which a manifest's expressions stand.
static Environment
manifestEnvironment(ArrayRef<ParameterDecl> parameters,
                    const std::map<std::string, Value> &values) {
  Environment environment;
  for (const ParameterDecl &parameter : parameters) {
    const std::string &name = parameter.name.value;
    auto value = values.find(name);
    if (value == values.end())
      environment.params.broken.insert(name);
    else
      environment.params.values[name] =
          literalExpression(value->second, parameter.name.where);
  }
  return environment;
}

/// An expression of a case: parameters only, and a path.
static LogicalResult resolveCasePath(Expression &expression,
                                     Environment &environment,
                                     DiagnosticSink &sink) {
  FailureOr<Expression> result = substitute(expression, environment, sink);
  // Reports what is no parameter: a case comes before targets and sweeps.
  if (failed(result) || failed(evaluate(*result, Scope{}, sink)))
    return failure();
  expression = absoluteExpression(std::move(*result));
  return success();
}

static LogicalResult resolveCase(CaseDecl &decl, Environment &environment,
                                 DiagnosticSink &sink) {
  if (auto *golden = std::get_if<GoldenCase>(&decl.source))
    return resolveCasePath(golden->directory, environment, sink);
  if (auto *tests = std::get_if<OnnxTestCase>(&decl.source))
    return resolveCasePath(tests->pattern, environment, sink);
  if (auto *tests = std::get_if<StablehloTestCase>(&decl.source))
    return resolveCasePath(tests->pattern, environment, sink);
  return resolveCasePath(std::get<GenerateCase>(decl.source).model, environment,
                         sink);
}

static void checkVerify(const std::optional<VerifyDecl> &verify,
                        const PipelineParts &pipelines, DiagnosticSink &sink) {
  if (!verify || !pipelines.areAllNamed)
    return;
  std::vector<StringRef> names = {"golden", "oracle"};
  for (const auto *list : {&pipelines.whole, &pipelines.partial})
    for (const ResolvedPipeline &pipeline : *list)
      names.push_back(pipeline.name);
  for (const Located<std::string> &name : verify->against)
    if (!llvm::is_contained(names, name.value))
      (void)sink.error(DiagKind::GraphUndefinedName, name.where,
                       "'" + name.value +
                           "' is nothing to compare with; it is golden, "
                           "oracle or a pipeline" +
                           didYouMean(name.value, names));
}

namespace {

/// Resolves a manifest as far as that goes.
class Resolution {
public:
  Resolution(const ManifestParts &parts, const ResolveOptions &options,
             SourceStore &sources, DiagnosticSink &sink)
      : manifest(parts.manifest), broken(parts.broken),
        isManifestSound(parts.isSound), options(options), sources(sources),
        sink(sink), errors(sink.errorCount()) {}

  GraphParts run();

private:
  bool isSound() const {
    return isManifestSound && sink.errorCount() == errors;
  }
  void readTargets();
  void findDialects();
  void expandBubbles(Environment &environment);
  void tunePipelines(Environment &environment);
  std::vector<size_t> tunedPath(const TunedEntry &entry,
                                const ResolvedPipeline &pipeline,
                                Environment &environment);
  void resolveCases(Environment &environment);
  void addPartial(PipelineParts pipelines);
  void checkExpectation(const std::optional<FailDecl> &fail);

  const Manifest &manifest;
  const BrokenParts &broken;
  bool isManifestSound;
  const ResolveOptions &options;
  const TargetSearch search{folderOf(manifest.file), options.targetDirs,
                            options.libraryDirs, options.threads};
  SourceStore &sources;
  DiagnosticSink &sink;
  unsigned errors; ///< before
  GraphParts result;
  ResolvedGraph &graph = result.graph;
  std::vector<ExpandedBubble> expanded; ///< by the manifest's bubbles
  std::optional<BubbleExpander> expander;
};

} // namespace

/// A misspelt name is one at which no failure is ever expected. Targets may be
/// added by --target, so that all there are count.
void Resolution::checkExpectation(const std::optional<FailDecl> &fail) {
  if (!fail)
    return;
  auto warn = [&](const Located<std::string> &name, StringRef what,
                  ArrayRef<StringRef> known) {
    sink.warning(DiagKind::GraphUnusedExpectation, name.where,
                 "no failure is expected in '" + name.value +
                     "': there is no such " + what +
                     didYouMean(name.value, known));
  };
  std::vector<StringRef> targets, pipelines;
  for (const TargetSpec &target : graph.targets)
    targets.push_back(target.name);
  for (const ResolvedPipeline &pipeline : graph.pipelines)
    pipelines.push_back(pipeline.name);
  CollectingSink unsaid;
  for (const Located<std::string> &name : fail->targets)
    if (!llvm::is_contained(targets, name.value) &&
        failed(readTarget(name, search, sources, unsaid)))
      warn(name, "target", targets);
  for (const Located<std::string> &name : fail->pipelines)
    if (!llvm::is_contained(pipelines, name.value))
      warn(name, "pipeline", pipelines);
}

void Resolution::readTargets() {
  unsigned before = sink.errorCount();
  graph.targets = lh::readTargets(manifest.targets, search, sources, sink);
  if (!options.target.empty()) {
    FailureOr<TargetSpec> own =
        readTarget({options.target, {}}, search, sources, sink);
    llvm::erase_if(graph.targets, [&](const TargetSpec &target) {
      return succeeded(own) && target.name == own->name;
    });
    if (succeeded(own))
      graph.targets.push_back(std::move(*own));
  }
  result.missing.targets = broken.targets.any() || sink.errorCount() != before;
  for (const TargetSpec &target : graph.targets) {
    graph.files.push_back(target.file);
    llvm::append_range(graph.files, target.bases);
  }
}

/// What is in them is read when the plan is made.
void Resolution::findDialects() {
  for (const Located<std::string> &named : manifest.dialects) {
    std::string file = absolutePath(named.value, folderOf(named.where.file));
    if (!isFile(sources.fileSystem(), file)) {
      (void)sink.error(DiagKind::GraphFileNotFound, named.where,
                       "no file '" + named.value + "' for 'dialects'" +
                           didYouMeanFile(file, sources.fileSystem()));
      result.missing.dialects = true;
      continue;
    }
    graph.dialects.push_back({file, named.where});
    graph.files.push_back(std::move(file));
  }
}

void Resolution::expandBubbles(Environment &environment) {
  expander.emplace(graph.targets, options.libraryDirs, sources, sink,
                   result.missing.targets);
  for (const BubbleDecl &bubble : manifest.bubbles) {
    ExpandedBubble &entry = expanded.emplace_back();
    entry.isSound = broken.bubbles.names.count(bubble.name.value) == 0;
    if (!entry.isSound)
      continue;
    BubbleExpander::Expansion expansion = expander->expand(bubble, environment);
    entry.isSound = expansion.isSound;
    for (ResolvedBubble &elementary : expansion.chain) {
      entry.chain.push_back(graph.bubbles.size());
      graph.bubbles.push_back(std::move(elementary));
    }
    if (!entry.isSound)
      continue;
    for (const ParameterDecl &parameter : expander->tunedParameters(bubble)) {
      TunableParameter &tunable = graph.tunable.emplace_back();
      tunable.bubble = bubble.name.value;
      tunable.name = parameter.name.value;
      for (const Located<Value> &value : parameter.tune)
        tunable.values.push_back(value.value);
    }
  }
  llvm::append_range(graph.files, expander->files());
}

/// The pipeline's path, with the bubbles that the entry changes expanded anew.
std::vector<size_t> Resolution::tunedPath(const TunedEntry &entry,
                                          const ResolvedPipeline &pipeline,
                                          Environment &environment) {
  std::vector<size_t> path = pipeline.path;
  std::set<StringRef> inPath;
  for (const auto &[bubble, old] :
       llvm::zip_equal(manifest.bubbles, expanded)) {
    auto first =
        old.chain.empty() ? path.end() : llvm::find(path, old.chain.front());
    if (first == path.end())
      continue;
    inPath.insert(bubble.name.value);
    std::optional<BubbleDecl> changed = tunedBubble(bubble, entry, sink);
    if (!changed)
      continue;
    first = path.erase(first, first + ptrdiff_t(old.chain.size()));
    for (ResolvedBubble &each : expander->expand(*changed, environment).chain) {
      first = path.insert(first, graph.bubbles.size()) + 1;
      graph.bubbles.push_back(std::move(each));
    }
  }
  for (const auto &[name, value] : entry.use)
    if (StringRef bubble = StringRef(name).split('.').first;
        !inPath.count(bubble))
      (void)sink.error(
          DiagKind::GraphTunedMisfit, entry.where,
          "the pipeline '" + pipeline.name + "' has no bubble '" + bubble +
              "'" +
              didYouMean(bubble,
                         std::vector<StringRef>(inPath.begin(), inPath.end())));
  return path;
}

/// The paths that entries about pipelines change.
void Resolution::tunePipelines(Environment &environment) {
  std::vector<StringRef> names;
  for (const ResolvedPipeline &pipeline : graph.pipelines)
    names.push_back(pipeline.name);
  auto isHere = [&](StringRef target) {
    return llvm::any_of(graph.targets, [&](const TargetSpec &each) {
      return each.name == target;
    });
  };
  for (const TunedSpec &spec : graph.tuned)
    for (const TunedEntry &entry : spec.entries) {
      if (!isHere(spec.target))
        continue;
      const auto *about = std::get_if<TunedPath>(&entry.about);
      if (!about)
        continue;
      auto name = llvm::find(names, about->pipeline);
      if (name == names.end())
        (void)sink.error(DiagKind::GraphTunedMisfit, entry.where,
                         "there is no pipeline '" + about->pipeline + "'" +
                             didYouMean(about->pipeline, names));
      else
        graph.tunedPipelines.push_back(
            {spec.target, about->pipeline, about->caseName,
             tunedPath(entry, graph.pipelines[size_t(name - names.begin())],
                       environment)});
    }
}

void Resolution::resolveCases(Environment &environment) {
  for (const CaseDecl &decl : manifest.cases) {
    graph.cases.push_back(decl);
    if (broken.cases.names.count(decl.name.value) ||
        failed(resolveCase(graph.cases.back(), environment, sink)))
      graph.cases.pop_back();
  }
  result.missing.cases =
      broken.cases.lacksSome || graph.cases.size() != manifest.cases.size();
  if (!options.models.empty())
    result.missing.cases =
        failed(useModels(graph, options, sources.fileSystem(), sink));
}

/// Adds pipelines that have errors, and one for each bubble that may have been
/// in these: nothing runs, but what is sound can be looked at.
void Resolution::addPartial(PipelineParts pipelines) {
  graph.verify.reset();
  if (result.missing.targets && graph.targets.empty())
    for (ResolvedBubble &bubble : graph.bubbles)
      bubble.when.clear(); // there is no target to ask
  if (pipelines.areAllNamed && pipelines.partial.empty())
    return;
  result.missing.pipelines = true;
  llvm::append_range(graph.pipelines, std::move(pipelines.partial));
  llvm::erase_if(graph.pipelines, [](const ResolvedPipeline &pipeline) {
    return pipeline.path.empty();
  });
  llvm::BitVector used(unsigned(graph.bubbles.size()));
  for (const ResolvedPipeline &pipeline : graph.pipelines)
    for (size_t bubble : pipeline.path)
      used.set(unsigned(bubble));
  for (size_t i = 0; i < graph.bubbles.size(); ++i)
    if (!used.test(unsigned(i)))
      graph.pipelines.push_back({"", graph.bubbles[i].declaredAt, "", {i}});
}

GraphParts Resolution::run() {
  graph.name = manifest.name.value;
  graph.file = manifest.file;
  graph.summary = manifest.summary;
  graph.verify = manifest.verify;
  graph.files = {manifest.file};
  graph.params = parameterValues(manifest.params, broken.params, options, sink);
  readTargets();
  findDialects();
  Environment environment = manifestEnvironment(manifest.params, graph.params);
  environment.params.lacksSome = broken.params.lacksSome;
  expandBubbles(environment);
  resolveCases(environment);
  PipelineParts pipelines =
      resolvePipelines(manifest, broken, graph.bubbles, expanded, sink);
  checkVerify(graph.verify, pipelines, sink);
  graph.pipelines = std::move(pipelines.whole);
  graph.tuned = readTuned(manifest, options, sources, sink);
  for (const TunedSpec &spec : graph.tuned)
    graph.files.push_back(spec.file);
  if (isSound()) {
    checkTuned(graph, sink);
    tunePipelines(environment);
  }
  // What failed may hide uses.
  if (isSound()) {
    reportUnused(manifest.params, environment, sink);
    for (const BubbleDecl &bubble : manifest.bubbles)
      checkExpectation(bubble.fails);
    for (const CaseDecl &decl : manifest.cases)
      checkExpectation(decl.fails);
  }
  bool areContractsKept = succeeded(checkContracts(graph, sink));
  result.missing.any = !isSound() || !areContractsKept || !pipelines.isComplete;
  if (result.missing.any)
    addPartial(std::move(pipelines));
  return std::move(result);
}

FailureOr<ResolvedGraph> lh::resolve(const Manifest &manifest,
                                     const ResolveOptions &options,
                                     SourceStore &sources,
                                     DiagnosticSink &sink) {
  GraphParts parts =
      Resolution({manifest, {}, true}, options, sources, sink).run();
  if (parts.missing.any)
    return failure();
  return std::move(parts.graph);
}

std::string lh::shippedModelManifest(StringRef name,
                                     const ResolveOptions &options,
                                     llvm::vfs::FileSystem &files) {
  for (const std::string &library : options.libraryDirs) {
    std::string path = library + "/manifests/model/" + name.str() + ".yaml";
    if (isFile(files, path))
      return path;
  }
  return "";
}

/// The manifest by which `model` is run, and that it is run by it.
static FailureOr<GraphParts>
loadForModel(StringRef path, const SniffedFile &model, ResolveOptions options,
             SourceStore &sources, DiagnosticSink &sink) {
  if (!model.ingress)
    return sink.error(DiagKind::GraphForeignModel, {path.str()},
                      "this is " + model.kind +
                          ", which lh-run doesn't read as a model; " +
                          model.remedy);
  std::string manifest =
      options.modelManifest.empty()
          ? shippedModelManifest(model.manifest, options, sources.fileSystem())
          : absolutePath(options.modelManifest, options.workingDirectory);
  if (manifest.empty())
    return sink.error(DiagKind::GraphFileNotFound, {path.str()},
                      "this is " + model.kind +
                          ", and the library has no manifest for it; name one "
                          "by --manifest");
  options.models = {path.str()};
  return loadGraphParts(manifest, options, sources, sink);
}

FailureOr<GraphParts> lh::loadGraphParts(StringRef path,
                                         const ResolveOptions &options,
                                         SourceStore &sources,
                                         DiagnosticSink &sink) {
  std::string file = absolutePath(path, options.workingDirectory);
  FailureOr<StringRef> text = sources.load(file, {}, sink);
  if (failed(text))
    return failure();
  if (auto model = sniffModel(file, *text); model && options.models.empty())
    return loadForModel(file, *model, options, sources, sink);
  FailureOr<ManifestParts> manifest = readManifest(*text, file, sink);
  if (failed(manifest))
    return failure();
  return Resolution(*manifest, options, sources, sink).run();
}

FailureOr<ResolvedGraph> lh::loadGraph(StringRef path,
                                       const ResolveOptions &options,
                                       SourceStore &sources,
                                       DiagnosticSink &sink) {
  FailureOr<GraphParts> parts = loadGraphParts(path, options, sources, sink);
  if (failed(parts) || parts->missing.any)
    return failure();
  return std::move(parts->graph);
}

FailureOr<std::vector<ResolvedBubble>>
lh::loadBubbleFile(StringRef path, const TargetSpec &target,
                   const ResolveOptions &options, SourceStore &sources,
                   DiagnosticSink &sink) {
  std::string file = path.starts_with("lib:")
                         ? path.str()
                         : absolutePath(path, options.workingDirectory);
  BubbleExpander expander(target, options.libraryDirs, sources, sink);
  return expander.expandFile(file, options.set, options.workingDirectory);
}
