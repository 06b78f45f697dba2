// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a formula comes to once the names it uses are known.
#include "core/graph/Compute.h"

#include "core/manifest/ValueText.h"
#include "core/manifest/Words.h"

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

FailureOr<Value> lh::compute(const Operation &operation, const Scope &scope,
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
