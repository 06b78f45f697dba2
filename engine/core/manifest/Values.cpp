// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How plain values, and keys, are read from nodes and written as nodes.
#include "core/manifest/Values.h"

#include "core/manifest/Fields.h"
#include "core/manifest/ValueText.h"

using namespace lh;
using Form = ValueSpec::Form;

const MappingSpec *ValueSpec::keys() const {
  return form == Form::Mapping || !alternative ? mapping : alternative->keys();
}

void lh::readKeys(YamlNode &node, const MappingSpec &mapping, void *owner,
                  DiagnosticSink &sink) {
  for (const KeySpec &key : mapping.keys)
    for (size_t i = 0; i < node.keys.size(); ++i) {
      if (!key.field.read || node.keys[i].value != key.name)
        continue;
      unsigned errors = sink.errorCount();
      key.field.read(owner,
                     {node.items[i], node.keys[i].where, key.value, sink});
      node.items[i].isBroken |= sink.errorCount() != errors;
    }
}

YamlNode lh::writeKeys(const void *owner, const MappingSpec &mapping) {
  YamlNode node = mappingNode();
  for (const KeySpec &key : mapping.keys) {
    bool isChoice = llvm::any_of(mapping.exactlyOneOf, [&](ChoiceSpec choice) {
      return choice.key == key.name && choice.unless.empty();
    });
    YamlNode value;
    if (key.value.form == Form::Version)
      value = plainNode("1");
    else if (key.field.write)
      value = key.field.write(owner, key.value, key.rules.required || isChoice);
    bool isAbsent = value.kind == YamlNode::Kind::Null ||
                    (key.value.nonEmpty && value.items.empty());
    if (!isAbsent)
      setKey(node, {key.name.str(), {}}, std::move(value));
  }
  return node;
}

bool lh::readValue(const Reading &from, bool &into) {
  if (!from.node.isScalar())
    return false;
  bool isWord = from.spec.form == Form::Word; // the second of two
  into = from.node.text == (isWord ? from.spec.words[1] : "true");
  return true;
}

YamlNode lh::writeValue(bool value, const ValueSpec &spec) {
  return spec.form == Form::Word ? textNode(spec.words[value])
                                 : writeValue(Value(value), spec);
}

bool lh::readValue(const Reading &from, double &into) {
  std::optional<double> number = asNumber(valueOf(from.node));
  into = number.value_or(into);
  return number.has_value();
}

YamlNode lh::writeValue(double value, const ValueSpec &) {
  return plainNode(valueText(value));
}

bool lh::readValue(const Reading &from, std::string &into) {
  if (from.node.isScalar())
    into = from.node.text;
  return from.node.isScalar();
}

YamlNode lh::writeValue(const std::string &value, const ValueSpec &) {
  return textNode(value);
}

bool lh::readValue(const Reading &from, Value &into) {
  into = valueOf(from.node);
  return true;
}

/// A number with a fraction must not look like an integer.
YamlNode lh::writeValue(const Value &value, const ValueSpec &spec) {
  std::string text = valueText(value);
  if (std::holds_alternative<std::string>(value))
    return textNode(text);
  if (const auto *integers = std::get_if<std::vector<int64_t>>(&value)) {
    YamlNode node = listNode();
    for (int64_t integer : *integers)
      node.items.push_back(writeValue(Value(integer), spec));
    return node;
  }
  bool looksInteger =
      StringRef(text).find_first_not_of("-0123456789") == StringRef::npos;
  bool isInteger = std::holds_alternative<int64_t>(value);
  return plainNode(looksInteger && !isInteger ? text + ".0" : text);
}

bool lh::readValue(const Reading &from, Expression &into) {
  into = parseExpression(from.node, from.sink);
  return true;
}

/// Literal text with what reads as a reference escaped.
static std::string escaped(StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("${"))
      result += '$';
    result += text[i];
  }
  return result;
}

YamlNode lh::writeValue(const Expression &value, const ValueSpec &spec) {
  if (value.pieces.empty())
    return {};
  bool isText = !value.isLiteral() || std::holds_alternative<std::string>(
                                          std::get<Value>(value.pieces[0]));
  if (!isText)
    return writeValue(std::get<Value>(value.pieces[0]), spec);
  std::string text;
  for (const Expression::Piece &piece : value.pieces) {
    const auto *literal = std::get_if<Value>(&piece);
    text +=
        literal ? escaped(valueText(*literal)) : expressionText({{piece}, {}});
  }
  return textNode(text);
}

/// A fact stands where its name does.
bool lh::readValue(const Reading &from,
                   std::map<std::string, Located<Value>> &into) {
  for (size_t i = 0; i < from.node.keys.size(); ++i)
    into[from.node.keys[i].value] = {valueOf(from.node.items[i]),
                                     from.node.keys[i].where};
  return true;
}

bool lh::readValue(const Reading &from, Bindings &into) {
  for (size_t i = 0; i < from.node.keys.size(); ++i)
    into.emplace_back(from.node.keys[i],
                      parseExpression(from.node.items[i], from.sink));
  return true;
}

YamlNode lh::writeValue(const Bindings &value, const ValueSpec &spec) {
  YamlNode node = mappingNode();
  for (const auto &[name, bound] : value)
    setKey(node, name, writeValue(bound, *spec.element));
  return node;
}
