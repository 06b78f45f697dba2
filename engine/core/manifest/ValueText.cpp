// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values as the words a user reads.
#include "core/manifest/ValueText.h"

#include "core/manifest/Words.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

/// The shortest decimal that reads back as the same double.
static std::string numberText(double number) {
  for (int digits : {6, 15, 17}) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, number);
    double back = 0;
    if (!StringRef(text).getAsDouble(back) && back == number)
      return text;
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

std::string lh::valueText(const Value &value) {
  if (const bool *boolean = std::get_if<bool>(&value))
    return *boolean ? "true" : "false";
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  if (const double *number = std::get_if<double>(&value))
    return numberText(*number);
  if (const std::string *text = std::get_if<std::string>(&value))
    return *text;
  std::vector<std::string> items;
  for (int64_t item : std::get<std::vector<int64_t>>(value))
    items.push_back(std::to_string(item));
  return ("[" + Twine(llvm::join(items, ", ")) + "]").str();
}

StringRef lh::valueTypeName(const Value &value) {
  static constexpr StringRef names[] = {"a boolean", "an integer", "a number",
                                        "a string", "a list of integers"};
  return names[value.index()];
}

std::optional<double> lh::asNumber(const Value &value) {
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return static_cast<double>(*integer);
  if (const double *number = std::get_if<double>(&value))
    return *number;
  return std::nullopt;
}

bool lh::sameValue(const Value &left, const Value &right) {
  if (left.index() == right.index())
    return left == right;
  std::optional<double> a = asNumber(left), b = asNumber(right);
  return a && b && *a == *b;
}

static std::string formulaText(const Operation &operation);

/// One operand: texts in quotes, operations in parentheses.
static std::string operandText(const Expression &operand) {
  if (operand.pieces.size() != 1)
    return "'" + expressionText(operand) + "'";
  const Expression::Piece &piece = operand.pieces.front();
  if (const auto *operation = std::get_if<Operation>(&piece))
    return "(" + formulaText(*operation) + ")";
  if (const auto *reference = std::get_if<Reference>(&piece))
    return wordOf(reference->scope).str() + "." + reference->name;
  const Value &value = std::get<Value>(piece);
  bool isText = std::holds_alternative<std::string>(value);
  return isText ? "'" + valueText(value) + "'" : valueText(value);
}

static std::string formulaText(const Operation &operation) {
  std::vector<std::string> operands;
  for (const Expression &operand : operation.operands)
    operands.push_back(operandText(operand));
  std::string word = wordOf(operation.op).str();
  switch (operation.op) {
  case Operator::Choose:
    return operands[0] + " ? " + operands[1] + " : " + operands[2];
  case Operator::Negate:
    return word + operands[0];
  case Operator::Not:
    return word + " " + operands[0];
  case Operator::Min:
  case Operator::Max:
  case Operator::CeilDiv:
    return word + "(" + llvm::join(operands, ", ") + ")";
  default:
    return operands[0] + " " + word + " " + operands[1];
  }
}

std::string lh::expressionText(const Expression &expression) {
  std::string text;
  for (const Expression::Piece &piece : expression.pieces)
    if (const auto *value = std::get_if<Value>(&piece))
      text += valueText(*value);
    else if (const auto *operation = std::get_if<Operation>(&piece))
      text += "${" + formulaText(*operation) + "}";
    else
      text += "${" + operandText({{piece}, {}}) + "}";
  return text;
}
