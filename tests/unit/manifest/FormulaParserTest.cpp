// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas: what they say, and what is wrong with them where.
#include "core/manifest/FormulaParser.h"
#include "core/manifest/ManifestParser.h"
#include "core/manifest/ValueText.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

/// A formula as YAML in double quotes, with some names declared.
struct Parsed {
  explicit Parsed(const std::string &text) {
    FailureOr<YamlNode> node = readYaml("\"" + text + "\"", "b.yaml", sink);
    REQUIRE(succeeded(node));
    FormulaNames names;
    using Scope = Reference::Scope;
    names.known["rows"] = {Scope::Params, FormulaType::Integer};
    names.known["columns"] = {Scope::Params, FormulaType::Integer};
    names.known["scalable"] = {Scope::Params, FormulaType::Boolean};
    names.known["layout"] = {Scope::Params, FormulaType::Text};
    names.known["rate"] = {Scope::Params, std::nullopt};
    names.known["block"] = {Scope::Let, FormulaType::Integer};
    names.later = {"block", "panel"};
    formula = parseFormula(*node, names, sink);
  }
  CollectingSink sink;
  FailureOr<Formula> formula = failure();
};

/// The formula read, printed with all its parentheses.
std::string read(const std::string &text) {
  Parsed parsed(text);
  INFO(text);
  for (const Diagnostic &diagnostic : parsed.sink.diagnostics())
    UNSCOPED_INFO(diagnostic.message);
  REQUIRE(succeeded(parsed.formula));
  return expressionText(parsed.formula->expression);
}

struct Mistake {
  std::string text;
  DiagKind kind;
  unsigned column, length;
  std::string message;
};

} // namespace

TEST_CASE("operators bind as in C, 'not' looser than comparisons",
          "[manifest][formula]") {
  CHECK(read("rows + columns * 2") == "${params.rows + (params.columns * 2)}");
  CHECK(read("rows - 1 - 2") == "${(params.rows - 1) - 2}");
  CHECK(read("-rows % 4") == "${(-params.rows) % 4}");
  CHECK(read("not rows == 1 and scalable or true") ==
        "${((not (params.rows == 1)) and params.scalable) or true}");
  CHECK(read("scalable ? 1 : rows > 2 ? 3 : 4") ==
        "${params.scalable ? 1 : ((params.rows > 2) ? 3 : 4)}");
  CHECK(read("(rows + 1) * 2") == "${(params.rows + 1) * 2}");
  CHECK(read("max(rows, 2, ceildiv(columns, 4))") ==
        "${max(params.rows, 2, (ceildiv(params.columns, 4)))}");
  CHECK(read("layout == 'nchw'") == "${params.layout == 'nchw'}");
}

TEST_CASE("units multiply the number before them", "[manifest][formula]") {
  CHECK(read("1 MiB") == "1048576");
  CHECK(read("0x10KiB") == "16384");
  CHECK(read("2GiB") == "2147483648");
  CHECK(read("block >= 1 MiB") == "${let.block >= 1048576}");
}

TEST_CASE("a formula knows its type", "[manifest][formula]") {
  CHECK(Parsed("rows / 2").formula->type == FormulaType::Integer);
  CHECK(Parsed("rows <= 2").formula->type == FormulaType::Boolean);
  CHECK(Parsed("scalable ? 'a' : layout").formula->type == FormulaType::Text);
}

TEST_CASE("mistakes in formulas are told where they are",
          "[manifest][formula]") {
  const DiagKind syntax = DiagKind::ManifestSyntax,
                 type = DiagKind::ManifestWrongType,
                 name = DiagKind::ManifestBadReference;
  const Mistake mistakes[] = {
      {"rows +", syntax, 8, 0, "the formula ends where a value was expected"},
      {"rows columns", syntax, 7, 7, "'columns' where the end"},
      {"(rows", syntax, 7, 0, "where ')' was expected"},
      {"rows ? 1", syntax, 10, 0, "':', as in 'condition ? then : else'"},
      {"1 < rows < 3", syntax, 11, 1, "'and' between two comparisons"},
      {"scalable && true", syntax, 11, 2, "write 'and'"},
      {"rows = 1", syntax, 7, 1, "write '=='"},
      {"!scalable", syntax, 2, 1, "write 'not'"},
      {"${params.rows}", syntax, 2, 2, "names parameters plainly"},
      {"1.5", syntax, 2, 1, "numbers in formulas are integers"},
      {"4 rows", syntax, 4, 4, "'rows' where the end"},
      {"4MB", syntax, 2, 3, "the units are KiB, MiB and GiB"},
      {"0x", syntax, 2, 2, "'0x' is no number"},
      {"9223372036854775808", syntax, 2, 19, "does not fit into 64 bits"},
      {"9007199254740992 KiB", syntax, 2, 20, "does not fit into 64 bits"},
      {"'open", syntax, 2, 5, "closing quote"},
      {"min(rows)", syntax, 10, 1, "another argument"},
      {"ceildiv(rows, 2, 3)", syntax, 17, 1, "where ')' was expected"},
      {"rows + scalable", type, 9, 8, "'scalable' is a boolean; '+' takes an"},
      {"rows and scalable", type, 2, 4,
       "'rows' is an integer; 'and' takes a b"},
      {"not rows", type, 6, 4, "'not' takes a boolean"},
      {"rows ? 1 : 2", type, 2, 4, "what stands before '?' is a boolean"},
      {"scalable ? 1 : 'a'", type, 17, 3, "the choice is an integer"},
      {"layout == 4", type, 12, 1, "two of one type, and the other is a text"},
      {"layout < 4", type, 2, 6, "'<' takes an integer"},
      {"rate * 2", type, 2, 4, "'rate' is a float"},
      {"row + 1", name, 2, 3, "did you mean 'rows'?"},
      {"nchw == layout", name, 2, 4, "a text stands in quotes"},
      {"panel * 2", name, 2, 5, "is computed here or further down"},
      {"cieldiv(rows, 2)", name, 2, 7, "did you mean 'ceildiv'?"},
  };
  for (const Mistake &mistake : mistakes) {
    INFO(mistake.text);
    Parsed parsed(mistake.text);
    CHECK(failed(parsed.formula));
    REQUIRE(parsed.sink.diagnostics().size() == 1);
    const Diagnostic &found = parsed.sink.diagnostics()[0];
    INFO(found.message);
    CHECK(found.kind == mistake.kind);
    CHECK(found.where.column == mistake.column);
    CHECK(found.where.length == mistake.length);
    CHECK(StringRef(found.message).contains(mistake.message));
  }
}

TEST_CASE("formulas are bounded in length, and so in depth",
          "[manifest][formula]") {
  CHECK(succeeded(
      Parsed(std::string(249, '(') + "1" + std::string(249, ')')).formula));
  Parsed parsed(std::string(501, '('));
  CHECK(failed(parsed.formula));
  REQUIRE(parsed.sink.diagnostics().size() == 1);
  CHECK(parsed.sink.diagnostics()[0].kind == DiagKind::ManifestLimit);
}

static FailureOr<BubbleFile> readFile(const std::string &body,
                                      CollectingSink &sink) {
  return parseBubbleFile("lighthouse: 1\npasses: cse\n" + body, "b.yaml", sink);
}

TEST_CASE("computed values see parameters and those above them",
          "[manifest][formula]") {
  CollectingSink sink;
  auto file = readFile("params: {rows: {type: int, default: 4}}\n"
                       "let: {twice: 2 * rows, four: 2 * twice, yes: true}\n"
                       "constraints: [{that: yes, because: so}]\n",
                       sink);
  REQUIRE(succeeded(file));
  REQUIRE(file->lets.size() == 3);
  CHECK(file->lets[1].name.value == "four");
  CHECK(expressionText(file->lets[1].value) == "${2 * let.twice}");
  REQUIRE(file->constraints.size() == 1);
  CHECK(file->constraints[0].because == "so");
}

TEST_CASE("a computed value sees neither itself nor what follows",
          "[manifest][formula]") {
  CollectingSink sink;
  CHECK(failed(readFile("let:\n  a: a + 1\n  b: c\n  c: 4\n", sink)));
  REQUIRE(sink.diagnostics().size() == 2);
  CHECK(sink.diagnostics()[0].where.line == 4);
  CHECK(sink.diagnostics()[0].where.column == 6);
  CHECK(sink.diagnostics()[1].where.line == 5);
}

TEST_CASE("what depends on a broken value is not told again",
          "[manifest][formula]") {
  CollectingSink sink;
  CHECK(failed(readFile("params: {p: {type: imt}}\n"
                        "let:\n  a: 1 +\n  b: a * 2\n  c: p and true\n"
                        "constraints: [{that: b > 1, because: so}]\n",
                        sink)));
  REQUIRE(sink.diagnostics().size() == 2); // of p and of a
  CHECK(sink.diagnostics()[1].kind == DiagKind::ManifestSyntax);
}

TEST_CASE("a computed value has a name of its own, a constraint is a boolean",
          "[manifest][formula]") {
  CollectingSink sink;
  CHECK(failed(readFile("params: {rows: {type: int, default: 4}}\n"
                        "let: {rows: 5}\n"
                        "constraints: [{that: rows + 1, because: so}]\n",
                        sink)));
  REQUIRE(sink.diagnostics().size() == 2);
  CHECK(sink.diagnostics()[0].kind == DiagKind::ManifestBadName);
  CHECK(sink.diagnostics()[1].kind == DiagKind::ManifestWrongType);
}
