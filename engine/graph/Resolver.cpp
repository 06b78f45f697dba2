// Manifest to ResolvedGraph: reads every file it names, resolves every name.
#include "graph/Resolver.h"

#include "graph/BubbleExpander.h"
#include "graph/ContractFlow.h"
#include "graph/Evaluate.h"
#include "graph/PipelineResolver.h"
#include "graph/TargetFinder.h"
#include "manifest/ManifestParser.h"
#include "support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

/// The values of `parameters`: what is set, else the default, which must be a
/// literal.
static std::map<std::string, Value>
parameterValues(ArrayRef<ParameterDecl> parameters,
                const ResolveOptions &options, DiagnosticSink &sink) {
  std::map<std::string, Value> values;
  std::vector<StringRef> names;
  for (const ParameterDecl &parameter : parameters) {
    const Located<std::string> &name = parameter.name;
    names.push_back(name.value);
    FailureOr<Value> value = failure();
    auto setting = options.set.find(name.value);
    if (setting != options.set.end()) {
      value = settingValue(setting->second, parameter, options.workingDirectory,
                           sink);
    } else if (parameter.defaultValue) {
      const Expression &given = *parameter.defaultValue;
      value = evaluate(given, Scope{}, sink);
      if (succeeded(value))
        value = checkedValue(*value, parameter, folderOf(given.where.file),
                             given.where, sink);
    } else {
      (void)sink.error(DiagKind::GraphUnboundParameter, name.where,
                       "parameter '" + name.value +
                           "' has no value; give it one with --set " +
                           name.value + "=...");
    }
    if (succeeded(value))
      values[name.value] = std::move(*value);
  }
  for (const auto &[name, text] : options.set)
    if (!llvm::is_contained(names, name))
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
      environment.broken.insert(name);
    else
      environment.values[name] =
          literalExpression(value->second, parameter.name.where);
  }
  return environment;
}

/// An expression of a case: parameters only, and a path.
static void resolveCasePath(Expression &expression, Environment &environment,
                            DiagnosticSink &sink) {
  FailureOr<Expression> result = substitute(expression, environment, sink);
  if (failed(result))
    return;
  // Reports what is no parameter: a case comes before targets and sweeps.
  if (succeeded(evaluate(*result, Scope{}, sink)))
    expression = absoluteExpression(std::move(*result));
}

static void resolveCases(std::vector<CaseDecl> &cases, Environment &environment,
                         DiagnosticSink &sink) {
  for (CaseDecl &decl : cases) {
    if (auto *golden = std::get_if<GoldenCase>(&decl.source))
      resolveCasePath(golden->directory, environment, sink);
    else if (auto *tests = std::get_if<OnnxTestCase>(&decl.source))
      resolveCasePath(tests->pattern, environment, sink);
    else
      resolveCasePath(std::get<GenerateCase>(decl.source).model, environment,
                      sink);
  }
}

static void checkVerify(const std::optional<VerifyDecl> &verify,
                        ArrayRef<ResolvedPipeline> pipelines,
                        DiagnosticSink &sink) {
  if (!verify)
    return;
  std::vector<StringRef> names = {"golden", "oracle"};
  for (const ResolvedPipeline &pipeline : pipelines)
    names.push_back(pipeline.name);
  for (const Located<std::string> &name : verify->against)
    if (!llvm::is_contained(names, name.value))
      (void)sink.error(DiagKind::GraphUndefinedName, name.where,
                       "'" + name.value +
                           "' is nothing to compare with; it is golden, "
                           "oracle or a pipeline" +
                           didYouMean(name.value, names));
}

FailureOr<ResolvedGraph> lh::resolve(const Manifest &manifest,
                                     const ResolveOptions &options,
                                     SourceStore &sources,
                                     DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  ResolvedGraph graph;
  graph.name = manifest.name.value;
  graph.file = manifest.file;
  graph.summary = manifest.summary;
  graph.verify = manifest.verify;
  graph.cases = manifest.cases;
  graph.params = parameterValues(manifest.params, options, sink);
  TargetSearch search{folderOf(manifest.file), options.targetDirs,
                      options.libraryDirs, options.threads};
  graph.targets = readTargets(manifest.targets, search, sources, sink);

  Environment environment = manifestEnvironment(manifest.params, graph.params);
  BubbleExpander expander(graph.targets, options.libraryDirs, sources, sink);
  // The elementary bubbles of each declared one; none: it has errors.
  std::vector<std::vector<size_t>> expanded;
  for (const BubbleDecl &bubble : manifest.bubbles) {
    expanded.emplace_back();
    FailureOr<std::vector<ResolvedBubble>> chain =
        expander.expand(bubble, environment);
    if (failed(chain))
      continue;
    for (ResolvedBubble &elementary : *chain) {
      expanded.back().push_back(graph.bubbles.size());
      graph.bubbles.push_back(std::move(elementary));
    }
  }
  resolveCases(graph.cases, environment, sink);
  FailureOr<std::vector<ResolvedPipeline>> pipelines =
      resolvePipelines(manifest, graph.bubbles, expanded, sink);
  if (succeeded(pipelines)) {
    graph.pipelines = std::move(*pipelines);
    checkVerify(graph.verify, graph.pipelines, sink);
  }
  // What failed may hide uses.
  if (sink.errorCount() == errors)
    reportUnused(manifest.params, environment, sink);
  graph.files = {manifest.file};
  for (const TargetSpec &target : graph.targets)
    graph.files.push_back(target.file);
  llvm::append_range(graph.files, expander.files());
  if (sink.errorCount() != errors || failed(checkContracts(graph, sink)))
    return failure();
  return graph;
}

FailureOr<ResolvedGraph> lh::loadGraph(StringRef path,
                                       const ResolveOptions &options,
                                       SourceStore &sources,
                                       DiagnosticSink &sink) {
  std::string file = absolutePath(path, options.workingDirectory);
  FailureOr<StringRef> text = sources.load(file, {}, sink);
  if (failed(text))
    return failure();
  FailureOr<Manifest> manifest = parseManifest(*text, file, sink);
  if (failed(manifest))
    return failure();
  return resolve(*manifest, options, sources, sink);
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
