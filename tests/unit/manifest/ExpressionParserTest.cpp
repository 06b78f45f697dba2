// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References within scalars.
#include "core/manifest/NodeValues.h"

#include <catch2/catch.hpp>

using namespace lh;

static Expression parseOne(const std::string &yaml, CollectingSink &sink) {
  FailureOr<YamlNode> node = readYaml(yaml, "m.yaml", sink);
  REQUIRE(succeeded(node));
  return parseExpression(*node, sink);
}

TEST_CASE("plain scalars are typed and quoted ones are strings", "[manifest]") {
  CollectingSink sink;
  CHECK(std::get<Value>(parseOne("4", sink).pieces[0]) == Value(int64_t(4)));
  CHECK(std::get<Value>(parseOne("-0x10", sink).pieces[0]) ==
        Value(int64_t(-16)));
  CHECK(std::get<Value>(parseOne("007", sink).pieces[0]) == Value(int64_t(7)));
  CHECK(std::get<Value>(parseOne("0.5", sink).pieces[0]) == Value(0.5));
  CHECK(std::get<Value>(parseOne("1e-3", sink).pieces[0]) == Value(1e-3));
  CHECK(std::get<Value>(parseOne("true", sink).pieces[0]) == Value(true));
  CHECK(std::get<Value>(parseOne("'4'", sink).pieces[0]) ==
        Value(std::string("4")));
  CHECK(std::get<Value>(parseOne("-cpu", sink).pieces[0]) ==
        Value(std::string("-cpu")));
  CHECK(std::get<Value>(parseOne("nan", sink).pieces[0]) ==
        Value(std::string("nan")));
  CHECK(std::get<Value>(parseOne("99999999999999999999", sink).pieces[0]) ==
        Value(1e20));
  CHECK(std::get<Value>(parseOne("[8, 16]", sink).pieces[0]) ==
        Value(std::vector<int64_t>{8, 16}));
}

TEST_CASE("references are found where they stand", "[manifest]") {
  CollectingSink sink;
  Expression expression = parseOne("'ab${params.x}-${target.y-z.w}'", sink);
  REQUIRE(expression.pieces.size() == 4);
  const auto &first = std::get<Reference>(expression.pieces[1]);
  CHECK(first.scope == Reference::Scope::Params);
  CHECK(first.name == "x");
  CHECK(first.where.column == 4);
  CHECK(first.where.length == 11);
  const auto &second = std::get<Reference>(expression.pieces[3]);
  CHECK(second.scope == Reference::Scope::Target);
  CHECK(second.name == "y-z.w");
  CHECK(parseOne("'${case.model}'", sink).pieces.size() == 1);
  CHECK(sink.errorCount() == 0);
}

TEST_CASE("a doubled dollar stands for the text", "[manifest]") {
  CollectingSink sink;
  Expression expression = parseOne("'a $${params.x} $b {c}'", sink);
  REQUIRE(expression.isLiteral());
  CHECK(std::get<Value>(expression.pieces[0]) ==
        Value(std::string("a ${params.x} $b {c}")));
}

TEST_CASE("what is no reference is refused, all at once", "[manifest]") {
  CollectingSink sink;
  parseOne("'${env.HOME} ${params} ${params.} ${parms.x} ${open'", sink);
  CHECK(sink.diagnostics().size() == 5);
  for (const Diagnostic &diagnostic : sink.diagnostics())
    CHECK(kindName(diagnostic.kind) == "manifest-bad-reference");
  CHECK(StringRef(sink.diagnostics()[3].message)
            .contains("did you mean 'params'?"));
}
