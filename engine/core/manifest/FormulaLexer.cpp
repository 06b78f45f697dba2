// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A formula's words.
#include "core/manifest/FormulaLexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace lh;
using Kind = FormulaToken::Kind;

static bool isWordCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

static FormulaToken bad(FormulaToken token, const Twine &problem) {
  token.kind = Kind::Bad;
  token.problem = problem.str();
  return token;
}

/// The factor that `unit` stands for; 0 for none.
static int64_t factorOf(StringRef unit) {
  if (unit == "KiB")
    return int64_t(1) << 10;
  if (unit == "MiB")
    return int64_t(1) << 20;
  if (unit == "GiB")
    return int64_t(1) << 30;
  return 0;
}

/// `token` spans the digits, and a unit that is written at them; takes a unit
/// that follows along.
static FormulaToken numberToken(StringRef formula, FormulaToken token) {
  token.kind = Kind::Number;
  if (formula.substr(token.end).starts_with("."))
    return bad(token, "numbers in formulas are integers");
  StringRef digits = token.text;
  bool isHexadecimal = digits.consume_front("0x");
  digits = digits.take_while(isHexadecimal ? llvm::isHexDigit : llvm::isDigit);
  StringRef unit(digits.end(), size_t(token.text.end() - digits.end()));
  if (digits.empty() || (!unit.empty() && factorOf(unit) == 0))
    return bad(token, "'" + token.text +
                          "' is no number; the units are KiB, MiB and GiB");
  if (unit.empty()) {
    unit = formula.substr(token.end).ltrim().take_while(isWordCharacter);
    if (factorOf(unit) != 0)
      token.end = size_t(unit.end() - formula.begin());
  }
  int64_t factor = std::max<int64_t>(factorOf(unit), 1);
  if (digits.getAsInteger(isHexadecimal ? 16 : 10, token.number) ||
      llvm::MulOverflow(token.number, factor, token.number))
    return bad(token, "'" + formula.slice(token.begin, token.end) +
                          "' does not fit into 64 bits");
  return token;
}

static FormulaToken quoted(StringRef formula, FormulaToken token) {
  size_t end = formula.find(formula[token.begin], token.begin + 1);
  if (end == StringRef::npos) {
    token.end = formula.size();
    return bad(token, "a text without its closing quote");
  }
  token.kind = Kind::Text;
  token.text = formula.slice(token.begin + 1, end);
  token.end = end + 1;
  return token;
}

FormulaToken lh::nextToken(StringRef formula, size_t position) {
  FormulaToken token;
  token.begin =
      std::min(formula.find_first_not_of(" \t\r\n", position), formula.size());
  token.end = token.begin;
  StringRef rest = formula.substr(token.begin);
  if (rest.empty())
    return token;
  if (rest.front() == '\'' || rest.front() == '"')
    return quoted(formula, token);
  token.text = rest.take_while(isWordCharacter);
  if (token.text.empty()) {
    bool isDouble = llvm::is_contained(
        {"==", "!=", "<=", ">=", "&&", "||", "${"}, rest.take_front(2));
    token.text = rest.take_front(isDouble ? 2 : 1);
  }
  token.end = token.begin + token.text.size();
  if (llvm::isDigit(rest.front()))
    return numberToken(formula, token);
  token.kind = isWordCharacter(rest.front()) ? Kind::Name : Kind::Symbol;
  return token;
}
