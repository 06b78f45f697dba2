// Parameters: their values checked against their declarations, and put in
// place of `${params.x}`.
#include "graph/Parameters.h"

#include "manifest/ValueText.h"
#include "support/FileSystem.h"
#include "support/Suggestion.h"

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
                          parameterTypeName(parameter.type) + "; '" +
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
                        const std::variant<Value, Reference> &piece) {
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

FailureOr<Expression> lh::substitute(const Expression &expression,
                                     Environment &environment,
                                     DiagnosticSink &sink) {
  Expression result;
  result.where = expression.where;
  bool whole = expression.pieces.size() == 1, anyFailed = false;
  for (const auto &piece : expression.pieces) {
    const Reference *reference = std::get_if<Reference>(&piece);
    if (!reference || reference->scope != Reference::Scope::Params) {
      if (whole)
        result.pieces.push_back(piece);
      else
        appendPiece(result, piece);
      continue;
    }
    if (environment.broken.count(reference->name)) {
      anyFailed = true;
      continue;
    }
    auto found = environment.values.find(reference->name);
    if (found == environment.values.end() && environment.lacksSome) {
      anyFailed = true;
      continue;
    }
    if (found == environment.values.end()) {
      anyFailed = true;
      (void)sink.error(DiagKind::GraphUndefinedName, reference->where,
                       "'${params." + reference->name +
                           "}' is not declared "
                           "in 'params'" +
                           suggestionFor(reference->name, sink, [&] {
                             std::vector<StringRef> names;
                             for (const auto &[name, value] :
                                  environment.values)
                               names.push_back(name);
                             return names;
                           }));
      continue;
    }
    environment.used.insert(reference->name);
    if (whole)
      result.pieces = found->second.pieces;
    else
      for (const auto &inner : found->second.pieces)
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
    if (!environment.used.count(parameter.name.value))
      (void)sink.error(DiagKind::GraphUnusedParameter, parameter.name.where,
                       "parameter '" + parameter.name.value +
                           "' is never used; nothing refers to '${params." +
                           parameter.name.value + "}'");
}
