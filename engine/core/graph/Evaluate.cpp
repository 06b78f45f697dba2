// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns expressions into values once the names they use are known.
#include "core/graph/Evaluate.h"

#include "core/manifest/ValueText.h"
#include "core/manifest/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace lh;

/// The operand, which the parser found to be of this type.
template <typename T>
static FailureOr<T> operandAs(const Expression &operand, const Scope &scope,
                              DiagnosticSink &sink) {
  FailureOr<Value> value = evaluate(operand, scope, sink);
  if (failed(value))
    return failure();
  if (const T *typed = std::get_if<T>(&*value))
    return *typed;
  return sink.error(DiagKind::GraphParameterType, operand.where,
                    "'" + valueText(*value) + "' is " + valueTypeName(*value) +
                        "; the formula takes " + valueTypeName(Value(T())));
}

/// Nothing where the result doesn't fit, or divides by zero.
static std::optional<int64_t> quotient(Operator op, int64_t left,
                                       int64_t right) {
  bool overflows = left == std::numeric_limits<int64_t>::min() && right == -1;
  if (right == 0 || overflows)
    return std::nullopt;
  if (op == Operator::Remainder)
    return left % right;
  // Rounded up, a positive quotient with a rest is one more.
  bool isRoundedUp =
      op == Operator::CeilDiv && left % right != 0 && (left < 0) == (right < 0);
  return left / right + (isRoundedUp ? 1 : 0);
}

static std::optional<int64_t> apply(Operator op, int64_t left, int64_t right) {
  int64_t result = 0;
  switch (op) {
  case Operator::Min:
    return std::min(left, right);
  case Operator::Max:
    return std::max(left, right);
  case Operator::Add:
    return llvm::AddOverflow(left, right, result) ? std::nullopt
                                                  : std::optional(result);
  case Operator::Subtract:
  case Operator::Negate:
    return llvm::SubOverflow(left, right, result) ? std::nullopt
                                                  : std::optional(result);
  case Operator::Multiply:
    return llvm::MulOverflow(left, right, result) ? std::nullopt
                                                  : std::optional(result);
  default:
    return quotient(op, left, right);
  }
}

static bool compares(Operator op, int64_t left, int64_t right) {
  switch (op) {
  case Operator::Less:
    return left < right;
  case Operator::LessEqual:
    return left <= right;
  case Operator::Greater:
    return left > right;
  default:
    return left >= right;
  }
}

static FailureOr<Value> computeIntegers(const Operation &operation,
                                        const Scope &scope,
                                        DiagnosticSink &sink) {
  std::vector<int64_t> operands;
  if (operation.op == Operator::Negate)
    operands.push_back(0);
  for (const Expression &operand : operation.operands) {
    FailureOr<int64_t> value = operandAs<int64_t>(operand, scope, sink);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  if (operation.op >= Operator::Less && operation.op <= Operator::GreaterEqual)
    return Value(compares(operation.op, operands[0], operands[1]));
  int64_t result = operands[0];
  for (int64_t operand : llvm::drop_begin(operands)) {
    std::optional<int64_t> next = apply(operation.op, result, operand);
    if (!next)
      return sink.error(DiagKind::GraphParameterRange, operation.where,
                        Twine(result) + " " + wordOf(operation.op) + " " +
                            Twine(operand) +
                            (operand == 0 ? ": division by zero"
                                          : " does not fit into 64 bits"));
    result = *next;
  }
  return Value(result);
}

static FailureOr<Value> computeLogic(const Operation &operation,
                                     const Scope &scope, DiagnosticSink &sink) {
  FailureOr<bool> first = operandAs<bool>(operation.operands[0], scope, sink);
  if (failed(first))
    return failure();
  if (operation.op == Operator::Choose)
    return evaluate(operation.operands[*first ? 1 : 2], scope, sink);
  if (operation.op == Operator::Not)
    return Value(!*first);
  if (*first == (operation.op == Operator::Or))
    return Value(*first);
  return evaluate(operation.operands[1], scope, sink);
}

/// The value of `operation`. Integers have 64 bits; `/` rounds towards zero,
/// and `%` is what it leaves. `and`, `or` and `? :` look at no more operands
/// than they need. Division by zero and overflow are errors at the operator.
static FailureOr<Value> compute(const Operation &operation, const Scope &scope,
                                DiagnosticSink &sink) {
  switch (operation.op) {
  case Operator::And:
  case Operator::Or:
  case Operator::Not:
  case Operator::Choose:
    return computeLogic(operation, scope, sink);
  case Operator::Equal:
  case Operator::NotEqual:
    break;
  default:
    return computeIntegers(operation, scope, sink);
  }
  FailureOr<Value> left = evaluate(operation.operands[0], scope, sink);
  FailureOr<Value> right = evaluate(operation.operands[1], scope, sink);
  if (failed(left) || failed(right))
    return failure();
  return Value(sameValue(*left, *right) == (operation.op == Operator::Equal));
}

static const std::map<std::string, Value> *valuesOf(Reference::Scope kind,
                                                    const Scope &scope) {
  switch (kind) {
  case Reference::Scope::Params:
    return scope.params;
  case Reference::Scope::Let:
    return nullptr; // replaced by what computes it
  case Reference::Scope::Target:
    return scope.target;
  case Reference::Scope::Case:
    return scope.caseValues;
  case Reference::Scope::Sweep:
    return scope.sweep;
  }
  return nullptr;
}

static FailureOr<Value> lookUp(const Reference &reference, const Scope &scope,
                               DiagnosticSink &sink) {
  const std::map<std::string, Value> *values = valuesOf(reference.scope, scope);
  StringRef prefix = wordOf(reference.scope);
  if (!values)
    return sink.error(DiagKind::GraphMisplacedReference, reference.where,
                      "'${" + prefix + "." + reference.name +
                          "}' has no value here; '" + prefix +
                          ".' cannot be used in this place");
  auto found = values->find(reference.name);
  if (found != values->end())
    return found->second;
  std::vector<StringRef> names;
  for (const auto &[name, value] : *values)
    names.push_back(name);
  DiagKind kind = reference.scope == Reference::Scope::Target
                      ? DiagKind::TargetUnknownFact
                      : DiagKind::GraphUndefinedName;
  return sink.error(kind, reference.where,
                    "'${" + prefix + "." + reference.name +
                        "}' is not defined" +
                        didYouMean(reference.name, names));
}

FailureOr<Value> lh::evaluate(const Expression &expression, const Scope &scope,
                              DiagnosticSink &sink) {
  bool whole = expression.pieces.size() == 1, failedOnce = false;
  std::string text;
  for (const auto &piece : expression.pieces) {
    FailureOr<Value> value = failure();
    if (const Value *literal = std::get_if<Value>(&piece))
      value = *literal;
    else if (const auto *operation = std::get_if<Operation>(&piece))
      value = compute(*operation, scope, sink);
    else
      value = lookUp(std::get<Reference>(piece), scope, sink);
    if (failed(value))
      failedOnce = true;
    else if (whole)
      return value;
    else
      text += valueText(*value);
  }
  if (failedOnce)
    return failure();
  return Value(std::move(text));
}

FailureOr<std::string> lh::evaluateText(const Expression &expression,
                                        const Scope &scope,
                                        DiagnosticSink &sink) {
  FailureOr<Value> value = evaluate(expression, scope, sink);
  if (failed(value))
    return failure();
  return valueText(*value);
}

/// A list fact contains `wanted`; any other fact equals it.
static bool has(const Value &fact, const Value &wanted) {
  if (const auto *list = std::get_if<std::vector<int64_t>>(&fact))
    if (const int64_t *integer = std::get_if<int64_t>(&wanted))
      return llvm::is_contained(*list, *integer);
  return sameValue(fact, wanted);
}

static bool holds(const FactCondition &condition, const Value &fact) {
  auto factHas = [&](const Value &wanted) { return has(fact, wanted); };
  if (condition.equals && !has(fact, *condition.equals))
    return false;
  std::optional<double> number = asNumber(fact);
  if (condition.minimum && !(number && *number >= *condition.minimum))
    return false;
  if (condition.maximum && !(number && *number <= *condition.maximum))
    return false;
  if (!condition.any.empty() && !llvm::any_of(condition.any, factHas))
    return false;
  if (!llvm::all_of(condition.all, factHas))
    return false;
  return llvm::none_of(condition.negated, [&](const FactCondition &negated) {
    return holds(negated, fact);
  });
}

bool lh::conditionHolds(ArrayRef<FactCondition> conditions,
                        const std::map<std::string, Value> &facts,
                        DiagnosticSink &sink) {
  bool result = true;
  for (const FactCondition &condition : conditions) {
    auto fact = facts.find(condition.name.value);
    if (fact != facts.end()) {
      result = result && holds(condition, fact->second);
      continue;
    }
    std::vector<StringRef> names;
    for (const auto &[name, value] : facts)
      names.push_back(name);
    result = false;
    (void)sink.error(DiagKind::TargetUnknownFact, condition.name.where,
                     "the target has no fact '" + condition.name.value + "'" +
                         didYouMean(condition.name.value, names));
  }
  return result;
}

static void addScopes(const Expression &expression,
                      std::set<Reference::Scope> &scopes) {
  for (const Expression::Piece &piece : expression.pieces)
    if (const auto *reference = std::get_if<Reference>(&piece))
      scopes.insert(reference->scope);
    else if (const auto *operation = std::get_if<Operation>(&piece))
      for (const Expression &operand : operation->operands)
        addScopes(operand, scopes);
}

std::set<Reference::Scope> lh::referencedScopes(const Expression &expression) {
  std::set<Reference::Scope> scopes;
  addScopes(expression, scopes);
  return scopes;
}

std::map<std::string, Value> lh::factValues(const TargetSpec &target) {
  std::map<std::string, Value> values;
  for (const auto &[name, fact] : target.facts)
    values.emplace(name, fact.value);
  return values;
}

int64_t lh::threadsOf(const TargetSpec &target) {
  auto fact = target.facts.find("threads");
  if (fact == target.facts.end())
    return 1;
  const auto *threads = std::get_if<int64_t>(&fact->second.value);
  return threads ? *threads : 1;
}
