// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters: their values checked against their declarations, and put in
// place of `${params.x}`.
#include "core/graph/Parameters.h"

#include "core/manifest/ValueText.h"
#include "core/manifest/Words.h"
#include "core/support/FileSystem.h"
#include "core/support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace lh;

static std::vector<DiagnosticNote> declaredNote(const ParameterDecl &decl) {
  return {{decl.name.where,
           ("'" + Twine(decl.name.value) + "' is declared here").str()}};
}

/// `value` in the parameter's type, if it fits.
static std::optional<Value> converted(const Value &value,
                                      const ParameterDecl &parameter,
                                      StringRef baseFolder) {
  switch (parameter.type) {
  case ParameterType::Bool:
    return std::holds_alternative<bool>(value) ? std::optional(value)
                                               : std::nullopt;
  case ParameterType::Int:
    return std::holds_alternative<int64_t>(value) ? std::optional(value)
                                                  : std::nullopt;
  case ParameterType::Float:
    if (std::optional<double> number = asNumber(value))
      return Value(*number);
    return std::nullopt;
  case ParameterType::String:
    return std::holds_alternative<std::string>(value) ? std::optional(value)
                                                      : std::nullopt;
  case ParameterType::Path:
    if (const std::string *path = std::get_if<std::string>(&value))
      return Value(path->empty() ? *path : absolutePath(*path, baseFolder));
    return std::nullopt;
  }
  return std::nullopt;
}

static LogicalResult checkBounds(const Value &value,
                                 const ParameterDecl &parameter,
                                 StringRef baseFolder, const SourceSpan &where,
                                 DiagnosticSink &sink) {
  std::optional<double> number = asNumber(value);
  auto refuse = [&](const Twine &rule) {
    return sink.error(DiagKind::GraphParameterRange, where,
                      "'" + Twine(valueText(value)) + "' for parameter '" +
                          parameter.name.value + "'; it must be " + rule,
                      declaredNote(parameter));
  };
  if (number && parameter.minimum && *number < *parameter.minimum)
    return refuse("at least " + Twine(valueText(Value(*parameter.minimum))));
  if (number && parameter.maximum && *number > *parameter.maximum)
    return refuse("at most " + Twine(valueText(Value(*parameter.maximum))));
  if (parameter.choices.empty())
    return success();
  std::vector<std::string> words;
  for (const Located<Value> &choice : parameter.choices) {
    std::optional<Value> allowed =
        converted(choice.value, parameter, baseFolder);
    if (allowed && sameValue(*allowed, value))
      return success();
    words.push_back(valueText(choice.value));
  }
  return refuse("one of " + Twine(llvm::join(words, ", ")));
}

FailureOr<Value> lh::checkedValue(const Value &value,
                                  const ParameterDecl &parameter,
                                  StringRef baseFolder, const SourceSpan &where,
                                  DiagnosticSink &sink) {
  std::optional<Value> result = converted(value, parameter, baseFolder);
  if (!result)
    return sink.error(DiagKind::GraphParameterType, where,
                      "parameter '" + parameter.name.value + "' is of type " +
                          wordOf(parameter.type) + "; '" +
                          valueText(value) + "' is " + valueTypeName(value),
                      declaredNote(parameter));
  if (failed(checkBounds(*result, parameter, baseFolder, where, sink)))
    return failure();
  return *result;
}

FailureOr<Value> lh::settingValue(StringRef text,
                                  const ParameterDecl &parameter,
                                  StringRef workingDirectory,
                                  DiagnosticSink &sink) {
  Value value = text.str();
  int64_t integer = 0;
  double number = 0;
  switch (parameter.type) {
  case ParameterType::Bool:
    if (text == "true" || text == "false")
      value = text == "true";
    break;
  case ParameterType::Int:
    if (!text.getAsInteger(10, integer))
      value = integer;
    break;
  case ParameterType::Float:
    if (!text.getAsDouble(number) && std::isfinite(number))
      value = number;
    break;
  case ParameterType::String:
  case ParameterType::Path:
    break;
  }
  return checkedValue(value, parameter, workingDirectory, {}, sink);
}

Expression lh::literalExpression(Value value, const SourceSpan &where) {
  Expression expression;
  expression.pieces.push_back(std::move(value));
  expression.where = where;
  return expression;
}

/// Appends `piece`, joining neighbouring literals to one text.
static void appendPiece(Expression &expression,
                        const Expression::Piece &piece) {
  const Value *literal = std::get_if<Value>(&piece);
  Value *last = expression.pieces.empty()
                    ? nullptr
                    : std::get_if<Value>(&expression.pieces.back());
  if (literal && last)
    *last = Value(valueText(*last) + valueText(*literal));
  else if (literal)
    expression.pieces.push_back(Value(valueText(*literal)));
  else
    expression.pieces.push_back(piece);
}

/// What stands for `reference`, which is marked as used.
static FailureOr<const Expression *> valueFor(const Reference &reference,
                                              Environment &environment,
                                              DiagnosticSink &sink) {
  bool isLet = reference.scope == Reference::Scope::Let;
  NamedValues &names = isLet ? environment.lets : environment.params;
  auto found = names.values.find(reference.name);
  if (names.broken.count(reference.name) ||
      (found == names.values.end() && names.lacksSome))
    return failure();
  if (found == names.values.end())
    return sink.error(DiagKind::GraphUndefinedName, reference.where,
                      "'${" + wordOf(reference.scope) + "." +
                          reference.name + "}' is not declared in '" +
                          wordOf(reference.scope) + "'" +
                          suggestionFor(reference.name, sink, [&] {
                            std::vector<StringRef> candidates;
                            for (const auto &[name, value] : names.values)
                              candidates.push_back(name);
                            return candidates;
                          }));
  names.used.insert(reference.name);
  return &found->second;
}

/// The pieces that stand for `piece`.
static FailureOr<std::vector<Expression::Piece>>
piecesFor(const Expression::Piece &piece, Environment &environment,
          DiagnosticSink &sink) {
  using Pieces = std::vector<Expression::Piece>;
  if (const auto *operation = std::get_if<Operation>(&piece)) {
    Operation result{operation->op, {}, operation->where};
    bool anyFailed = false;
    for (const Expression &operand : operation->operands) {
      FailureOr<Expression> value = substitute(operand, environment, sink);
      anyFailed |= failed(value);
      if (succeeded(value))
        result.operands.push_back(std::move(*value));
    }
    if (anyFailed)
      return failure();
    return Pieces{std::move(result)};
  }
  const auto *reference = std::get_if<Reference>(&piece);
  if (!reference || (reference->scope != Reference::Scope::Params &&
                     reference->scope != Reference::Scope::Let))
    return Pieces{piece};
  FailureOr<const Expression *> value = valueFor(*reference, environment, sink);
  if (failed(value))
    return failure();
  return (*value)->pieces;
}

FailureOr<Expression> lh::substitute(const Expression &expression,
                                     Environment &environment,
                                     DiagnosticSink &sink) {
  Expression result;
  result.where = expression.where;
  bool whole = expression.pieces.size() == 1, anyFailed = false;
  for (const Expression::Piece &piece : expression.pieces) {
    FailureOr<std::vector<Expression::Piece>> pieces =
        piecesFor(piece, environment, sink);
    if (failed(pieces))
      anyFailed = true;
    else if (whole)
      result.pieces = std::move(*pieces);
    else
      for (const Expression::Piece &inner : *pieces)
        appendPiece(result, inner);
  }
  if (anyFailed)
    return failure();
  return result;
}

Expression lh::absoluteExpression(Expression path) {
  if (path.pieces.empty())
    return path;
  Value *first = std::get_if<Value>(&path.pieces.front());
  if (!first)
    return path;
  std::string text = valueText(*first);
  if (text.empty())
    return path;
  std::string absolute = absolutePath(text, folderOf(path.where.file));
  // Normalising drops the separator before a reference that follows.
  if (path.pieces.size() > 1 && StringRef(text).ends_with("/"))
    absolute += "/";
  *first = Value(std::move(absolute));
  return path;
}

void lh::reportUnused(ArrayRef<ParameterDecl> parameters,
                      const Environment &environment, DiagnosticSink &sink) {
  for (const ParameterDecl &parameter : parameters)
    if (!environment.params.used.count(parameter.name.value))
      (void)sink.error(DiagKind::GraphUnusedParameter, parameter.name.where,
                       "parameter '" + parameter.name.value +
                           "' is never used; nothing refers to '${params." +
                           parameter.name.value + "}'");
}

void lh::reportUnused(ArrayRef<LetDecl> lets, const Environment &environment,
                      DiagnosticSink &sink) {
  for (const LetDecl &let : lets)
    if (!environment.lets.used.count(let.name.value))
      (void)sink.error(DiagKind::GraphUnusedParameter, let.name.where,
                       "computed value '" + let.name.value +
                           "' is never used; nothing refers to '${let." +
                           let.name.value + "}'");
}
