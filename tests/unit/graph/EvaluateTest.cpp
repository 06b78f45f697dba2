// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions and conditions.
#include "core/graph/Evaluate.h"
#include "core/manifest/ValueText.h"

#include <catch2/catch.hpp>

using namespace lh;

static Expression
expression(std::vector<Expression::Piece> pieces) {
  return {std::move(pieces), {"m.yaml", 3, 7, 0}};
}

static Reference reference(Reference::Scope scope, std::string name) {
  return {scope, std::move(name), {"m.yaml", 3, 8, 0}};
}

TEST_CASE("a whole-scalar reference keeps its type", "[graph]") {
  std::map<std::string, Value> params = {{"unroll", int64_t(4)}};
  Scope scope;
  scope.params = &params;
  CollectingSink sink;
  FailureOr<Value> value = evaluate(
      expression({reference(Reference::Scope::Params, "unroll")}), scope, sink);
  REQUIRE(succeeded(value));
  CHECK(*value == Value(int64_t(4)));
}

TEST_CASE("mixed text concatenates to a string", "[graph]") {
  std::map<std::string, Value> facts = {{"bits", int64_t(512)}, {"fast", true}};
  Scope scope;
  scope.target = &facts;
  CollectingSink sink;
  FailureOr<Value> value =
      evaluate(expression({Value(std::string("v")),
                           reference(Reference::Scope::Target, "bits"),
                           Value(std::string("-")),
                           reference(Reference::Scope::Target, "fast")}),
               scope, sink);
  REQUIRE(succeeded(value));
  CHECK(*value == Value(std::string("v512-true")));
}

TEST_CASE("a missing fact is a located error with a suggestion", "[graph]") {
  std::map<std::string, Value> facts = {{"vector_bits", int64_t(512)}};
  Scope scope;
  scope.target = &facts;
  CollectingSink sink;
  CHECK(failed(
      evaluate(expression({reference(Reference::Scope::Target, "vector_bit")}),
               scope, sink)));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(sink.diagnostics()[0].kind == DiagKind::TargetUnknownFact);
  CHECK(sink.diagnostics()[0].where.column == 8);
  CHECK(StringRef(sink.diagnostics()[0].message)
            .contains("did you mean 'vector_bits'?"));
}

TEST_CASE("a scope that isn't there is no empty scope", "[graph]") {
  CollectingSink sink;
  CHECK(failed(evaluate(expression({reference(Reference::Scope::Sweep, "vl")}),
                        {}, sink)));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(kindName(sink.diagnostics()[0].kind) == "graph-misplaced-reference");
}

TEST_CASE("the scopes of an expression are those it reads", "[graph]") {
  Expression both = expression({reference(Reference::Scope::Case, "model"),
                                reference(Reference::Scope::Target, "bits")});
  CHECK(referencedScopes(both) ==
        std::set<Reference::Scope>{Reference::Scope::Target,
                                   Reference::Scope::Case});
  CHECK(referencedScopes(expression({Value(true)})).empty());
}

static FactCondition condition(std::string fact) {
  FactCondition result;
  result.name = {std::move(fact), {"m.yaml", 9, 4, 0}};
  return result;
}

TEST_CASE("conditions are ANDed and understand bounds, lists and not",
          "[graph]") {
  std::map<std::string, Value> facts = {{"bits", int64_t(512)},
                                        {"sizes", std::vector<int64_t>{8, 16}},
                                        {"name", std::string("zen")}};
  CollectingSink sink;
  auto holds = [&](FactCondition one) {
    return conditionHolds(one, facts, sink);
  };
  FactCondition bits = condition("bits");
  bits.minimum = 256;
  CHECK(holds(bits));
  bits.maximum = 511;
  CHECK_FALSE(holds(bits));

  FactCondition equal = condition("bits");
  equal.equals = Value(512.0);
  CHECK(holds(equal));
  equal.equals = Value(std::string("512"));
  CHECK_FALSE(holds(equal));

  FactCondition any = condition("sizes");
  any.any = {int64_t(16), int64_t(64)};
  CHECK(holds(any));
  any.all = {int64_t(8), int64_t(64)};
  CHECK_FALSE(holds(any));

  FactCondition negated = condition("name");
  FactCondition inner = condition("name");
  inner.equals = Value(std::string("zen"));
  negated.negated.push_back(inner);
  CHECK_FALSE(holds(negated));
  negated.negated[0].equals = Value(std::string("lake"));
  CHECK(holds(negated));

  // A bound on what is no number doesn't hold.
  FactCondition text = condition("name");
  text.minimum = 0;
  CHECK_FALSE(holds(text));
  CHECK(conditionHolds({equal, any, bits}, facts, sink) == false);
  CHECK(sink.errorCount() == 0);
}

TEST_CASE("a condition on an absent fact is an error, not false", "[graph]") {
  CollectingSink sink;
  CHECK_FALSE(conditionHolds(condition("bits"), {}, sink));
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(sink.diagnostics()[0].kind == DiagKind::TargetUnknownFact);
  CHECK(sink.diagnostics()[0].where.line == 9);
}
