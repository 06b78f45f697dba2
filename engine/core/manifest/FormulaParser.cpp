// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas, as text, to expressions: by recursive descent, typed on the way.
#include "core/manifest/FormulaParser.h"

#include "core/manifest/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace lh;

namespace {
/// A word of a formula. `text` lies in the formula; of a quoted text it is what
/// stands between the quotes.
struct FormulaToken {
  enum class Kind { Number, Text, Name, Symbol, End, Bad };
  Kind kind = Kind::End;
  StringRef text;
  size_t begin = 0, end = 0; ///< in the formula, quotes and units included
  int64_t number = 0;
  std::string problem; ///< of a bad one
};
} // namespace

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

/// The word that begins at or after `position` of `formula`.
static FormulaToken nextToken(StringRef formula, size_t position) {
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

// Also bounds how deep a formula nests.
static constexpr size_t maximumLength = 500;

StringRef lh::formulaTypeName(FormulaType type) {
  static constexpr StringRef names[] = {"an integer", "a boolean", "a text",
                                        "unknown"};
  return names[static_cast<size_t>(type)];
}

/// Operators between two operands, the loosest level first.
static constexpr Operator orLevel[] = {Operator::Or};
static constexpr Operator andLevel[] = {Operator::And};
static constexpr Operator comparisonLevel[] = {
    Operator::Equal,     Operator::NotEqual, Operator::Less,
    Operator::LessEqual, Operator::Greater,  Operator::GreaterEqual};
static constexpr Operator sumLevel[] = {Operator::Add, Operator::Subtract};
static constexpr Operator productLevel[] = {
    Operator::Multiply, Operator::Divide, Operator::Remainder};
static constexpr ArrayRef<Operator> levels[] = {
    orLevel, andLevel, comparisonLevel, sumLevel, productLevel};
static constexpr size_t comparisons = 2; ///< their level

/// What the operands of an operator are; unknown: all of one type.
static FormulaType typeOfOperands(Operator op) {
  switch (op) {
  case Operator::And:
  case Operator::Or:
  case Operator::Not:
    return FormulaType::Boolean;
  case Operator::Equal:
  case Operator::NotEqual:
  case Operator::Choose:
    return FormulaType::Unknown;
  default:
    return FormulaType::Integer;
  }
}

static FormulaType resultType(Operator op) {
  bool isComparison = llvm::is_contained(comparisonLevel, op);
  return isComparison ? FormulaType::Boolean : typeOfOperands(op);
}

namespace {

class FormulaParser {
public:
  FormulaParser(const YamlNode &node, const FormulaNames &names,
                DiagnosticSink &sink)
      : node(node), formula(node.text), names(names), sink(sink) {
    advance();
  }

  FailureOr<Formula> parse() {
    unsigned before = sink.errorCount();
    Part whole = choice();
    if (!isLost && token.kind != Kind::End)
      unexpected("the end of the formula");
    if (isLost || lacksName || sink.errorCount() != before)
      return failure();
    return Formula{std::move(whole.expression), whole.type};
  }

private:
  /// A part of the formula, from `begin` to `end`.
  struct Part {
    Expression expression;
    FormulaType type = FormulaType::Unknown;
    size_t begin = 0, end = 0;
  };

  Part choice();
  Part binary(size_t level);
  Part unary();
  Part primary();
  Part name();
  Part call(Operator op);
  void unknown(const std::string &name, const SourceSpan &where);
  Part apply(Operator op, const FormulaToken &where, std::vector<Part> parts);
  FormulaType checkTypes(Operator op, ArrayRef<Part> parts);
  void expect(const Part &part, FormulaType wanted, const Twine &user);

  void advance() {
    last = token;
    token = nextToken(formula, token.end);
  }
  bool is(StringRef text) const {
    return (token.kind == Kind::Symbol || token.kind == Kind::Name) &&
           token.text == text;
  }
  bool accept(StringRef text) {
    if (isLost || !is(text))
      return false;
    advance();
    return true;
  }
  /// Reports that `wanted` is missing here, once: nothing is read after it.
  void unexpected(const Twine &wanted);
  Part literal(Value value, FormulaType type) {
    Part part{{{std::move(value)}, {}}, type, token.begin, token.end};
    part.expression.where = spanOf(token.begin, token.end);
    advance();
    return part;
  }
  SourceSpan spanOf(size_t begin, size_t end) const;
  StringRef textOf(const Part &part) const {
    return formula.slice(part.begin, part.end);
  }

  const YamlNode &node;
  StringRef formula;
  const FormulaNames &names;
  DiagnosticSink &sink;
  FormulaToken token, last;
  bool isLost = false;    ///< nothing further can be read
  bool lacksName = false; ///< one that may be declared
};

} // namespace

SourceSpan FormulaParser::spanOf(size_t begin, size_t end) const {
  SourceSpan where = node.where;
  if (node.contentColumn == 0)
    return where;
  where.column = unsigned(node.contentColumn + begin);
  where.length = unsigned(end - begin);
  return where;
}

void FormulaParser::unexpected(const Twine &wanted) {
  if (isLost)
    return;
  isLost = true;
  std::string hint;
  if (token.text == "&&" || token.text == "||")
    hint = token.text == "&&" ? "; write 'and'" : "; write 'or'";
  if (token.text == "!")
    hint = "; write 'not'";
  if (token.text == "=")
    hint = "; write '=='";
  if (token.text == "${")
    hint = "; a formula names parameters plainly, without '${params.'";
  std::string seen = token.kind == Kind::Bad   ? token.problem
                     : token.kind == Kind::End ? "the formula ends"
                                               : ("'" + token.text + "'").str();
  if (token.kind != Kind::Bad)
    seen += (" where " + wanted + " was expected").str();
  (void)sink.error(DiagKind::ManifestSyntax, spanOf(token.begin, token.end),
                   seen + hint);
}

/// Reports `part` if it isn't what `user` takes.
void FormulaParser::expect(const Part &part, FormulaType wanted,
                           const Twine &user) {
  if (part.type == FormulaType::Unknown || part.type == wanted)
    return;
  (void)sink.error(DiagKind::ManifestWrongType, part.expression.where,
                   "'" + textOf(part) + "' is " + formulaTypeName(part.type) +
                       "; " + user + " " + formulaTypeName(wanted));
}

FormulaType FormulaParser::checkTypes(Operator op, ArrayRef<Part> parts) {
  std::string user = ("'" + wordOf(op) + "' takes").str();
  if (op == Operator::Choose) {
    expect(parts[0], FormulaType::Boolean, "what stands before '?' is");
    parts = parts.drop_front();
    user = "the other value of the choice is";
  }
  FormulaType wanted = typeOfOperands(op);
  if (wanted == FormulaType::Unknown) {
    wanted = parts[0].type;
    if (op != Operator::Choose)
      user += " two of one type, and the other is";
    if (wanted == FormulaType::Unknown)
      wanted = parts[1].type;
  }
  for (const Part &part : parts)
    expect(part, wanted, user);
  return op == Operator::Choose ? wanted : resultType(op);
}

FormulaParser::Part FormulaParser::apply(Operator op, const FormulaToken &where,
                                         std::vector<Part> parts) {
  Part result;
  result.begin = std::min(where.begin, parts.front().begin);
  result.end = last.end;
  if (!isLost)
    result.type = checkTypes(op, parts);
  Operation operation{op, {}, spanOf(where.begin, where.end)};
  for (Part &part : parts)
    operation.operands.push_back(std::move(part.expression));
  result.expression.pieces.push_back(std::move(operation));
  result.expression.where = spanOf(result.begin, result.end);
  return result;
}

FormulaParser::Part FormulaParser::choice() {
  Part condition = binary(0);
  FormulaToken where = token;
  if (!accept("?"))
    return condition;
  Part then = choice();
  if (!accept(":"))
    unexpected("':', as in 'condition ? then : else',");
  Part otherwise = choice();
  return apply(Operator::Choose, where,
               {std::move(condition), std::move(then), std::move(otherwise)});
}

FormulaParser::Part FormulaParser::binary(size_t level) {
  if (level == std::size(levels))
    return unary();
  FormulaToken where = token;
  if (level == comparisons && accept("not"))
    return apply(Operator::Not, where, {binary(level)});
  Part left = binary(level + 1);
  for (bool isFirst = true;; isFirst = false) {
    const Operator *op = llvm::find_if(
        levels[level], [&](Operator known) { return is(wordOf(known)); });
    if (isLost || op == levels[level].end())
      return left;
    if (level == comparisons && !isFirst)
      unexpected("'and' between two comparisons");
    where = token;
    advance();
    Part right = binary(level + 1);
    left = apply(*op, where, {std::move(left), std::move(right)});
  }
}

FormulaParser::Part FormulaParser::unary() {
  FormulaToken where = token;
  if (accept("-"))
    return apply(Operator::Negate, where, {unary()});
  return primary();
}

FormulaParser::Part FormulaParser::call(Operator op) {
  FormulaToken where = token;
  advance();
  if (!accept("("))
    unexpected("'('");
  std::vector<Part> parts = {choice()};
  do {
    if (!accept(","))
      unexpected("',' and another argument");
    parts.push_back(choice());
  } while (!isLost && op != Operator::CeilDiv && is(","));
  if (!accept(")"))
    unexpected("')'");
  return apply(op, where, std::move(parts));
}

/// Reports a name that nothing declares.
void FormulaParser::unknown(const std::string &name, const SourceSpan &where) {
  lacksName = true;
  if (names.later.count(name)) {
    (void)sink.error(DiagKind::ManifestBadReference, where,
                     "'" + name +
                         "' is computed here or further down; a value uses "
                         "parameters and the values above it");
    return;
  }
  if (names.lacksSome)
    return;
  std::vector<StringRef> candidates;
  for (const auto &[candidate, declared] : names.known)
    candidates.push_back(candidate);
  std::string hint = didYouMean(name, candidates);
  (void)sink.error(DiagKind::ManifestBadReference, where,
                   "'" + name + "' is no parameter and no computed value" +
                       (hint.empty() ? "; a text stands in quotes" : hint));
}

FormulaParser::Part FormulaParser::name() {
  std::string name = token.text.str();
  SourceSpan where = spanOf(token.begin, token.end);
  if (nextToken(formula, token.end).text == "(") {
    for (Operator op : {Operator::Min, Operator::Max, Operator::CeilDiv})
      if (name == wordOf(op))
        return call(op);
    (void)sink.error(DiagKind::ManifestBadReference, where,
                     "there is no function '" + name +
                         "'; there are min, max and ceildiv" +
                         didYouMean(name, {"min", "max", "ceildiv"}));
    isLost = true;
    return {};
  }
  auto known = names.known.find(name);
  Part part = literal(Value(), FormulaType::Unknown);
  if (known == names.known.end()) {
    unknown(name, where);
    return part;
  }
  part.expression.pieces = {Reference{known->second.scope, name, where}};
  if (known->second.type)
    part.type = *known->second.type;
  else
    (void)sink.error(DiagKind::ManifestWrongType, where,
                     "'" + name +
                         "' is a float; formulas compute with integers, "
                         "booleans and texts");
  return part;
}

FormulaParser::Part FormulaParser::primary() {
  static constexpr StringRef reserved[] = {"and", "or", "not"};
  if (!isLost && accept("(")) {
    size_t begin = last.begin;
    Part inner = choice();
    if (!accept(")"))
      unexpected("')'");
    inner.begin = begin;
    inner.end = last.end;
    return inner;
  }
  if (!isLost && token.kind == Kind::Number)
    return literal(token.number, FormulaType::Integer);
  if (!isLost && token.kind == Kind::Text)
    return literal(token.text.str(), FormulaType::Text);
  if (!isLost && (is("true") || is("false")))
    return literal(is("true"), FormulaType::Boolean);
  if (!isLost && token.kind == Kind::Name &&
      !llvm::is_contained(reserved, token.text))
    return name();
  unexpected("a value");
  return {};
}

FailureOr<Formula> lh::parseFormula(const YamlNode &node,
                                    const FormulaNames &names,
                                    DiagnosticSink &sink) {
  if (node.text.size() > maximumLength)
    return sink.error(DiagKind::ManifestLimit, node.where,
                      "a formula of more than " + Twine(maximumLength) +
                          " characters");
  return FormulaParser(node, names, sink).parse();
}
