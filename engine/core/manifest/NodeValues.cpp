// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What scalars and lists of a document mean, as plain values or with
// references.
#include "core/manifest/NodeValues.h"

#include "core/manifest/KeyTable.h"
#include "core/manifest/Words.h"

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

/// `body` is what stands between the braces.
static FailureOr<Reference>
parseReference(StringRef body, const SourceSpan &where, DiagnosticSink &sink) {
  auto [scopeText, name] = body.split('.');
  auto scope = parseWord<Reference::Scope>(scopeText);
  if (!scope)
    return sink.error(
        DiagKind::ManifestBadReference, where,
        "'${" + body +
            "}' is no reference; it is ${params.x}, ${let.x}, ${target.x}, "
            "${case.x} or ${sweep.x}" +
            didYouMean(scopeText, wordsOf<Reference::Scope>));
  if (!isValidName(name))
    return sink.error(DiagKind::ManifestBadReference, where,
                      "'${" + body + "}' names nothing; write ${" + scopeText +
                          ".x}");
  return Reference{*scope, name.str(), where};
}

static SourceSpan placeWithin(const YamlNode &node, size_t offset,
                              size_t length) {
  SourceSpan where = node.where;
  if (node.contentColumn == 0)
    return where;
  where.column = unsigned(node.contentColumn + offset);
  where.length = unsigned(length);
  return where;
}

static Expression parsePieces(const YamlNode &node, DiagnosticSink &sink) {
  Expression result;
  result.where = node.where;
  StringRef text = node.text;
  std::string literal;
  size_t position = 0;
  auto flush = [&] {
    if (!literal.empty())
      result.pieces.push_back(Value(std::move(literal)));
    literal.clear();
  };
  while (position < text.size()) {
    StringRef rest = text.substr(position);
    if (rest.starts_with("$${")) {
      literal += "${";
      position += 3;
    } else if (!rest.starts_with("${")) {
      literal += rest.front();
      ++position;
    } else if (size_t end = rest.find('}'); end == StringRef::npos) {
      (void)sink.error(DiagKind::ManifestBadReference,
                       placeWithin(node, position, 2),
                       "'${' has no '}'; write '$${' for the text '${'");
      break;
    } else {
      flush();
      FailureOr<Reference> reference = parseReference(
          rest.slice(2, end), placeWithin(node, position, end + 1), sink);
      if (succeeded(reference))
        result.pieces.push_back(std::move(*reference));
      position += end + 1;
    }
  }
  flush();
  if (result.pieces.empty())
    result.pieces.push_back(Value(std::string()));
  return result;
}

Expression lh::parseExpression(const YamlNode &node, DiagnosticSink &sink) {
  if (node.isScalar() && StringRef(node.text).contains("${"))
    return parsePieces(node, sink);
  Expression literal;
  literal.where = node.where;
  if (node.isScalar() || node.isSequence())
    literal.pieces.push_back(valueOf(node));
  else
    literal.pieces.push_back(Value(std::string()));
  return literal;
}
