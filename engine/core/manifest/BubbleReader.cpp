// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts that manifests and bubble files share: parameters, bubbles, edges.
#include "core/manifest/BubbleReader.h"

#include "core/manifest/Expectations.h"
#include "core/manifest/ExpressionParser.h"
#include "core/manifest/KeyTable.h"
#include "core/manifest/NodeValues.h"
#include "core/manifest/ValueText.h"
#include "core/manifest/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace lh;

/// The node of `key`, if it can be walked.
static const YamlNode *collectionOf(const YamlNode &root, StringRef key,
                                    YamlNode::Kind kind, BrokenPart &broken) {
  const YamlNode *node = root.find(key);
  if (!node) {
    // An unknown key may be this one, misspelt.
    broken.lacksSome |= root.lacksKeys;
    return nullptr;
  }
  if (node->kind == kind) {
    broken.lacksSome |= node->lacksKeys;
    return node;
  }
  broken.lacksSome |= node->isBroken;
  return nullptr;
}

void lh::readEntries(
    const YamlNode &root, StringRef key, BrokenPart &broken,
    DiagnosticSink &sink,
    llvm::function_ref<void(const Located<std::string> &, const YamlNode &)>
        read) {
  const YamlNode *node =
      collectionOf(root, key, YamlNode::Kind::Mapping, broken);
  for (size_t i = 0; node && i < node->keys.size(); ++i) {
    unsigned errors = sink.errorCount();
    read(node->keys[i], node->items[i]);
    if (node->items[i].isBroken || sink.errorCount() != errors)
      broken.names.insert(node->keys[i].value);
  }
}

void lh::readItems(const YamlNode &root, StringRef key, BrokenPart &broken,
                   DiagnosticSink &sink,
                   llvm::function_ref<void(const YamlNode &)> read) {
  const YamlNode *node =
      collectionOf(root, key, YamlNode::Kind::Sequence, broken);
  if (!node)
    return;
  unsigned errors = sink.errorCount();
  for (const YamlNode &item : node->items)
    read(item);
  broken.lacksSome |= node->isBroken || sink.errorCount() != errors;
}

static ParameterDecl readParameter(const Located<std::string> &name,
                                   const YamlNode &node, DiagnosticSink &sink) {
  ParameterDecl parameter;
  parameter.name = name;
  parameter.type = llvm::StringSwitch<ParameterType>(textOf(node, "type").value)
                       .Case("bool", ParameterType::Bool)
                       .Case("float", ParameterType::Float)
                       .Case("string", ParameterType::String)
                       .Case("path", ParameterType::Path)
                       .Default(ParameterType::Int);
  if (const YamlNode *value = node.find("default"))
    parameter.defaultValue = parseExpression(*value, sink);
  parameter.minimum = numberOf(node, "min");
  parameter.maximum = numberOf(node, "max");
  if (parameter.minimum && parameter.maximum &&
      *parameter.minimum > *parameter.maximum)
    (void)sink.error(DiagKind::ManifestBadValue, node.find("max")->where,
                     "'max' of parameter '" + name.value +
                         "' is less than its 'min'");
  if (const YamlNode *choices = node.find("choices"))
    for (const YamlNode &choice : choices->items)
      parameter.choices.push_back({valueOf(choice), choice.where});
  parameter.doc = textOf(node, "doc").value;
  return parameter;
}

std::vector<ParameterDecl> lh::readParameters(const YamlNode &root,
                                              BrokenPart &broken,
                                              DiagnosticSink &sink) {
  std::vector<ParameterDecl> parameters;
  readEntries(root, "params", broken, sink,
              [&](const Located<std::string> &name, const YamlNode &node) {
                parameters.push_back(readParameter(name, node, sink));
              });
  return parameters;
}

static IngressDecl readIngress(const YamlNode &bubble, DiagnosticSink &sink) {
  IngressDecl ingress;
  StringRef kind = bubble.find("ingress")->text;
  ingress.kind = llvm::StringSwitch<IngressKind>(kind)
                     .Case("mlir", IngressKind::Mlir)
                     .Case("command", IngressKind::Command)
                     .Default(IngressKind::Onnx);
  ingress.shapesFromCase = textOf(bubble, "shapes").value == "case";
  bool isCommand = ingress.kind == IngressKind::Command;
  const YamlNode *model = bubble.find("model");
  const YamlNode *command = bubble.find("command");
  if (model)
    ingress.model = parseExpression(*model, sink);
  else if (!isCommand)
    (void)sink.error(DiagKind::ManifestMissingKey, bubble.whereKey("ingress"),
                     "'ingress: " + kind + "' needs a 'model'");
  if (isCommand && !command)
    (void)sink.error(DiagKind::ManifestMissingKey, bubble.whereKey("ingress"),
                     "'ingress: command' needs a 'command'");
  if (!isCommand && command)
    (void)sink.error(DiagKind::ManifestMisplacedKey, bubble.whereKey("command"),
                     "'command' beside 'ingress: " + kind +
                         "' has no meaning; it belongs to 'ingress: "
                         "command'");
  if (command)
    for (const YamlNode &word : command->items)
      ingress.command.push_back(parseExpression(word, sink));
  return ingress;
}

static ScheduleDecl readSchedule(const YamlNode &bubble) {
  ScheduleDecl schedule;
  schedule.file = textOf(bubble, "schedule");
  schedule.entry = textOf(bubble, "entry");
  if (!bubble.find("entry"))
    schedule.entry = {"__transform_main", schedule.file.where};
  schedule.libraries = locatedTextsOf(bubble, "library");
  return schedule;
}

static ExecuteDecl readExecute(const YamlNode &bubble) {
  ExecuteDecl execute;
  const YamlNode &node = *bubble.find("execute");
  if (!node.isMapping()) {
    execute.entry = textOf(bubble, "execute");
    return execute;
  }
  execute.entry = textOf(node, "entry");
  int64_t repeat = integerOf(node, "repeat").value_or(0);
  execute.repeat = unsigned(
      std::clamp<int64_t>(repeat, 0, std::numeric_limits<int32_t>::max()));
  return execute;
}

static EmitDecl readEmit(const YamlNode &bubble, DiagnosticSink &sink) {
  EmitDecl emit;
  std::string word = textOf(bubble, "emit").value;
  for (EmitFormat format : allEmitFormats)
    if (wordOf(format) == word)
      emit.format = format;
  if (const YamlNode *path = bubble.find("path"))
    emit.path = parseExpression(*path, sink);
  else
    (void)sink.error(DiagKind::ManifestMissingKey, bubble.whereKey("emit"),
                     "'emit' needs a 'path' to write to");
  return emit;
}

std::optional<ActionDecl> lh::readAction(const YamlNode &bubble,
                                         DiagnosticSink &sink) {
  if (bubble.find("ingress"))
    return readIngress(bubble, sink);
  if (const YamlNode *passes = bubble.find("passes"))
    return PassesDecl{parseExpression(*passes, sink)};
  if (bubble.find("schedule"))
    return readSchedule(bubble);
  if (bubble.find("use"))
    return UseDecl{textOf(bubble, "use")};
  if (const YamlNode *command = bubble.find("command")) {
    CommandDecl decl;
    for (const YamlNode &word : command->items)
      decl.words.push_back(parseExpression(word, sink));
    return decl;
  }
  if (bubble.find("execute"))
    return readExecute(bubble);
  if (bubble.find("emit"))
    return readEmit(bubble, sink);
  return std::nullopt;
}

static FactCondition readCondition(const Located<std::string> &fact,
                                   const YamlNode &node) {
  FactCondition condition;
  condition.fact = fact;
  if (!node.isMapping()) {
    condition.equals = valueOf(node);
    return condition;
  }
  condition.minimum = numberOf(node, "min");
  condition.maximum = numberOf(node, "max");
  condition.any = valuesOf(node, "any");
  condition.all = valuesOf(node, "all");
  if (const YamlNode *negated = node.find("not"))
    condition.negated.push_back(readCondition(fact, *negated));
  return condition;
}

std::optional<FormDecl> lh::readForm(const YamlNode &bubble, StringRef key) {
  const YamlNode *node = bubble.find(key);
  if (!node || !node->isMapping())
    return std::nullopt;
  FormDecl form;
  form.where = bubble.whereKey(key);
  if (const YamlNode *dialects = node->find("dialects")) {
    if (dialects->find("only"))
      form.dialectsOnly = textsOf(*dialects, "only");
    form.dialectsNone = textsOf(*dialects, "none");
    form.dialectsSome = textsOf(*dialects, "some");
  }
  if (const YamlNode *ops = node->find("ops")) {
    form.opsNone = textsOf(*ops, "none");
    form.opsSome = textsOf(*ops, "some");
  }
  if (const YamlNode *types = node->find("types")) {
    form.typesNone = textsOf(*types, "none");
    form.typesSome = textsOf(*types, "some");
  }
  if (node->find("shapes"))
    form.shapes = textOf(*node, "shapes").value;
  if (const YamlNode *vectors = node->find("vectors"))
    form.largestVector = integerOf(*vectors, "max");
  if (node->find("allocas"))
    form.allocas = textOf(*node, "allocas").value;
  if (node->find("boundary"))
    form.boundary = textOf(*node, "boundary").value;
  if (node->find("filecheck")) {
    Located<std::string> file = textOf(*node, "filecheck");
    form.checkFile = CheckFile{file.value, "CHECK", file.where};
  }
  return form;
}

/// FileCheck's own rule for prefixes.
static bool isCheckPrefix(StringRef prefix) {
  return !prefix.empty() && llvm::isAlpha(prefix.front()) &&
         llvm::all_of(prefix, [](char c) {
           return llvm::isAlnum(c) || c == '-' || c == '_';
         });
}

/// ">=1", "<=4", "==2" or "2".
static std::optional<MatchedDecl> readMatched(const YamlNode &node,
                                              DiagnosticSink &sink) {
  MatchedDecl matched;
  matched.where = node.where;
  StringRef rest = StringRef(node.text).trim();
  bool atLeast = rest.consume_front(">=");
  bool atMost = !atLeast && rest.consume_front("<=");
  if (!atLeast && !atMost)
    rest.consume_front("==");
  int64_t count = 0;
  if (rest.trim().getAsInteger(10, count) || count < 0) {
    (void)sink.error(DiagKind::ManifestBadValue, node.where,
                     "'" + node.text +
                         "' says nothing of a number of matches; write "
                         "\">=1\", \"<=4\" or \"==2\"");
    return std::nullopt;
  }
  if (!atMost)
    matched.least = count;
  if (!atLeast)
    matched.most = count;
  return matched;
}

static std::optional<ExpectDecl> readExpect(const YamlNode &bubble,
                                            DiagnosticSink &sink) {
  const YamlNode *node = bubble.find("expect");
  const YamlNode *file = node ? node->find("filecheck") : nullptr;
  const YamlNode *matched = node ? node->find("matched") : nullptr;
  if (!file && !matched)
    return std::nullopt;
  if (bubble.find("execute"))
    (void)sink.error(DiagKind::ManifestMisplacedKey, bubble.whereKey("expect"),
                     "'expect' has no meaning for 'execute', which leaves no "
                     "module; give it to the bubble before");
  ExpectDecl expect;
  if (matched)
    expect.matched = readMatched(*matched, sink);
  if (file)
    expect.file = parseExpression(*file, sink);
  if (node->find("prefix"))
    expect.prefix = textOf(*node, "prefix").value;
  if (!isCheckPrefix(expect.prefix))
    (void)sink.error(DiagKind::ManifestBadValue, node->find("prefix")->where,
                     "'" + expect.prefix +
                         "' is no prefix of directives; it begins with a "
                         "letter and goes on with letters, digits, '-' and "
                         "'_'");
  return expect;
}

/// `[tile, filter]`; the checker has seen what the numbers are.
static std::optional<Located<WinogradDecl>> readWinograd(const YamlNode &node,
                                                         DiagnosticSink &sink) {
  if (!node.isSequence())
    return std::nullopt;
  if (node.items.size() != 2) {
    (void)sink.error(DiagKind::ManifestBadValue, node.where,
                     "'winograd' has " + Twine(node.items.size()) +
                         " numbers; it takes the output tile and the filter "
                         "size, as in [4, 3]");
    return std::nullopt;
  }
  Value tile = valueOf(node.items[0]), filter = valueOf(node.items[1]);
  const auto *tileSize = std::get_if<int64_t>(&tile);
  const auto *filterSize = std::get_if<int64_t>(&filter);
  if (!tileSize || !filterSize)
    return std::nullopt;
  return Located<WinogradDecl>{{*tileSize, *filterSize}, node.where};
}

NumericsDecl lh::readNumerics(const YamlNode &bubble, DiagnosticSink &sink) {
  NumericsDecl numerics;
  const YamlNode *node = bubble.find("numerics");
  if (!node || !node->isMapping())
    return numerics;
  if (const YamlNode *winograd = node->find("winograd"))
    numerics.winograd = readWinograd(*winograd, sink);
  if (std::optional<int64_t> ulp = integerOf(*node, "ulp"))
    numerics.ulp = {*ulp, node->find("ulp")->where};
  if (const YamlNode *reassociate = node->find("reassociate"))
    numerics.reassociate = {reassociate->text == "true", reassociate->where};
  if (node->find("operands"))
    numerics.operands = textOf(*node, "operands");
  return numerics;
}

/// `with:` binds parameters, which only these actions have.
static void checkWith(const YamlNode &bubble, DiagnosticSink &sink) {
  if (bubble.find("with") && !bubble.find("use") && !bubble.find("schedule"))
    (void)sink.error(DiagKind::ManifestMisplacedKey, bubble.whereKey("with"),
                     "'with' has no meaning here; only 'use' and 'schedule' "
                     "have parameters");
}

Bindings lh::readBindings(const YamlNode &bubble, DiagnosticSink &sink) {
  Bindings bindings;
  if (const YamlNode *with = bubble.find("with"))
    for (size_t i = 0; i < with->keys.size(); ++i)
      bindings.emplace_back(with->keys[i],
                            parseExpression(with->items[i], sink));
  return bindings;
}

static BubbleDecl readBubble(const Located<std::string> &name,
                             const YamlNode &node, DiagnosticSink &sink) {
  BubbleDecl bubble;
  bubble.name = name;
  std::optional<ActionDecl> action = readAction(node, sink);
  checkWith(node, sink);
  bubble.with = readBindings(node, sink);
  if (const YamlNode *when = node.find("when"))
    for (size_t i = 0; i < when->keys.size(); ++i)
      bubble.when.push_back(readCondition(when->keys[i], when->items[i]));
  bubble.requires_ = readForm(node, "requires");
  bubble.ensures = readForm(node, "ensures");
  bubble.preserves = locatedTextsOf(node, "preserves");
  bubble.expect = readExpect(node, sink);
  bubble.fails = readFail(node, sink);
  bubble.optional = textOf(node, "optional").value;
  bubble.numerics = readNumerics(node, sink);
  bubble.doc = textOf(node, "doc").value;
  if (action)
    bubble.action = std::move(*action);
  return bubble;
}

std::vector<BubbleDecl> lh::readBubbles(const YamlNode &root,
                                        BrokenPart &broken,
                                        DiagnosticSink &sink) {
  std::vector<BubbleDecl> bubbles;
  readEntries(root, "bubbles", broken, sink,
              [&](const Located<std::string> &name, const YamlNode &node) {
                bubbles.push_back(readBubble(name, node, sink));
              });
  return bubbles;
}

/// The edges of one `a -> b -> c`.
static void readChain(const YamlNode &node, std::vector<EdgeDecl> &edges,
                      DiagnosticSink &sink) {
  StringRef text = node.text;
  std::vector<Located<std::string>> names;
  for (size_t position = 0; position <= text.size();) {
    size_t end = std::min(text.find("->", position), text.size());
    StringRef word = text.slice(position, end);
    StringRef name = word.trim();
    SourceSpan where = node.where;
    if (node.contentColumn != 0) {
      where.column = unsigned(node.contentColumn + position +
                              (word.size() - word.ltrim().size()));
      where.length = unsigned(name.size());
    }
    if (!isValidName(name)) {
      (void)sink.error(DiagKind::ManifestBadEdge, where,
                       "'" + name +
                           "' is no bubble's name; edges are written "
                           "'a -> b -> c'");
      return;
    }
    names.push_back({name.str(), where});
    position = end + 2;
  }
  if (names.size() < 2)
    (void)sink.error(DiagKind::ManifestBadEdge, node.where,
                     "'" + text +
                         "' leads nowhere; edges are written 'a -> b'");
  for (size_t i = 0; i + 1 < names.size(); ++i)
    edges.push_back({names[i], names[i + 1]});
}

std::vector<EdgeDecl> lh::readEdges(const YamlNode &root, BrokenPart &broken,
                                    DiagnosticSink &sink) {
  std::vector<EdgeDecl> edges;
  readItems(root, "edges", broken, sink, [&](const YamlNode &item) {
    if (item.isScalar())
      readChain(item, edges, sink);
  });
  return edges;
}
