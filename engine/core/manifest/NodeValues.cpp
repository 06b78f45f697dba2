// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lenient access to a document that the checker has seen.
#include "core/manifest/NodeValues.h"

#include "core/manifest/NodeChecker.h"
#include "core/manifest/ValueText.h"

using namespace lh;

Located<std::string> lh::textOf(const YamlNode &mapping, StringRef key) {
  const YamlNode *node = mapping.find(key);
  if (node && node->isScalar())
    return {node->text, node->where};
  return {"", node ? node->where : mapping.where};
}

std::vector<Located<std::string>> lh::locatedTextsOf(const YamlNode &mapping,
                                                     StringRef key) {
  std::vector<Located<std::string>> texts;
  if (const YamlNode *node = mapping.find(key); node && node->isSequence())
    for (const YamlNode &item : node->items)
      if (item.isScalar())
        texts.push_back({item.text, item.where});
  return texts;
}

std::vector<std::string> lh::textsOf(const YamlNode &mapping, StringRef key) {
  std::vector<std::string> texts;
  for (Located<std::string> &text : locatedTextsOf(mapping, key))
    texts.push_back(std::move(text.value));
  return texts;
}

std::optional<double> lh::numberOf(const YamlNode &mapping, StringRef key) {
  const YamlNode *node = mapping.find(key);
  if (!node || !node->isScalar())
    return std::nullopt;
  return asNumber(scalarValue(*node));
}

std::optional<int64_t> lh::integerOf(const YamlNode &mapping, StringRef key) {
  const YamlNode *node = mapping.find(key);
  if (!node || !node->isScalar())
    return std::nullopt;
  Value value = scalarValue(*node);
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return *integer;
  return std::nullopt;
}

std::vector<Value> lh::valuesOf(const YamlNode &mapping, StringRef key) {
  std::vector<Value> values;
  if (const YamlNode *node = mapping.find(key); node && node->isSequence())
    for (const YamlNode &item : node->items)
      if (item.isScalar())
        values.push_back(scalarValue(item));
  return values;
}

Value lh::valueOf(const YamlNode &node) {
  if (node.isScalar())
    return scalarValue(node);
  std::vector<int64_t> integers;
  for (const YamlNode &item : node.items) {
    Value value = item.isScalar() ? scalarValue(item) : Value();
    if (const int64_t *integer = std::get_if<int64_t>(&value))
      integers.push_back(*integer);
  }
  return integers;
}
