// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a schedule may choose between for an op, and what numbers a choice may
// have.
#include "core/graph/Strategies.h"

#include "core/graph/Evaluate.h"
#include "core/manifest/ValueText.h"
#include "core/support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"

using namespace lh;

const StrategyDecl *lh::findStrategy(const StrategySpace &space,
                                     StringRef name) {
  for (const StrategyDecl &strategy : space.strategies)
    if (strategy.name.value == name)
      return &strategy;
  return nullptr;
}

namespace {

/// Computes formulas for one choice on one target.
class Calculation {
public:
  Calculation(const StrategySpace &space, const TargetFactValues &facts)
      : environment(space.environment) {
    scope.target = &facts;
  }

  /// A number hides what has its name.
  void set(const std::string &name, const Value &value) {
    environment.lets.values[name] = literalExpression(value, {});
  }

  /// Nothing where it has no value, and then `whyNot` says so.
  std::optional<Value> value(const Expression &formula) {
    CollectingSink found;
    FailureOr<Expression> known = substitute(formula, environment, found);
    FailureOr<Value> result = failure();
    if (succeeded(known))
      result = evaluate(*known, scope, found);
    if (succeeded(result))
      return *result;
    for (const Diagnostic &diagnostic : found.take())
      whyNot = diagnostic.message;
    return std::nullopt;
  }

  std::string whyNot;

private:
  Environment environment;
  Scope scope;
};

} // namespace

static bool uses(const Expression &formula, StringRef name) {
  return llvm::any_of(formula.pieces, [&](const Expression::Piece &piece) {
    if (const auto *operation = std::get_if<Operation>(&piece))
      return llvm::any_of(operation->operands, [&](const Expression &operand) {
        return uses(operand, name);
      });
    const auto *reference = std::get_if<Reference>(&piece);
    return reference && reference->scope == Reference::Scope::Let &&
           reference->name == name;
  });
}

/// The numbers of the strategy that the constraint is about.
static std::vector<StringRef> numbersIn(const ConstraintDecl &constraint,
                                        const StrategyDecl &strategy) {
  std::vector<StringRef> names;
  for (const NumberDecl &number : strategy.numbers)
    if (uses(constraint.that, number.name.value))
      names.push_back(number.name.value);
  return names;
}

std::string lh::whyNoStrategy(const StrategySpace &space,
                              const StrategyDecl &strategy,
                              const TargetFactValues &facts) {
  Calculation calculation(space, facts);
  for (const ConstraintDecl &constraint : strategy.constraints) {
    if (!numbersIn(constraint, strategy).empty())
      continue;
    std::optional<Value> holds = calculation.value(constraint.that);
    if (!holds)
      return calculation.whyNot;
    if (*holds != Value(true))
      return constraint.because;
  }
  return "";
}

/// The constraint that numbers break; constraints of others don't count.
static std::string brokenBy(const ChoiceNumbers &numbers,
                            const StrategyDecl &strategy,
                            Calculation &calculation) {
  for (const ConstraintDecl &constraint : strategy.constraints) {
    std::vector<StringRef> names = numbersIn(constraint, strategy);
    if (names.empty() || !llvm::all_of(names, [&](StringRef name) {
          return numbers.count(name.str()) != 0;
        }))
      continue;
    std::optional<Value> holds = calculation.value(constraint.that);
    if (!holds)
      return calculation.whyNot;
    if (*holds != Value(true))
      return "'" + constraint.text + "' does not hold; " + constraint.because;
  }
  return "";
}

static std::string unknownIn(const ChoiceNumbers &numbers,
                             const StrategyDecl &strategy) {
  std::vector<StringRef> known;
  for (const NumberDecl &number : strategy.numbers)
    known.push_back(number.name.value);
  for (const auto &[name, value] : numbers) {
    if (!llvm::is_contained(known, name))
      return "the strategy '" + strategy.name.value + "' has no number '" +
             name + "'" + didYouMean(name, known);
    if (!std::holds_alternative<int64_t>(value))
      return "'" + name + "' is " + valueTypeName(value).str() +
             "; a number of a choice is an integer";
  }
  return "";
}

std::string lh::whyNoChoice(const StrategySpace &space,
                            const StrategyDecl &strategy,
                            const TargetFactValues &facts,
                            const ChoiceNumbers &numbers) {
  std::string unknown = unknownIn(numbers, strategy);
  if (!unknown.empty())
    return unknown;
  Calculation calculation(space, facts);
  for (const auto &[name, value] : numbers)
    calculation.set(name, value);
  return brokenBy(numbers, strategy, calculation);
}

/// The values of a number, each once.
static std::vector<Value> valuesOf(const NumberDecl &number,
                                   Calculation &calculation) {
  std::vector<Value> values;
  for (const Expression &formula : number.values)
    if (std::optional<Value> value = calculation.value(formula);
        value && !llvm::is_contained(values, *value))
      values.push_back(*value);
  return values;
}

std::vector<ChoiceNumbers> lh::choicesOf(const StrategySpace &space,
                                         const StrategyDecl &strategy,
                                         const TargetFactValues &facts) {
  Calculation plain(space, facts);
  std::vector<NamedChoices> dimensions;
  for (const NumberDecl &number : strategy.numbers)
    dimensions.push_back({number.name.value, valuesOf(number, plain)});
  std::vector<ChoiceNumbers> choices = combinationsOf(dimensions);
  Calculation calculation(space, facts);
  llvm::erase_if(choices, [&](const ChoiceNumbers &choice) {
    for (const auto &[name, value] : choice)
      calculation.set(name, value);
    return !brokenBy(choice, strategy, calculation).empty();
  });
  return choices;
}
