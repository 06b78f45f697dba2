// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a document against the table of keys.
#include "core/manifest/KeyTable.h"

#include "core/manifest/NodeValues.h"
#include "core/manifest/ValueText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;
using Form = ValueSpec::Form;

/// What the user wrote, for messages.
static std::string describe(const YamlNode &node) {
  static constexpr StringRef kinds[] = {"nothing", "", "a list", "a mapping"};
  return node.isScalar()
             ? ("'" + StringRef(node.text).take_front(60) + "'").str()
             : kinds[static_cast<size_t>(node.kind)].str();
}

static std::string describe(const ValueSpec &spec) {
  static constexpr StringRef forms[] = {
      "an integer", "true or false", "an integer", "a number",
      "a string",   "a string",      "a value",    "a value",
      "a list",     "a mapping",     "a mapping"};
  if (spec.form == Form::Word && spec.words.size() == 1)
    return ("'" + spec.words.front() + "'").str();
  return forms[static_cast<size_t>(spec.form)].str();
}

namespace {

class Checker {
public:
  explicit Checker(DiagnosticSink &sink) : sink(sink) {}

  /// `name` is what the user calls the value: a key or an entry's name.
  void checkValue(YamlNode &node, const ValueSpec &spec, StringRef name);
  void checkMapping(YamlNode &node, const MappingSpec &mapping,
                    const std::string &what);

private:
  void checkForm(YamlNode &node, const ValueSpec &spec, StringRef name);
  void checkContent(YamlNode &node, const MappingSpec &mapping,
                    const std::string &what);
  bool fits(const YamlNode &node, const ValueSpec &spec) const;
  void wrongType(const YamlNode &node, const ValueSpec &spec, StringRef name);
  void checkNumber(const YamlNode &node, const ValueSpec &spec, StringRef name);
  void checkWord(const YamlNode &node, const ValueSpec &spec, StringRef name);
  void checkPlain(const YamlNode &node, StringRef name);
  void checkMapOf(YamlNode &node, const ValueSpec &spec, StringRef name);
  bool checkKeys(YamlNode &node, const MappingSpec &mapping,
                 const std::string &what);
  void checkChoice(const YamlNode &node, const MappingSpec &mapping,
                   const std::string &what);

  DiagnosticSink &sink;
};

} // namespace

/// Whether the node's kind is right; its content is checked after that.
bool Checker::fits(const YamlNode &node, const ValueSpec &spec) const {
  switch (spec.form) {
  case Form::Boolean:
    return node.isScalar() && std::holds_alternative<bool>(scalarValue(node));
  case Form::Version:
  case Form::Integer:
    return node.isScalar() &&
           std::holds_alternative<int64_t>(scalarValue(node));
  case Form::Number:
    return node.isScalar() && asNumber(scalarValue(node));
  case Form::Text:
    return node.isScalar() &&
           std::holds_alternative<std::string>(scalarValue(node));
  case Form::Word:
  case Form::Scalar:
  case Form::Expression:
    return node.isScalar();
  case Form::List:
    return node.isSequence();
  case Form::MapOf:
  case Form::Mapping:
    return node.isMapping();
  }
  return false;
}

void Checker::wrongType(const YamlNode &node, const ValueSpec &spec,
                        StringRef name) {
  std::string expected = describe(spec);
  for (const ValueSpec *other = spec.alternative; other;
       other = other->alternative)
    expected += " or " + describe(*other);
  StringRef hint;
  YamlNode unquoted;
  unquoted.kind = node.kind;
  unquoted.text = node.text;
  if (spec.form == Form::Text && node.isScalar())
    hint = "; put it in quotes";
  else if (fits(unquoted, spec))
    hint = "; leave the quotes out";
  (void)sink.error(DiagKind::ManifestWrongType, node.where,
                   "expected " + expected + " for '" + name + "', found " +
                       describe(node) + hint);
}

/// Text that takes no references must not look as if it did.
void Checker::checkPlain(const YamlNode &node, StringRef name) {
  if (StringRef(node.text).contains("${"))
    (void)sink.error(DiagKind::ManifestBadReference, node.where,
                     "'" + name + "' takes no '${...}'");
}

void Checker::checkNumber(const YamlNode &node, const ValueSpec &spec,
                          StringRef name) {
  Value value = scalarValue(node);
  if (spec.form == Form::Version) {
    if (value != Value(int64_t(1)))
      (void)sink.error(DiagKind::ManifestVersion, node.where,
                       "version " + node.text +
                           " of the format; this lh-run reads version 1");
  } else if (double number = *asNumber(value);
             number < spec.minimum || number > spec.maximum) {
    bool small = number < spec.minimum;
    (void)sink.error(DiagKind::ManifestBadValue, node.where,
                     "'" + name + "' is " + node.text + "; it must be at " +
                         (small ? "least " : "most ") +
                         valueText(Value(small ? spec.minimum : spec.maximum)));
  }
}

void Checker::checkWord(const YamlNode &node, const ValueSpec &spec,
                        StringRef name) {
  if (llvm::is_contained(spec.words, node.text))
    return;
  (void)sink.error(DiagKind::ManifestBadValue, node.where,
                   "'" + node.text + "' is no value of '" + name +
                       "'; it is one of " + llvm::join(spec.words, ", ") +
                       didYouMean(node.text, spec.words));
}

void Checker::checkMapOf(YamlNode &node, const ValueSpec &spec,
                         StringRef name) {
  for (size_t i = 0; i < node.keys.size(); ++i) {
    const Located<std::string> &key = node.keys[i];
    bool known =
        spec.words.empty() || llvm::is_contained(spec.words, key.value);
    if (!known)
      (void)sink.error(DiagKind::ManifestUnknownKey, key.where,
                       "unknown key '" + key.value + "' in '" + name + "'" +
                           didYouMean(key.value, spec.words));
    else if (!isValidName(key.value))
      (void)sink.error(DiagKind::ManifestBadName, key.where,
                       "'" + key.value +
                           "' is not a name; names are made of letters, "
                           "digits, '_', '-' and '.'");
    node.lacksKeys |= !known || !isValidName(key.value);
    const ValueSpec &element = *spec.element;
    if (element.form == Form::Mapping && node.items[i].isMapping())
      checkMapping(node.items[i], *element.mapping,
                   (element.mapping->title + " '" + key.value + "'").str());
    else
      checkValue(node.items[i], element, key.value);
  }
}

/// Marks `node` when `errors`, the count of before its check, has grown.
static void markBroken(YamlNode &node, unsigned errors,
                       const DiagnosticSink &sink) {
  node.isBroken |= node.lacksKeys || sink.errorCount() != errors ||
                   llvm::any_of(node.items, [](const YamlNode &item) {
                     return item.isBroken;
                   });
}

void Checker::checkValue(YamlNode &node, const ValueSpec &spec,
                         StringRef name) {
  unsigned errors = sink.errorCount();
  checkForm(node, spec, name);
  markBroken(node, errors, sink);
}

void Checker::checkForm(YamlNode &node, const ValueSpec &spec, StringRef name) {
  const ValueSpec *match = &spec;
  while (match && !fits(node, *match))
    match = match->alternative;
  if (!match)
    return wrongType(node, spec, name);
  if (match->nonEmpty && node.items.empty())
    (void)sink.error(DiagKind::ManifestBadValue, node.where,
                     "'" + name + "' is empty; it needs at least one entry");
  switch (match->form) {
  case Form::Boolean:
    return; // fits
  case Form::Version:
  case Form::Integer:
  case Form::Number:
    return checkNumber(node, *match, name);
  case Form::Word:
    return checkWord(node, *match, name);
  case Form::Text:
  case Form::Scalar:
    return checkPlain(node, name);
  case Form::Expression:
    return; // the parser reads its references
  case Form::List:
    for (YamlNode &item : node.items)
      checkValue(item, *match->element, name);
    return;
  case Form::MapOf:
    return checkMapOf(node, *match, name);
  case Form::Mapping:
    return checkMapping(node, *match->mapping,
                        (match->mapping->title == name
                             ? "'" + name + "'"
                             : match->mapping->title + " '" + name + "'")
                            .str());
  }
}

/// Checks every key there is; returns whether one is unknown.
bool Checker::checkKeys(YamlNode &node, const MappingSpec &mapping,
                        const std::string &what) {
  std::vector<StringRef> names;
  for (const KeySpec &key : mapping.keys)
    names.push_back(key.name);
  bool unknown = false;
  for (size_t i = 0; i < node.keys.size(); ++i) {
    const Located<std::string> &key = node.keys[i];
    const KeySpec *spec = llvm::find_if(
        mapping.keys, [&](const KeySpec &k) { return k.name == key.value; });
    if (spec == mapping.keys.end()) {
      unknown = node.lacksKeys = true;
      (void)sink.error(DiagKind::ManifestUnknownKey, key.where,
                       "unknown key '" + key.value + "' in " + what +
                           didYouMean(key.value, names));
      continue;
    }
    if (!spec->rules.needs.empty() && !node.find(spec->rules.needs))
      (void)sink.error(DiagKind::ManifestMisplacedKey, key.where,
                       "'" + key.value + "' in " + what +
                           " has no meaning without '" + spec->rules.needs +
                           "'");
    checkValue(node.items[i], spec->value, key.value);
  }
  return unknown;
}

void Checker::checkChoice(const YamlNode &node, const MappingSpec &mapping,
                          const std::string &what) {
  std::vector<StringRef> all, given;
  for (const ChoiceSpec &choice : mapping.exactlyOneOf) {
    all.push_back(choice.key);
    bool counts = choice.unless.empty() || !node.find(choice.unless);
    if (counts && node.find(choice.key))
      given.push_back(choice.key);
  }
  if (given.empty())
    (void)sink.error(DiagKind::ManifestOneOf, node.where,
                     what + " needs one of '" + llvm::join(all, "', '") + "'");
  else if (given.size() > 1)
    (void)sink.error(DiagKind::ManifestOneOf, node.whereKey(given[1]),
                     what + " has '" + llvm::join(given, "' and '") +
                         "'; it takes exactly one of '" +
                         llvm::join(all, "', '") + "'",
                     {{node.whereKey(given[0]), "first given here"}});
}

void Checker::checkMapping(YamlNode &node, const MappingSpec &mapping,
                           const std::string &what) {
  unsigned errors = sink.errorCount();
  checkContent(node, mapping, what);
  markBroken(node, errors, sink);
}

void Checker::checkContent(YamlNode &node, const MappingSpec &mapping,
                           const std::string &what) {
  // A key that is missing may be the one that is misspelt: say one thing.
  if (checkKeys(node, mapping, what))
    return;
  for (const KeySpec &key : mapping.keys)
    if (key.rules.required && !node.find(key.name))
      (void)sink.error(DiagKind::ManifestMissingKey, node.where,
                       what + " has no '" + key.name + "', which it needs");
  if (!mapping.exactlyOneOf.empty())
    checkChoice(node, mapping, what);
}

void lh::checkDocument(YamlNode &root, const MappingSpec &mapping,
                       DiagnosticSink &sink) {
  if (!root.isMapping()) {
    root.isBroken = root.lacksKeys = true;
    (void)sink.error(DiagKind::ManifestWrongType, root.where,
                     "expected a mapping with the keys of a " + mapping.title +
                         ", found " + describe(root));
    return;
  }
  Checker(sink).checkMapping(root, mapping, ("this " + mapping.title).str());
}

bool lh::isValidName(StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !name.empty() && isWord(name.front()) &&
         llvm::all_of(
             name, [&](char c) { return isWord(c) || c == '-' || c == '.'; });
}

FailureOr<YamlNode> lh::readDocument(StringRef text, StringRef file,
                                     const MappingSpec &mapping,
                                     DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> root = readYaml(text, file, sink);
  if (failed(root))
    return failure();
  checkDocument(*root, mapping, sink);
  if (sink.errorCount() != errors)
    return failure();
  return root;
}
