// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a used bubble file computes from its parameters, and demands of them.
#include "core/graph/BubbleExpander.h"
#include "core/graph/Evaluate.h"
#include "core/manifest/ValueText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

// A value that uses another one twice doubles it: text that is not large could
// make formulas that are.
static constexpr size_t maximumPieces = 1000;

static size_t pieceCount(const Expression &expression) {
  size_t count = 0;
  for (const Expression::Piece &piece : expression.pieces) {
    ++count;
    if (const auto *operation = std::get_if<Operation>(&piece))
      for (const Expression &operand : operation->operands)
        count += pieceCount(operand);
  }
  return count;
}

/// The value of `expression` on `target`, if it has one there.
static FailureOr<Value> valueOn(std::optional<size_t> target,
                                const Expression &expression,
                                const TargetFacts &targets,
                                DiagnosticSink &sink) {
  Scope scope;
  if (target)
    scope.target = &targets.facts(*target);
  return evaluate(expression, scope, sink);
}

/// The targets on which `expression` may differ; one without a number where it
/// is the same on all.
static std::vector<std::optional<size_t>> placesOf(const Expression &expression,
                                                   ArrayRef<size_t> targets) {
  if (!referencedScopes(expression).count(Reference::Scope::Target))
    return {std::nullopt};
  return {targets.begin(), targets.end()};
}

/// The names in a formula, each once.
static void addNames(const Expression &formula,
                     std::vector<const Reference *> &names) {
  for (const Expression::Piece &piece : formula.pieces) {
    if (const auto *operation = std::get_if<Operation>(&piece))
      for (const Expression &operand : operation->operands)
        addNames(operand, names);
    const auto *reference = std::get_if<Reference>(&piece);
    if (reference && llvm::none_of(names, [&](const Reference *known) {
          return known->name == reference->name;
        }))
      names.push_back(reference);
  }
}

static const Expression &valueOf(const Reference &name,
                                 const Environment &environment) {
  bool isLet = name.scope == Reference::Scope::Let;
  const NamedValues &names = isLet ? environment.lets : environment.params;
  return names.values.at(name.name);
}

/// "rows = 3, columns = 48 on target 'x'": what the names in `formula` are.
static std::string valuesSeen(const Expression &formula,
                              const Environment &environment,
                              std::optional<size_t> target,
                              const TargetFacts &targets) {
  std::vector<const Reference *> names;
  addNames(formula, names);
  std::vector<std::string> seen;
  CollectingSink known; // they have values, or the formula would have none
  for (const Reference *name : names)
    if (auto value =
            valueOn(target, valueOf(*name, environment), targets, known);
        succeeded(value))
      seen.push_back(name->name + " = " + valueText(*value));
  std::string text = llvm::join(seen, ", ");
  if (target)
    text += (" on target '" + targets.name(*target) + "'").str();
  return text;
}

/// Where the user of `file` gave a value to something in `formula`.
static SourceSpan placeGiven(const Expression &formula, const BubbleFile &file,
                             const Environment &environment) {
  std::vector<const Reference *> names;
  addNames(formula, names);
  for (const Reference *name : names) {
    const SourceSpan &where = valueOf(*name, environment).where;
    if (where.isKnown() && where.file != file.file)
      return where;
  }
  return {};
}

/// The ways through which the file is used, for notes.
std::vector<DiagnosticNote>
BubbleExpander::usedBy(const Context &context) const {
  std::vector<DiagnosticNote> notes;
  const SourceSpan &use = context.used->decl.path.where;
  if (use.isKnown())
    notes.push_back({use, "used here"});
  if (context.used->depth > 1 && context.declaredAt.isKnown())
    notes.push_back({context.declaredAt, "for this bubble"});
  return notes;
}

/// Computes `let` on all targets, so that what has no value is known now. One
/// that depends on the case is left until there is one.
FailureOr<Expression> BubbleExpander::computeLet(const LetDecl &let,
                                                 const Context &context,
                                                 Environment &inner) {
  FailureOr<Expression> value = substitute(let.value, inner, sink);
  if (failed(value))
    return failure();
  if (pieceCount(*value) > maximumPieces)
    return sink.error(DiagKind::ManifestLimit, let.name.where,
                      "'" + let.name.value + "' takes more than " +
                          Twine(maximumPieces) +
                          " steps, with those of the values that it uses");
  if (referencedScopes(*value).count(Reference::Scope::Case))
    return value;
  for (std::optional<size_t> target : placesOf(*value, context.targets)) {
    CollectingSink found;
    FailureOr<Value> computed = valueOn(target, *value, targets, found);
    for (Diagnostic &diagnostic : found.take()) {
      diagnostic.message = valuesSeen(let.value, inner, target, targets) +
                           ": " + diagnostic.message;
      llvm::append_range(diagnostic.notes, usedBy(context));
      sink.emit(std::move(diagnostic));
    }
    if (failed(computed))
      return failure();
    if (!target)
      return literalExpression(std::move(*computed), let.value.where);
  }
  return value;
}

LogicalResult BubbleExpander::bindLets(const BubbleFileParts &parts,
                                       const Context &context,
                                       Environment &inner) {
  inner.lets.broken = parts.broken.lets.names;
  inner.lets.lacksSome = parts.broken.lets.lacksSome;
  LogicalResult valid = success();
  for (const LetDecl &let : parts.file.lets) {
    FailureOr<Expression> value = computeLet(let, context, inner);
    if (failed(value)) {
      inner.lets.broken.insert(let.name.value);
      valid = failure();
      continue;
    }
    inner.lets.values[let.name.value] = std::move(*value);
  }
  return valid;
}

LogicalResult BubbleExpander::checkConstraint(const ConstraintDecl &constraint,
                                              const BubbleFile &file,
                                              const Context &context,
                                              Environment &inner) {
  FailureOr<Expression> that = substitute(constraint.that, inner, sink);
  if (failed(that))
    return failure();
  for (std::optional<size_t> target : placesOf(*that, context.targets)) {
    FailureOr<Value> holds = valueOn(target, *that, targets, sink);
    if (failed(holds))
      return failure();
    if (*holds == Value(true))
      continue;
    std::vector<DiagnosticNote> notes = usedBy(context);
    SourceSpan where = placeGiven(constraint.that, file, inner);
    if (!where.isKnown() && !notes.empty()) {
      where = notes.front().where;
      notes.erase(notes.begin());
    }
    if (where.isKnown())
      notes.insert(notes.begin(), {constraint.that.where, "demanded here"});
    else
      where = constraint.that.where;
    return sink.error(DiagKind::GraphParameterRange, where,
                      valuesSeen(constraint.that, inner, target, targets) +
                          ": '" + constraint.text + "' does not hold; " +
                          constraint.because,
                      std::move(notes));
  }
  return success();
}

LogicalResult BubbleExpander::checkConstraints(const BubbleFileParts &parts,
                                               const Context &context,
                                               Environment &inner) {
  LogicalResult valid = success();
  for (const ConstraintDecl &constraint : parts.file.constraints)
    if (failed(checkConstraint(constraint, parts.file, context, inner)))
      valid = failure();
  return valid;
}
