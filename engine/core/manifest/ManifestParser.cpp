// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to Manifest or BubbleFile.
#include "core/manifest/ManifestParser.h"

#include "core/manifest/BubbleReader.h"
#include "core/manifest/ComputedReader.h"
#include "core/manifest/Expectations.h"
#include "core/manifest/ExpressionParser.h"
#include "core/manifest/NodeChecker.h"
#include "core/manifest/NodeValues.h"
#include "core/manifest/Numerics.h"
#include "core/manifest/ToleranceReader.h"
#include "core/manifest/Words.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

static PipelineDecl readPipeline(const Located<std::string> &name,
                                 const YamlNode &node, DiagnosticSink &sink) {
  PipelineDecl pipeline;
  pipeline.name = name;
  pipeline.path = locatedTextsOf(node, "path");
  pipeline.color = textOf(node, "color").value;
  if (name.value == "golden" || name.value == "oracle")
    (void)sink.error(DiagKind::ManifestBadName, name.where,
                     "'" + name.value +
                         "' is reserved and cannot name a pipeline");
  return pipeline;
}

static std::vector<PipelineDecl>
readPipelines(const YamlNode &root, BrokenPart &broken, DiagnosticSink &sink) {
  std::vector<PipelineDecl> pipelines;
  readEntries(root, "pipelines", broken, sink,
              [&](const Located<std::string> &name, const YamlNode &node) {
                pipelines.push_back(readPipeline(name, node, sink));
              });
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

static CaseDecl readCase(const Located<std::string> &name, const YamlNode &node,
                         DiagnosticSink &sink) {
  CaseDecl decl;
  decl.name = name;
  if (const YamlNode *golden = node.find("golden"))
    decl.source = GoldenCase{parseExpression(*golden, sink)};
  else if (const YamlNode *pattern = node.find("onnx-test"))
    decl.source = OnnxTestCase{parseExpression(*pattern, sink)};
  else if (const YamlNode *generate = node.find("generate"))
    decl.source = readGenerate(*generate, sink);
  if (const YamlNode *tolerance = node.find("tolerance"))
    decl.tolerance = readTolerance(*tolerance);
  decl.fails = readFail(node, sink);
  return decl;
}

static std::vector<CaseDecl> readCases(const YamlNode &root, BrokenPart &broken,
                                       DiagnosticSink &sink) {
  std::vector<CaseDecl> cases;
  readEntries(root, "cases", broken, sink,
              [&](const Located<std::string> &name, const YamlNode &node) {
                cases.push_back(readCase(name, node, sink));
              });
  return cases;
}

/// The names of targets.
static std::vector<Located<std::string>> readTargetNames(const YamlNode &root,
                                                         BrokenPart &broken,
                                                         DiagnosticSink &sink) {
  std::vector<Located<std::string>> names;
  readItems(root, "targets", broken, sink, [&](const YamlNode &item) {
    if (item.isScalar() && !item.isBroken)
      names.push_back({item.text, item.where});
  });
  return names;
}

static std::optional<VerifyDecl> readVerify(const YamlNode &root) {
  const YamlNode *node = root.find("verify");
  if (!node)
    return std::nullopt;
  VerifyDecl verify;
  verify.where = node->where;
  if (!node->isMapping())
    return verify; // the word 'none'
  verify.against = locatedTextsOf(*node, "against");
  if (Located<std::string> word = textOf(*node, "oracle"); !word.value.empty())
    verify.mode = {parseOracleMode(word.value).value_or(OracleMode::Auto),
                   word.where};
  verify.tolerance = readTolerance(*node);
  verify.perDtype = readPerDtype(*node);
  if (const YamlNode *labels = node->find("labels"))
    if (std::optional<double> share = numberOf(*labels, "at_least"))
      verify.labelsAtLeast = {*share, labels->find("at_least")->where};
  return verify;
}

FailureOr<ManifestParts> lh::readManifest(StringRef text, StringRef file,
                                          DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> root = readYaml(text, file, sink);
  if (failed(root))
    return failure();
  checkDocument(*root, manifestMapping(), sink);
  ManifestParts parts;
  Manifest &manifest = parts.manifest;
  BrokenParts &broken = parts.broken;
  manifest.file = file.str();
  manifest.name = textOf(*root, "name");
  manifest.summary = textOf(*root, "summary").value;
  manifest.params = readParameters(*root, broken.params, sink);
  manifest.targets = readTargetNames(*root, broken.targets, sink);
  // They are required.
  broken.targets.lacksSome |= !root->find("targets");
  manifest.bubbles = readBubbles(*root, broken.bubbles, sink);
  manifest.edges = readEdges(*root, broken.edges, sink);
  manifest.pipelines = readPipelines(*root, broken.pipelines, sink);
  manifest.cases = readCases(*root, broken.cases, sink);
  manifest.verify = readVerify(*root);
  parts.isSound = sink.errorCount() == errors;
  return parts;
}

FailureOr<Manifest> lh::parseManifest(StringRef text, StringRef file,
                                      DiagnosticSink &sink) {
  FailureOr<ManifestParts> parts = readManifest(text, file, sink);
  if (failed(parts) || !parts->isSound)
    return failure();
  return std::move(parts->manifest);
}

FailureOr<BubbleFileParts> lh::readBubbleFile(StringRef text, StringRef file,
                                              DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> root = readYaml(text, file, sink);
  if (failed(root))
    return failure();
  checkDocument(*root, bubbleFileMapping(), sink);
  BubbleFileParts parts;
  BubbleFile &bubble = parts.file;
  bubble.file = file.str();
  bubble.params = readParameters(*root, parts.broken.params, sink);
  readComputed(*root, bubble, parts.broken, sink);
  if (root->find("with"))
    bubble.with = readBindings(*root, sink);
  if (root->find("passes") || root->find("schedule"))
    bubble.action = readAction(*root, sink);
  bubble.bubbles = readBubbles(*root, parts.broken.bubbles, sink);
  bubble.edges = readEdges(*root, parts.broken.edges, sink);
  bubble.requires_ = readForm(*root, "requires");
  bubble.ensures = readForm(*root, "ensures");
  bubble.preserves = locatedTextsOf(*root, "preserves");
  bubble.optional = textOf(*root, "optional").value;
  bubble.numerics = readNumerics(*root, sink);
  bubble.doc = textOf(*root, "doc").value;
  parts.isSound = sink.errorCount() == errors;
  parts.isUsable = parts.isSound || (!bubble.action && !bubble.bubbles.empty());
  return parts;
}

FailureOr<BubbleFile> lh::parseBubbleFile(StringRef text, StringRef file,
                                          DiagnosticSink &sink) {
  FailureOr<BubbleFileParts> parts = readBubbleFile(text, file, sink);
  if (failed(parts) || !parts->isSound)
    return failure();
  return std::move(parts->file);
}
