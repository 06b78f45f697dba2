// Text to Manifest, BubbleFile or TargetSpec.
#include "manifest/ManifestParser.h"

#include "manifest/BubbleReader.h"
#include "manifest/Expectations.h"
#include "manifest/ExpressionParser.h"
#include "manifest/NodeChecker.h"
#include "manifest/NodeValues.h"
#include "manifest/Numerics.h"
#include "manifest/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

static ToleranceDecl readTolerance(const YamlNode &node) {
  return {numberOf(node, "atol"), numberOf(node, "rtol"),
          integerOf(node, "ulp"), node.where};
}

static std::map<std::string, ToleranceDecl> readPerDtype(const YamlNode &node) {
  std::map<std::string, ToleranceDecl> bounds;
  if (const YamlNode *dtypes = node.find("dtypes"))
    for (size_t i = 0; i < dtypes->keys.size(); ++i)
      bounds[dtypes->keys[i].value] = readTolerance(dtypes->items[i]);
  return bounds;
}

static std::vector<PipelineDecl> readPipelines(const YamlNode &root,
                                               DiagnosticSink &sink) {
  std::vector<PipelineDecl> pipelines;
  const YamlNode *node = root.find("pipelines");
  for (size_t i = 0; node && i < node->keys.size(); ++i) {
    PipelineDecl pipeline;
    pipeline.name = node->keys[i];
    pipeline.path = locatedTextsOf(node->items[i], "path");
    pipeline.color = textOf(node->items[i], "color").value;
    if (pipeline.name.value == "golden" || pipeline.name.value == "oracle")
      (void)sink.error(DiagKind::ManifestBadName, pipeline.name.where,
                       "'" + pipeline.name.value +
                           "' is reserved and cannot name a pipeline");
    pipelines.push_back(std::move(pipeline));
  }
  return pipelines;
}

static GeneratedInput readInput(const Located<std::string> &name,
                                const YamlNode &node, DiagnosticSink &sink) {
  GeneratedInput input;
  input.name = name;
  for (const Value &size : valuesOf(node, "shape"))
    if (const int64_t *integer = std::get_if<int64_t>(&size))
      input.shape.push_back(*integer);
  input.dtype = textOf(node, "dtype").value;
  if (node.find("dist"))
    input.dist = textOf(node, "dist").value;
  const YamlNode *range = node.find("range");
  if (!range || !range->isSequence())
    return input;
  std::vector<double> bounds;
  for (const YamlNode &item : range->items) {
    Value value = valueOf(item);
    if (const int64_t *integer = std::get_if<int64_t>(&value))
      bounds.push_back(double(*integer));
    else if (const double *number = std::get_if<double>(&value))
      bounds.push_back(*number);
  }
  if (bounds.size() == 2 && bounds[0] <= bounds[1]) {
    input.low = bounds[0];
    input.high = bounds[1];
    input.hasRange = true;
  } else if (bounds.size() == range->items.size() && !bounds.empty()) {
    (void)sink.error(DiagKind::ManifestBadValue, range->where,
                     "'range' is the lowest and the highest element, in this "
                     "order");
  }
  return input;
}

/// Each once, in the order of the enumerators.
static std::vector<InputSet> readSets(const YamlNode &node) {
  std::vector<std::string> words = textsOf(node, "sets");
  std::vector<InputSet> sets;
  for (InputSet set : allInputSets)
    if (llvm::is_contained(words, wordOf(set)))
      sets.push_back(set);
  return sets;
}

static GenerateCase readGenerate(const YamlNode &node, DiagnosticSink &sink) {
  GenerateCase generate;
  if (const YamlNode *model = node.find("model"))
    generate.model = parseExpression(*model, sink);
  generate.seed = uint64_t(integerOf(node, "seed").value_or(0));
  if (const YamlNode *inputs = node.find("inputs"))
    for (size_t i = 0; i < inputs->keys.size(); ++i)
      generate.inputs.push_back(
          readInput(inputs->keys[i], inputs->items[i], sink));
  generate.sets = readSets(node);
  if (std::optional<int64_t> draws = integerOf(node, "draws"))
    generate.draws = unsigned(*draws);
  return generate;
}

static std::vector<CaseDecl> readCases(const YamlNode &root,
                                       DiagnosticSink &sink) {
  std::vector<CaseDecl> cases;
  const YamlNode *node = root.find("cases");
  for (size_t i = 0; node && i < node->keys.size(); ++i) {
    const YamlNode &item = node->items[i];
    CaseDecl decl;
    decl.name = node->keys[i];
    if (const YamlNode *golden = item.find("golden"))
      decl.source = GoldenCase{parseExpression(*golden, sink)};
    else if (const YamlNode *pattern = item.find("onnx-test"))
      decl.source = OnnxTestCase{parseExpression(*pattern, sink)};
    else if (const YamlNode *generate = item.find("generate"))
      decl.source = readGenerate(*generate, sink);
    if (const YamlNode *tolerance = item.find("tolerance"))
      decl.tolerance = readTolerance(*tolerance);
    decl.fails = readFail(item, sink);
    cases.push_back(std::move(decl));
  }
  return cases;
}

static std::optional<VerifyDecl> readVerify(const YamlNode &root) {
  const YamlNode *node = root.find("verify");
  if (!node || !node->isMapping())
    return std::nullopt;
  VerifyDecl verify;
  verify.against = locatedTextsOf(*node, "against");
  if (Located<std::string> word = textOf(*node, "oracle"); !word.value.empty())
    verify.mode = {parseOracleMode(word.value).value_or(OracleMode::Auto),
                   word.where};
  verify.tolerance = readTolerance(*node);
  verify.perDtype = readPerDtype(*node);
  return verify;
}

static TargetRunDecl readRun(const YamlNode &root, DiagnosticSink &sink) {
  TargetRunDecl run;
  const YamlNode *node = root.find("run");
  if (!node)
    return run;
  run.nativeOn = textOf(*node, "native_on").value;
  if (const YamlNode *emulator = node->find("emulator"))
    for (const YamlNode &word : emulator->items)
      run.emulator.push_back(parseExpression(word, sink));
  if (const YamlNode *sweep = node->find("sweep"))
    for (const Located<std::string> &name : sweep->keys)
      run.sweep[name.value] = valuesOf(*sweep, name.value);
  if (const YamlNode *bytes = node->find("vector_bytes"))
    run.vectorBytes = parseExpression(*bytes, sink);
  if (const YamlNode *needs = node->find("needs"))
    for (const Located<std::string> &name : needs->keys)
      run.needs[name.value] = textOf(*needs, name.value).value;
  return run;
}

FailureOr<Manifest> lh::parseManifest(StringRef text, StringRef file,
                                      DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> root = readYaml(text, file, sink);
  if (failed(root))
    return failure();
  checkDocument(*root, manifestMapping(), sink);
  Manifest manifest;
  manifest.file = file.str();
  manifest.name = textOf(*root, "name");
  manifest.summary = textOf(*root, "summary").value;
  manifest.params = readParameters(*root, sink);
  manifest.targets = locatedTextsOf(*root, "targets");
  manifest.bubbles = readBubbles(*root, sink);
  manifest.edges = readEdges(*root, sink);
  manifest.pipelines = readPipelines(*root, sink);
  manifest.cases = readCases(*root, sink);
  manifest.verify = readVerify(*root);
  if (sink.errorCount() != errors)
    return failure();
  return manifest;
}

FailureOr<BubbleFile> lh::parseBubbleFile(StringRef text, StringRef file,
                                          DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> root = readYaml(text, file, sink);
  if (failed(root))
    return failure();
  checkDocument(*root, bubbleFileMapping(), sink);
  BubbleFile bubble;
  bubble.file = file.str();
  bubble.params = readParameters(*root, sink);
  if (root->find("passes") || root->find("schedule"))
    bubble.action = readAction(*root, sink);
  bubble.bubbles = readBubbles(*root, sink);
  bubble.edges = readEdges(*root, sink);
  bubble.requires_ = readForm(*root, "requires");
  bubble.ensures = readForm(*root, "ensures");
  bubble.preserves = locatedTextsOf(*root, "preserves");
  bubble.optional = textOf(*root, "optional").value;
  bubble.numerics = readNumerics(*root, sink);
  bubble.doc = textOf(*root, "doc").value;
  if (sink.errorCount() != errors)
    return failure();
  return bubble;
}

FailureOr<TargetSpec> lh::parseTarget(StringRef text, StringRef file,
                                      DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> root = readYaml(text, file, sink);
  if (failed(root))
    return failure();
  checkDocument(*root, targetMapping(), sink);
  TargetSpec target;
  target.name = llvm::sys::path::stem(file).str();
  target.file = file.str();
  target.backend = textOf(*root, "backend").value;
  target.triple = textOf(*root, "triple").value;
  target.cpu = textOf(*root, "cpu").value;
  target.features = textsOf(*root, "features");
  if (const YamlNode *facts = root->find("facts"))
    for (size_t i = 0; i < facts->keys.size(); ++i)
      target.facts[facts->keys[i].value] = {valueOf(facts->items[i]),
                                            facts->keys[i].where};
  target.run = readRun(*root, sink);
  if (const YamlNode *tolerance = root->find("tolerance")) {
    target.tolerance = readTolerance(*tolerance);
    target.perDtype = readPerDtype(*tolerance);
  }
  target.labels = textsOf(*root, "labels");
  if (sink.errorCount() != errors)
    return failure();
  return target;
}
