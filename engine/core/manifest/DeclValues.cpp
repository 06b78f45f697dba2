// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations that aren't written by keys alone, and what the keys of one must
// mean together.
#include "core/manifest/Expectations.h"
#include "core/manifest/Fields.h"
#include "core/manifest/ValueText.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;

void lh::complete(ParameterDecl &parameter, const Reading &from) {
  if (parameter.minimum && parameter.maximum &&
      *parameter.minimum > *parameter.maximum)
    (void)from.sink.error(DiagKind::ManifestBadValue,
                          from.node.find("max")->where,
                          "'max' of parameter '" + parameter.name.value +
                              "' is less than its 'min'");
}

/// What is negated is said of the same fact.
static void nameNegated(FactCondition &condition) {
  for (FactCondition &inner : condition.negated) {
    inner.name = condition.name;
    nameNegated(inner);
  }
}

/// A plain value is what the fact equals.
bool lh::readValue(const Reading &from, FactCondition &into) {
  if (!from.node.isMapping())
    return readValue(from, into.equals);
  readKeys(from.node, *from.spec.keys(), &into, from.sink);
  nameNegated(into);
  return true;
}

YamlNode lh::writeValue(const FactCondition &value, const ValueSpec &spec) {
  return value.equals ? writeValue(*value.equals, spec)
                      : writeKeys(&value, *spec.keys());
}

bool lh::readValue(const Reading &from, CheckFile &into) {
  into.where = from.node.where;
  return readValue(from, into.file);
}

YamlNode lh::writeValue(const CheckFile &value, const ValueSpec &spec) {
  return writeValue(value.file, spec);
}

void lh::complete(FormDecl &form, const Reading &from) {
  form.where = from.key;
}

/// ">=1", "<=4", "==2" or "2".
bool lh::readValue(const Reading &from, MatchedDecl &into) {
  into.where = from.node.where;
  StringRef rest = StringRef(from.node.text).trim();
  bool atLeast = rest.consume_front(">=");
  bool atMost = !atLeast && rest.consume_front("<=");
  if (!atLeast && !atMost)
    rest.consume_front("==");
  int64_t count = 0;
  if (rest.trim().getAsInteger(10, count) || count < 0) {
    (void)from.sink.error(DiagKind::ManifestBadValue, from.node.where,
                          "'" + from.node.text +
                              "' says nothing of a number of matches; write "
                              "\">=1\", \"<=4\" or \"==2\"");
    return false;
  }
  if (!atMost)
    into.least = count;
  if (!atLeast)
    into.most = count;
  return true;
}

YamlNode lh::writeValue(const MatchedDecl &value, const ValueSpec &) {
  if (value.least && value.most)
    return textNode("==" + std::to_string(*value.least));
  return textNode(value.least ? ">=" + std::to_string(*value.least)
                              : "<=" + std::to_string(value.most.value_or(0)));
}

/// `[tile, filter]`; the checker has seen what the numbers are.
bool lh::readValue(const Reading &from, WinogradDecl &into) {
  std::vector<int64_t> sizes;
  if (!readValue(from, sizes))
    return false;
  if (from.node.items.size() != 2) {
    (void)from.sink.error(DiagKind::ManifestBadValue, from.node.where,
                          "'winograd' has " + Twine(from.node.items.size()) +
                              " numbers; it takes the output tile and the "
                              "filter size, as in [4, 3]");
    return false;
  }
  if (sizes.size() == 2)
    into = {sizes[0], sizes[1]};
  return sizes.size() == 2;
}

YamlNode lh::writeValue(const WinogradDecl &value, const ValueSpec &spec) {
  return writeValue(std::vector{value.tile, value.filter}, spec);
}

/// A plain value is the entry.
bool lh::readValue(const Reading &from, ExecuteDecl &into) {
  if (!from.node.isMapping())
    return readValue(from, into.entry);
  readKeys(from.node, *from.spec.keys(), &into, from.sink);
  return true;
}

YamlNode lh::writeValue(const ExecuteDecl &value, const ValueSpec &spec) {
  return value.repeat == 0 ? writeValue(value.entry, spec)
                           : writeKeys(&value, *spec.keys());
}

YamlNode lh::writeValue(const LetDecl &value, const ValueSpec &) {
  return textNode(value.text);
}

YamlNode lh::writeValue(const NumberDecl &value, const ValueSpec &) {
  YamlNode list = listNode();
  for (const std::string &text : value.texts)
    list.items.push_back(textNode(text));
  return list;
}

void lh::readCommand(void *bubble, const Reading &from) {
  ActionDecl &action = static_cast<BubbleDecl *>(bubble)->action;
  auto *ingress = std::get_if<IngressDecl>(&action);
  if (ingress && ingress->kind == IngressKind::Command)
    readValue(from, ingress->command);
  else
    readValue(from, action.emplace<CommandDecl>().words);
}

YamlNode lh::writeCommand(const void *bubble, const ValueSpec &spec, bool) {
  const ActionDecl &action = static_cast<const BubbleDecl *>(bubble)->action;
  if (const auto *ingress = std::get_if<IngressDecl>(&action))
    return ingress->kind == IngressKind::Command
               ? writeValue(ingress->command, spec)
               : YamlNode();
  const auto *command = std::get_if<CommandDecl>(&action);
  return command ? writeValue(command->words, spec) : YamlNode();
}

void lh::readExporter(void *bubble, const Reading &from) {
  ActionDecl &action = static_cast<BubbleDecl *>(bubble)->action;
  readValue(from, std::get<IngressDecl>(action).command);
}

YamlNode lh::writeExporter(const void *bubble, const ValueSpec &spec, bool) {
  const ActionDecl &action = static_cast<const BubbleDecl *>(bubble)->action;
  const auto *ingress = std::get_if<IngressDecl>(&action);
  bool isExported = ingress && ingress->kind != IngressKind::Command &&
                    !ingress->command.empty();
  return isExported ? writeValue(ingress->command, spec) : YamlNode();
}

static void completeFail(std::optional<FailDecl> &fail, const Reading &from) {
  const YamlNode *node = from.node.find("expect");
  if (!node || !node->find("fail"))
    fail.reset(); // what belongs to a failure stands without one
  if (!fail)
    return;
  if (StringRef(fail->reason.value).trim().empty())
    (void)from.sink.error(
        DiagKind::ManifestBadValue, fail->reason.where,
        "'fail' says nothing; it gives the reason of the failure");
  if (node->find("until") && !isEnd(fail->until.value))
    (void)from.sink.error(DiagKind::ManifestBadValue, fail->until.where,
                          "'" + fail->until.value +
                              "' is no end; write a day, '2027-06-30', or a "
                              "version, 'lh-run 0.2' or 'LLVM 23'");
}

/// FileCheck's own rule for prefixes.
static bool isCheckPrefix(StringRef prefix) {
  return !prefix.empty() && llvm::isAlpha(prefix.front()) &&
         llvm::all_of(prefix, [](char c) {
           return llvm::isAlnum(c) || c == '-' || c == '_';
         });
}

static void completeExpect(BubbleDecl &bubble, const Reading &from) {
  if (bubble.expect && !bubble.expect->file && !bubble.expect->matched)
    bubble.expect.reset(); // a prefix of nothing
  if (!bubble.expect)
    return;
  if (from.node.find("execute"))
    (void)from.sink.error(
        DiagKind::ManifestMisplacedKey, from.node.whereKey("expect"),
        "'expect' has no meaning for 'execute', which leaves no module; give "
        "it to the bubble before");
  if (!isCheckPrefix(bubble.expect->prefix))
    (void)from.sink.error(DiagKind::ManifestBadValue,
                          from.node.find("expect")->find("prefix")->where,
                          "'" + bubble.expect->prefix +
                              "' is no prefix of directives; it begins with "
                              "a letter and goes on with letters, digits, '-' "
                              "and '_'");
}

static void completeIngress(const Reading &from) {
  const YamlNode &bubble = from.node;
  StringRef kind = bubble.find("ingress")->text;
  bool isCommand = kind == "command";
  const YamlNode *exporter = bubble.find("exporter");
  if (isCommand && exporter)
    (void)from.sink.error(DiagKind::ManifestMisplacedKey,
                          bubble.whereKey("exporter"),
                          "'exporter' writes a model for another ingress; the "
                          "tool of 'ingress: command' is its 'command'");
  if (!isCommand && exporter && bubble.find("model"))
    (void)from.sink.error(DiagKind::ManifestMisplacedKey,
                          bubble.whereKey("model"),
                          "'model' beside 'exporter', which writes the model");
  if (!isCommand && !exporter && !bubble.find("model"))
    (void)from.sink.error(DiagKind::ManifestMissingKey,
                          bubble.whereKey("ingress"),
                          "'ingress: " + kind + "' needs a 'model'");
  if (isCommand && !bubble.find("command"))
    (void)from.sink.error(DiagKind::ManifestMissingKey,
                          bubble.whereKey("ingress"),
                          "'ingress: command' needs a 'command'");
  if (!isCommand && bubble.find("command"))
    (void)from.sink.error(DiagKind::ManifestMisplacedKey,
                          bubble.whereKey("command"),
                          "'command' beside 'ingress: " + kind +
                              "' has no meaning; it belongs to 'ingress: "
                              "command'");
}

void lh::complete(BubbleDecl &bubble, const Reading &from) {
  const YamlNode &node = from.node;
  if (node.find("ingress"))
    completeIngress(from);
  if (node.find("emit") && !node.find("path"))
    (void)from.sink.error(DiagKind::ManifestMissingKey, node.whereKey("emit"),
                          "'emit' needs a 'path' to write to");
  // Only these actions have parameters.
  if (node.find("with") && !node.find("use") && !node.find("schedule"))
    (void)from.sink.error(DiagKind::ManifestMisplacedKey, node.whereKey("with"),
                          "'with' has no meaning here; only 'use' and "
                          "'schedule' have parameters");
  completeExpect(bubble, from);
  completeFail(bubble.fails, from);
}

void lh::complete(PipelineDecl &pipeline, const Reading &from) {
  StringRef name = pipeline.name.value;
  if (name == "golden" || name == "oracle")
    (void)from.sink.error(DiagKind::ManifestBadName, pipeline.name.where,
                          "'" + name +
                              "' is reserved and cannot name a pipeline");
}

/// The lowest and the highest.
bool lh::readValue(const Reading &from, ElementRange &into) {
  std::vector<double> bounds;
  if (!readValue(from, bounds) || bounds.empty() ||
      bounds.size() != from.node.items.size())
    return false;
  if (bounds.size() == 2 && bounds[0] <= bounds[1]) {
    into = {bounds[0], bounds[1]};
    return true;
  }
  (void)from.sink.error(DiagKind::ManifestBadValue, from.node.where,
                        "'range' is the lowest and the highest element, in "
                        "this order");
  return false;
}

YamlNode lh::writeValue(const ElementRange &value, const ValueSpec &spec) {
  return writeValue(std::vector{value.low, value.high}, spec);
}

void lh::complete(GenerateCase &generate, const Reading &) {
  llvm::sort(generate.sets);
  generate.sets.erase(llvm::unique(generate.sets), generate.sets.end());
}

void lh::complete(CaseDecl &decl, const Reading &from) {
  completeFail(decl.fails, from);
}

/// The word 'none' compares with nothing.
bool lh::readValue(const Reading &from, VerifyDecl &into) {
  into.where = into.tolerance.where = from.node.where;
  if (from.node.isMapping())
    readKeys(from.node, *from.spec.keys(), &into, from.sink);
  return true;
}

YamlNode lh::writeValue(const VerifyDecl &value, const ValueSpec &spec) {
  return value.against.empty() ? textNode("none")
                               : writeKeys(&value, *spec.keys());
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

bool lh::readValue(const Reading &from, std::vector<EdgeDecl> &into) {
  if (!from.node.isSequence())
    return false;
  for (const YamlNode &item : from.node.items)
    if (item.isScalar())
      readChain(item, into, from.sink);
  return true;
}

/// Edges that go on where the last one ends are one chain.
YamlNode lh::writeValue(const std::vector<EdgeDecl> &value, const ValueSpec &) {
  YamlNode node = listNode();
  const EdgeDecl *last = nullptr;
  for (const EdgeDecl &edge : value) {
    if (last && last->to.value == edge.from.value)
      node.items.back().text += " -> " + edge.to.value;
    else
      node.items.push_back(textNode(edge.from.value + " -> " + edge.to.value));
    last = &edge;
  }
  return node;
}
