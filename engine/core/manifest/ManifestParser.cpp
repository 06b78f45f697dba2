// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to Manifest or BubbleFile.
#include "core/manifest/ManifestParser.h"

#include "core/manifest/FormulaParser.h"
#include "core/manifest/NodeValues.h"
#include "core/manifest/Values.h"

using namespace lh;

/// What is broken of a list, or of entries with names, that was read.
static BrokenPart brokenPart(const YamlNode &root, StringRef key,
                             YamlNode::Kind kind = YamlNode::Kind::Mapping) {
  BrokenPart broken;
  const YamlNode *node = root.find(key);
  // An unknown key may be this one, misspelt.
  broken.lacksSome = node ? node->lacksKeys : root.lacksKeys;
  if (!node)
    return broken;
  if (node->kind != kind || node->isSequence())
    broken.lacksSome |= node->isBroken;
  for (size_t i = 0; node->kind == kind && i < node->keys.size(); ++i)
    if (node->items[i].isBroken)
      broken.names.insert(node->keys[i].value);
  return broken;
}

static std::optional<FormulaType> typeOf(ParameterType type) {
  switch (type) {
  case ParameterType::Bool:
    return FormulaType::Boolean;
  case ParameterType::Int:
    return FormulaType::Integer;
  case ParameterType::Float:
    return std::nullopt;
  case ParameterType::String:
  case ParameterType::Path:
    return FormulaType::Text;
  }
  return std::nullopt;
}

static FormulaNames namesOf(ArrayRef<ParameterDecl> parameters,
                            const BrokenPart &broken) {
  FormulaNames names;
  names.lacksSome = broken.lacksSome;
  for (const ParameterDecl &parameter : parameters) {
    FormulaNames::Name name{Reference::Scope::Params, typeOf(parameter.type)};
    if (broken.names.count(parameter.name.value))
      name.type = FormulaType::Unknown;
    names.known[parameter.name.value] = name;
  }
  return names;
}

/// Reads `let:`; `names` gets them.
static void readLets(YamlNode &root, BubbleFile &file, FormulaNames &names,
                     DiagnosticSink &sink) {
  YamlNode *lets = root.find("let");
  for (size_t i = 0; lets && i < lets->keys.size(); ++i)
    names.later.insert(lets->keys[i].value);
  for (size_t i = 0; lets && i < lets->keys.size(); ++i) {
    const Located<std::string> &name = lets->keys[i];
    YamlNode &node = lets->items[i];
    if (names.known.count(name.value)) {
      node.isBroken = true;
      (void)sink.error(DiagKind::ManifestBadName, name.where,
                       "'" + name.value +
                           "' is a parameter; a computed value needs a name "
                           "of its own");
      continue;
    }
    FailureOr<Formula> formula = failure();
    if (node.isScalar() && !node.isBroken)
      formula = parseFormula(node, names, sink);
    FormulaType type =
        succeeded(formula) ? formula->type : FormulaType::Unknown;
    names.known[name.value] = {Reference::Scope::Let, type};
    if (succeeded(formula))
      file.lets.push_back({name, std::move(formula->expression), node.text});
    else
      node.isBroken = true;
  }
  names.later.clear();
}

static void readConstraint(const YamlNode &node, const FormulaNames &names,
                           std::vector<ConstraintDecl> &constraints,
                           DiagnosticSink &sink) {
  const YamlNode *that = node.find("that");
  if (!that || !that->isScalar() || that->isBroken)
    return;
  FailureOr<Formula> formula = parseFormula(*that, names, sink);
  if (failed(formula))
    return;
  if (formula->type != FormulaType::Boolean) {
    (void)sink.error(DiagKind::ManifestWrongType, that->where,
                     "'" + that->text + "' is " +
                         formulaTypeName(formula->type) +
                         "; a constraint is a boolean, such as 'x > 0'");
    return;
  }
  constraints.push_back({std::move(formula->expression), that->text,
                         textOf(node, "because").value});
}

/// The values of one number; nothing else than their type is asked of them.
static void readNumber(YamlNode &node, const FormulaNames &names,
                       NumberDecl &number, DiagnosticSink &sink) {
  for (YamlNode &item : node.items) {
    if (!item.isScalar() || item.isBroken)
      continue;
    FailureOr<Formula> formula = parseFormula(item, names, sink);
    if (failed(formula))
      continue;
    number.values.push_back(std::move(formula->expression));
    number.texts.push_back(item.text);
    if (formula->type != FormulaType::Integer &&
        formula->type != FormulaType::Unknown)
      (void)sink.error(DiagKind::ManifestWrongType, item.where,
                       "'" + item.text + "' is " +
                           formulaTypeName(formula->type) +
                           "; a number of a choice is an integer");
  }
}

/// The formulas of `strategies:`, whose other keys have been read.
static void readStrategies(YamlNode &root, const FormulaNames &names,
                           BubbleFile &file, DiagnosticSink &sink) {
  YamlNode *nodes = root.find("strategies");
  for (size_t i = 0; nodes && i < file.strategies.size(); ++i) {
    StrategyDecl &strategy = file.strategies[i];
    FormulaNames inner = names;
    YamlNode *numbers = nodes->items[i].find("numbers");
    for (size_t j = 0; numbers && j < numbers->keys.size(); ++j) {
      NumberDecl &number = strategy.numbers.emplace_back();
      number.name = numbers->keys[j];
      readNumber(numbers->items[j], names, number, sink);
      inner.known[number.name.value] = {Reference::Scope::Let,
                                        FormulaType::Integer};
    }
    if (const YamlNode *constraints = nodes->items[i].find("constraints"))
      for (const YamlNode &node : constraints->items)
        readConstraint(node, inner, strategy.constraints, sink);
  }
}

/// `let:`, `constraints:` and `strategies:` of a file whose parameters have
/// been read.
static void readComputed(YamlNode &root, BubbleFile &file, BrokenParts &broken,
                         DiagnosticSink &sink) {
  FormulaNames names = namesOf(file.params, broken.params);
  readLets(root, file, names, sink);
  broken.lets = brokenPart(root, "let");
  names.lacksSome |= broken.lets.lacksSome;
  if (const YamlNode *constraints = root.find("constraints"))
    for (const YamlNode &node : constraints->items)
      readConstraint(node, names, file.constraints, sink);
  readStrategies(root, names, file, sink);
}

FailureOr<ManifestParts> lh::readManifest(StringRef text, StringRef file,
                                          DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> root = readYaml(text, file, sink);
  if (failed(root))
    return failure();
  checkDocument(*root, manifestMapping(), sink);
  ManifestParts parts;
  parts.manifest.file = file.str();
  readKeys(*root, manifestMapping(), &parts.manifest, sink);
  parts.broken.params = brokenPart(*root, "params");
  parts.broken.targets = brokenPart(*root, "targets", YamlNode::Kind::Sequence);
  // They are required.
  parts.broken.targets.lacksSome |= !root->find("targets");
  parts.broken.bubbles = brokenPart(*root, "bubbles");
  parts.broken.edges = brokenPart(*root, "edges", YamlNode::Kind::Sequence);
  parts.broken.pipelines = brokenPart(*root, "pipelines");
  parts.broken.cases = brokenPart(*root, "cases");
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
  parts.file.file = file.str();
  readKeys(*root, bubbleFileMapping(), &parts.file, sink);
  parts.broken.params = brokenPart(*root, "params");
  readComputed(*root, parts.file, parts.broken, sink);
  parts.broken.bubbles = brokenPart(*root, "bubbles");
  parts.broken.edges = brokenPart(*root, "edges", YamlNode::Kind::Sequence);
  parts.isSound = sink.errorCount() == errors;
  parts.isUsable =
      parts.isSound || (!parts.file.action && !parts.file.bubbles.empty());
  return parts;
}

FailureOr<BubbleFile> lh::parseBubbleFile(StringRef text, StringRef file,
                                          DiagnosticSink &sink) {
  FailureOr<BubbleFileParts> parts = readBubbleFile(text, file, sink);
  if (failed(parts) || !parts->isSound)
    return failure();
  return std::move(parts->file);
}
