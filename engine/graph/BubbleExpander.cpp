// Reads what bubbles name, and flattens `use:` to elementary bubbles.
#include "graph/BubbleExpander.h"

#include "graph/Evaluate.h"
#include "graph/PathFinder.h"
#include "manifest/ManifestParser.h"
#include "manifest/Numerics.h"
#include "support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace lh;

static constexpr size_t maximumExpanded = 4096;

BubbleExpander::BubbleExpander(ArrayRef<TargetSpec> targets,
                               ArrayRef<std::string> libraryDirs,
                               SourceStore &sources, DiagnosticSink &sink)
    : targets(targets), libraryDirs(libraryDirs), sources(sources), sink(sink) {
}

std::vector<std::string> BubbleExpander::files() const {
  std::vector<std::string> names;
  for (const auto &[name, file] : bubbleFiles)
    names.push_back(name);
  return names;
}

FailureOr<std::vector<ResolvedBubble>>
BubbleExpander::expand(const BubbleDecl &bubble, Environment &environment) {
  Context context;
  context.declaredAt = bubble.name.where;
  for (size_t i = 0; i < targets.size(); ++i)
    context.targets.push_back(i);
  std::vector<ResolvedBubble> result;
  if (failed(expandInto(bubble, environment, context, result)))
    return failure();
  LogicalResult found = success();
  for (ResolvedBubble &elementary : result)
    if (failed(findCheckFiles(elementary)))
      found = failure();
  if (failed(found))
    return failure();
  return result;
}

FailureOr<std::vector<ResolvedBubble>>
BubbleExpander::expandFile(StringRef path,
                           const std::map<std::string, std::string> &set,
                           StringRef workingDirectory) {
  FailureOr<std::string> file = findFile({path.str(), {}}, ".yaml", "apply");
  if (failed(file))
    return failure();
  UseDecl use{{*file, {}}};
  const BubbleFile *parsed = readFile(use, {});
  if (!parsed)
    return failure();
  BubbleDecl bubble;
  bubble.name = {llvm::sys::path::stem(*file).str(), {*file, 1, 1, 0}};
  bubble.action = use;
  for (const auto &[name, text] : set) {
    auto parameter = llvm::find_if(parsed->params, [&](const auto &decl) {
      return decl.name.value == name;
    });
    // An unknown name keeps its text, and is reported as such below.
    FailureOr<Value> value = Value(text);
    if (parameter != parsed->params.end())
      value = settingValue(text, *parameter, workingDirectory, sink);
    if (failed(value))
      return failure();
    bubble.with.emplace_back(Located<std::string>{name, {}},
                             literalExpression(std::move(*value), {}));
  }
  Environment none;
  return expand(bubble, none);
}

//===----------------------------------------------------------------------===//
// use:
//===----------------------------------------------------------------------===//

const BubbleFile *BubbleExpander::readFile(const UseDecl &use,
                                           const Context &context) {
  const std::string &file = use.path.value;
  for (size_t i = 0; i < context.uses.size(); ++i) {
    if (context.uses[i].path.value != file)
      continue;
    std::vector<DiagnosticNote> notes;
    for (size_t j = i; j < context.uses.size(); ++j)
      notes.push_back({context.uses[j].path.where, "used here"});
    (void)sink.error(DiagKind::GraphUseCycle, use.path.where,
                     "'" + file + "' uses itself", std::move(notes));
    return nullptr;
  }
  auto [entry, isNew] = bubbleFiles.emplace(file, std::nullopt);
  if (isNew) {
    FailureOr<StringRef> text = sources.load(file, use.path.where, sink);
    if (succeeded(text))
      if (auto parsed = parseBubbleFile(*text, file, sink); succeeded(parsed))
        entry->second = std::move(*parsed);
  }
  return entry->second ? &*entry->second : nullptr;
}

/// Checks `given` against the declaration, for each target where it depends on
/// one, and makes it the parameter's value.
LogicalResult BubbleExpander::bindOne(const ParameterDecl &parameter,
                                      Expression given, const Context &context,
                                      Environment &inner) {
  std::string base = folderOf(given.where.file);
  std::set<Reference::Scope> scopes = referencedScopes(given);
  if (scopes.empty()) {
    FailureOr<Value> value = evaluate(given, Scope{}, sink);
    if (succeeded(value))
      value = checkedValue(*value, parameter, base, given.where, sink);
    if (failed(value))
      return failure();
    given.pieces = {std::move(*value)};
  } else if (scopes.count(Reference::Scope::Case)) {
    // A case's values are texts, and known only when planning.
    FailureOr<Value> value =
        checkedValue(Value(std::string()), parameter, base, given.where, sink);
    if (failed(value))
      return failure();
  } else {
    for (size_t target : context.targets) {
      Scope scope;
      scope.target = &targets.facts(target);
      FailureOr<Value> value = evaluate(given, scope, sink);
      if (failed(value) ||
          failed(checkedValue(*value, parameter, base, given.where, sink)))
        return failure();
    }
  }
  inner.values[parameter.name.value] = std::move(given);
  return success();
}

/// The parameters of `file` as `bubble` gives them.
FailureOr<Environment> BubbleExpander::bind(const BubbleDecl &bubble,
                                            const BubbleFile &file,
                                            Environment &outer,
                                            const Context &context) {
  Environment inner;
  LogicalResult valid = success();
  std::vector<StringRef> names;
  for (const ParameterDecl &parameter : file.params)
    names.push_back(parameter.name.value);
  for (const auto &[name, value] : bubble.with)
    if (!llvm::is_contained(names, name.value))
      valid = sink.error(DiagKind::GraphUnknownParameter, name.where,
                         "the used bubble has no parameter '" + name.value +
                             "'" + didYouMean(name.value, names));
  Environment none;
  for (const ParameterDecl &parameter : file.params) {
    auto given = llvm::find_if(bubble.with, [&](const auto &binding) {
      return binding.first.value == parameter.name.value;
    });
    FailureOr<Expression> value = failure();
    if (given != bubble.with.end())
      value = resolveExpression(given->second, outer, context);
    else if (parameter.defaultValue)
      // A default sees no other parameter.
      value = resolveExpression(*parameter.defaultValue, none, context);
    else
      (void)sink.error(DiagKind::GraphUnboundParameter,
                       std::get<UseDecl>(bubble.action).path.where,
                       "parameter '" + parameter.name.value +
                           "' has no value; give it one in 'with'",
                       {{parameter.name.where, "declared here"}});
    if (failed(value) ||
        failed(bindOne(parameter, std::move(*value), context, inner)))
      valid = failure();
  }
  if (failed(valid))
    return failure();
  return inner;
}

LogicalResult BubbleExpander::expandChain(const BubbleFile &file,
                                          Environment &environment,
                                          const Context &context,
                                          std::vector<ResolvedBubble> &out) {
  FailureOr<BubbleGraph> graph = linkBubbles(file.bubbles, file.edges, sink);
  if (failed(graph))
    return failure();
  FailureOr<std::vector<size_t>> order =
      chainOrder(*graph, file.bubbles.front().name.where, sink);
  if (failed(order))
    return failure();
  LogicalResult valid = success();
  for (size_t index : *order)
    if (failed(expandInto(file.bubbles[index], environment, context, out)))
      valid = failure();
  return valid;
}

/// What the used file, then the using bubble, say of the chain's form.
static void applyContracts(const BubbleDecl &bubble, const BubbleFile &file,
                           MutableArrayRef<ResolvedBubble> chain) {
  const auto &before = bubble.requires_ ? bubble.requires_ : file.requires_;
  const auto &after = bubble.ensures ? bubble.ensures : file.ensures;
  const auto &kept =
      bubble.preserves.empty() ? file.preserves : bubble.preserves;
  if (before)
    chain.front().requires_ = before;
  if (after)
    chain.back().ensures = after;
  NumericsDecl numerics = mergeNumerics(file.numerics, bubble.numerics);
  for (ResolvedBubble &inner : chain) {
    if (inner.preserves.empty())
      inner.preserves = kept;
    inner.numerics = mergeNumerics(inner.numerics, numerics);
    if (inner.optional.empty())
      inner.optional =
          bubble.optional.empty() ? file.optional : bubble.optional;
  }
}

LogicalResult BubbleExpander::expandUse(const BubbleDecl &bubble,
                                        const UseDecl &use,
                                        Environment &environment,
                                        const Context &outer,
                                        std::vector<ResolvedBubble> &out) {
  FailureOr<std::string> path = findFile(use.path, ".yaml", "use");
  if (failed(path))
    return failure();
  Context context = outer;
  UseDecl resolved{{*path, use.path.where}};
  const BubbleFile *file = readFile(resolved, context);
  if (!file)
    return failure();
  context.uses.push_back(resolved);
  FailureOr<Environment> inner = bind(bubble, *file, environment, context);
  if (failed(inner))
    return failure();
  std::vector<ResolvedBubble> chain;
  if (!file->action) {
    context.prefix += bubble.name.value + "/";
    if (failed(expandChain(*file, *inner, context, chain)))
      return failure();
  } else {
    BubbleDecl elementary;
    elementary.name = bubble.name;
    elementary.action = *file->action;
    // All parameters of a schedule are its own; it is checked when it is read.
    if (std::holds_alternative<ScheduleDecl>(*file->action))
      for (const ParameterDecl &parameter : file->params)
        elementary.with.emplace_back(parameter.name,
                                     inner->values.at(parameter.name.value));
    for (const auto &[name, value] : elementary.with)
      inner->used.insert(name.value);
    if (failed(expandInto(elementary, *inner, context, chain)))
      return failure();
  }
  unsigned errors = sink.errorCount();
  reportUnused(file->params, *inner, sink);
  if (sink.errorCount() != errors)
    return failure();
  applyContracts(bubble, *file, chain);
  if (failed(addExpectation(bubble, environment, context, chain.back())))
    return failure();
  llvm::append_range(out, chain);
  return success();
}

LogicalResult BubbleExpander::expandInto(const BubbleDecl &bubble,
                                         Environment &environment,
                                         const Context &outer,
                                         std::vector<ResolvedBubble> &out) {
  if (out.size() >= maximumExpanded)
    return sink.error(DiagKind::ManifestLimit, bubble.name.where,
                      "more than " + Twine(maximumExpanded) +
                          " bubbles once 'use' is followed");
  Context context = outer;
  if (!narrow(bubble, context))
    return failure();
  if (const UseDecl *use = std::get_if<UseDecl>(&bubble.action))
    return expandUse(bubble, *use, environment, context, out);
  ResolvedBubble result;
  LogicalResult valid = success();
  for (const auto &[name, value] : bubble.with) {
    FailureOr<Expression> bound =
        resolveExpression(value, environment, context);
    if (succeeded(bound))
      result.parameters.emplace_back(name, std::move(*bound));
    else
      valid = failure();
  }
  FailureOr<ResolvedAction> action =
      resolveAction(bubble.action, environment, context);
  if (failed(action) || failed(valid))
    return failure();
  result.name = context.prefix + bubble.name.value;
  for (const UseDecl &use : context.uses)
    result.files.push_back(use.path.value);
  result.declaredAt = context.declaredAt;
  result.action = std::move(*action);
  result.when = context.when;
  result.requires_ = bubble.requires_;
  result.ensures = bubble.ensures;
  result.preserves = bubble.preserves;
  result.optional = bubble.optional;
  result.numerics = bubble.numerics;
  if (failed(addExpectation(bubble, environment, context, result)))
    return failure();
  out.push_back(std::move(result));
  return success();
}
