// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What scalars and lists of a document mean as plain values.
#include "core/manifest/NodeValues.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace lh;

Value lh::scalarValue(const YamlNode &node) {
  StringRef text = node.text;
  if (node.quoted)
    return node.text;
  if (text == "true" || text == "false")
    return text == "true";
  StringRef digits = text;
  bool negative = digits.consume_front("-");
  if (!negative)
    digits.consume_front("+");
  if (digits.empty() || !(llvm::isDigit(digits[0]) || digits[0] == '.'))
    return node.text;
  int64_t integer = 0;
  bool hexadecimal = digits.starts_with("0x");
  if (!text.ltrim('+').getAsInteger(hexadecimal ? 0 : 10, integer))
    return integer;
  double number = 0;
  if (!hexadecimal && !text.getAsDouble(number) && std::isfinite(number))
    return number;
  return node.text;
}

Located<std::string> lh::textOf(const YamlNode &mapping, StringRef key) {
  const YamlNode *node = mapping.find(key);
  if (node && node->isScalar())
    return {node->text, node->where};
  return {"", node ? node->where : mapping.where};
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
