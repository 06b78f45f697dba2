// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what bubbles name, and flattens `use:` to elementary bubbles.
#include "core/graph/BubbleExpander.h"

#include "core/graph/Evaluate.h"
#include "core/graph/PathFinder.h"
#include "core/graph/Strategies.h"
#include "core/manifest/ManifestParser.h"
#include "core/manifest/Numerics.h"
#include "core/support/FileSystem.h"
#include "core/support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace lh;

// Files that use each other twice double what there is with each level.
static constexpr size_t maximumBubbles = 10000;
static constexpr size_t maximumDepth = 64;

BubbleExpander::BubbleExpander(ArrayRef<TargetSpec> targets,
                               ArrayRef<std::string> libraryDirs,
                               SourceStore &sources, DiagnosticSink &sink,
                               bool lacksTargets)
    : targets(targets), lacksTargets(lacksTargets), libraryDirs(libraryDirs),
      sources(sources), sink(sink) {}

std::vector<std::string> BubbleExpander::files() const {
  std::vector<std::string> names;
  for (const auto &[name, file] : bubbleFiles)
    names.push_back(name);
  llvm::append_range(names, namedFiles);
  return names;
}

std::vector<ParameterDecl>
BubbleExpander::tunedParameters(const BubbleDecl &bubble) {
  const auto *use = std::get_if<UseDecl>(&bubble.action);
  FailureOr<std::string> path = failure();
  if (use)
    path = findFile(use->path, ".yaml", "use");
  auto file = succeeded(path) ? bubbleFiles.find(*path) : bubbleFiles.end();
  if (file == bubbleFiles.end() || !file->second)
    return {};
  std::vector<ParameterDecl> parameters = file->second->file.params;
  llvm::erase_if(parameters, [&](const ParameterDecl &parameter) {
    return parameter.tune.empty() ||
           llvm::any_of(bubble.with, [&](const auto &given) {
             return given.first.value == parameter.name.value;
           });
  });
  return parameters;
}

BubbleExpander::Expansion BubbleExpander::expand(const BubbleDecl &bubble,
                                                 Environment &environment) {
  Context context;
  context.declaredAt = bubble.name.where;
  for (size_t i = 0; i < targets.size(); ++i)
    context.targets.push_back(i);
  Expansion result;
  result.isSound =
      succeeded(expandInto(bubble, environment, context, result.chain));
  llvm::erase_if(result.chain, [&](ResolvedBubble &elementary) {
    bool found = succeeded(findCheckFiles(elementary));
    result.isSound &= found;
    return !found;
  });
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
  const BubbleFileParts *parts = readFile(use, {});
  if (!parts)
    return failure();
  const BubbleFile *parsed = &parts->file;
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
  Expansion expansion = expand(bubble, none);
  if (!expansion.isSound)
    return failure();
  return std::move(expansion.chain);
}

//===----------------------------------------------------------------------===//
// use:
//===----------------------------------------------------------------------===//

std::vector<const UseDecl *> BubbleExpander::chainOf(const Used *used) {
  std::vector<const UseDecl *> chain;
  for (; used; used = used->outer)
    chain.push_back(&used->decl);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

const BubbleFileParts *BubbleExpander::readFile(const UseDecl &use,
                                                const Context &context) {
  const std::string &file = use.path.value;
  for (const Used *used = context.used; used; used = used->outer) {
    if (used->decl.path.value != file)
      continue;
    std::vector<DiagnosticNote> notes;
    for (const UseDecl *decl : chainOf(context.used))
      notes.push_back({decl->path.where, "used here"});
    notes.erase(notes.begin(), notes.begin() + ptrdiff_t(used->depth - 1));
    (void)sink.error(DiagKind::GraphUseCycle, use.path.where,
                     "'" + file + "' uses itself", std::move(notes));
    return nullptr;
  }
  auto [entry, isNew] = bubbleFiles.emplace(file, nullptr);
  if (isNew) {
    const auto *parts = sources.parts<BubbleFileParts>(
        file, use.path.where, sink,
        [&](StringRef text) { return readBubbleFile(text, file, sink); });
    if (parts && parts->isUsable)
      entry->second = parts;
  }
  return entry->second;
}

/// Checks `given` against the declaration, for each target where it depends on
/// one.
FailureOr<Expression>
BubbleExpander::checkedGiven(const ParameterDecl &parameter, Expression given,
                             const Context &context,
                             DiagnosticSink &sink) const {
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
  return given;
}

/// Makes `given` the parameter's value, if it is fit for it.
LogicalResult BubbleExpander::bindOne(const ParameterDecl &parameter,
                                      Expression given, const Context &context,
                                      Environment &inner) {
  CollectingSink found;
  FailureOr<Expression> value =
      checkedGiven(parameter, std::move(given), context, found);
  for (Diagnostic &diagnostic : found.take()) {
    // A file gave it to another one.
    if (context.used->depth > 1 && context.declaredAt.isKnown())
      diagnostic.notes.push_back({context.declaredAt, "for this bubble"});
    sink.emit(std::move(diagnostic));
  }
  if (failed(value))
    return failure();
  inner.params.values[parameter.name.value] = std::move(*value);
  return success();
}

/// The value of `parameter` as `bubble` gives it, or its default.
FailureOr<Expression> BubbleExpander::givenValue(const BubbleDecl &bubble,
                                                 const ParameterDecl &parameter,
                                                 const Given &bindings,
                                                 Environment &outer,
                                                 const Context &context) {
  auto given = bindings.find(parameter.name.value);
  if (given != bindings.end())
    return resolveExpression(*given->second, outer, context);
  Environment none; // a default sees no other parameter
  if (parameter.defaultValue)
    return resolveExpression(*parameter.defaultValue, none, context);
  return sink.error(DiagKind::GraphUnboundParameter,
                    std::get<UseDecl>(bubble.action).path.where,
                    "parameter '" + parameter.name.value +
                        "' has no value; give it one in 'with'",
                    {{parameter.name.where, "declared here"}});
}

/// The parameters of the file as `bubble` gives them.
FailureOr<Environment> BubbleExpander::bind(const BubbleDecl &bubble,
                                            const BubbleFileParts &parts,
                                            Environment &outer,
                                            const Context &context) {
  const BrokenPart &broken = parts.broken.params;
  Environment inner;
  inner.params.broken = broken.names;
  inner.params.lacksSome = broken.lacksSome;
  LogicalResult valid = success();
  std::set<StringRef> names;
  for (const ParameterDecl &parameter : parts.file.params)
    names.insert(parameter.name.value);
  Given bindings;
  for (const auto &[name, value] : bubble.with) {
    bindings[name.value] = &value;
    if (!broken.lacksSome && !names.count(name.value))
      valid = sink.error(DiagKind::GraphUnknownParameter, name.where,
                         "the used bubble has no parameter '" + name.value +
                             "'" + suggestionFor(name.value, sink, [&] {
                               return std::vector<StringRef>(names.begin(),
                                                             names.end());
                             }));
  }
  for (const ParameterDecl &parameter : parts.file.params) {
    if (broken.names.count(parameter.name.value))
      continue;
    FailureOr<Expression> value =
        givenValue(bubble, parameter, bindings, outer, context);
    if (failed(value) ||
        failed(bindOne(parameter, std::move(*value), context, inner)))
      valid = failure();
  }
  if (failed(valid) || failed(bindLets(parts, context, inner)) ||
      failed(checkConstraints(parts, context, inner)))
    return failure();
  return inner;
}

/// Also where it fails, `out` gets the bubbles that are sound.
LogicalResult BubbleExpander::expandChain(const BubbleFileParts &parts,
                                          Environment &environment,
                                          const Context &context,
                                          std::vector<ResolvedBubble> &out) {
  const BubbleFile &file = parts.file;
  std::vector<size_t> order;
  if (parts.isSound) {
    FailureOr<BubbleGraph> graph = linkBubbles(file.bubbles, file.edges, sink);
    if (failed(graph))
      return failure();
    FailureOr<std::vector<size_t>> chain =
        chainOrder(*graph, file.bubbles.front().name.where, sink);
    if (failed(chain))
      return failure();
    order = std::move(*chain);
  } else {
    for (size_t i = 0; i < file.bubbles.size(); ++i)
      if (!parts.broken.bubbles.names.count(file.bubbles[i].name.value))
        order.push_back(i);
  }
  LogicalResult valid = success(parts.isSound);
  for (size_t index : order)
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

/// Each parameter and computed value of `file` bound to its namesake: all are
/// the schedule's, which is checked when it is read.
static Bindings ownNames(const BubbleFile &file) {
  using Scope = Reference::Scope;
  Bindings bindings;
  auto add = [&](const Located<std::string> &name, Scope scope) {
    Expression value{{Reference{scope, name.value, name.where}}, name.where};
    bindings.emplace_back(name, std::move(value));
  };
  for (const ParameterDecl &parameter : file.params)
    add(parameter.name, Scope::Params);
  for (const LetDecl &let : file.lets)
    add(let.name, Scope::Let);
  return bindings;
}

/// The file's strategies with the values of its formulas, which are used.
static std::shared_ptr<const StrategySpace>
strategiesOf(const BubbleFile &file, Environment &environment,
             DiagnosticSink &sink) {
  auto space = std::make_shared<StrategySpace>();
  space->strategies = file.strategies;
  space->environment = environment;
  auto use = [&](const Expression &formula, Environment &names) {
    (void)substitute(formula, names, sink);
    environment.params.used.insert(names.params.used.begin(),
                                   names.params.used.end());
    for (const LetDecl &let : file.lets)
      if (names.lets.used.count(let.name.value))
        environment.lets.used.insert(let.name.value);
  };
  for (const StrategyDecl &strategy : file.strategies) {
    Environment names = environment;
    for (const NumberDecl &number : strategy.numbers) {
      for (const Expression &value : number.values)
        use(value, names);
    }
    for (const NumberDecl &number : strategy.numbers)
      names.lets.values[number.name.value] = literalExpression(int64_t(0), {});
    for (const ConstraintDecl &constraint : strategy.constraints)
      use(constraint.that, names);
  }
  return space;
}

/// The one bubble that a file without a chain stands for.
LogicalResult BubbleExpander::expandAction(const BubbleDecl &bubble,
                                           const BubbleFile &file,
                                           Environment &environment,
                                           const Context &context,
                                           std::vector<ResolvedBubble> &out) {
  BubbleDecl elementary;
  elementary.name = bubble.name;
  elementary.action = *file.action;
  if (auto *schedule = std::get_if<ScheduleDecl>(&elementary.action)) {
    elementary.with = file.with ? *file.with : ownNames(file);
    if (!file.strategies.empty())
      schedule->strategies = strategiesOf(file, environment, sink);
  }
  return expandInto(elementary, environment, context, out);
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
  const BubbleFileParts *parts = readFile(resolved, context);
  if (!parts)
    return failure();
  const BubbleFile *file = &parts->file;
  Used used{resolved, outer.used, outer.used ? outer.used->depth + 1 : 1};
  context.used = &used;
  FailureOr<Environment> inner = bind(bubble, *parts, environment, context);
  if (failed(inner))
    return failure();
  std::vector<ResolvedBubble> chain;
  if (!file->action)
    context.prefix += bubble.name.value + "/";
  if (failed(file->action ? expandAction(bubble, *file, *inner, context, chain)
                          : expandChain(*parts, *inner, context, chain))) {
    // What the file says of its ends doesn't suit a part of it.
    llvm::move(chain, std::back_inserter(out));
    return failure();
  }
  unsigned errors = sink.errorCount();
  reportUnused(file->params, *inner, sink);
  reportUnused(file->lets, *inner, sink);
  if (sink.errorCount() != errors)
    return failure();
  applyContracts(bubble, *file, chain);
  if (failed(addExpectation(bubble, environment, context, chain.back())))
    return failure();
  llvm::move(chain, std::back_inserter(out));
  return success();
}

/// Fails beyond a limit, which is reported once: nothing is expanded after it.
LogicalResult BubbleExpander::countBubble(const BubbleDecl &bubble,
                                          const Context &context) {
  if (isFull)
    return failure();
  isFull = visited == maximumBubbles ||
           (context.used && context.used->depth > maximumDepth);
  if (!isFull) {
    ++visited;
    return success();
  }
  return sink.error(DiagKind::ManifestLimit, bubble.name.where,
                    visited == maximumBubbles
                        ? "more than " + Twine(maximumBubbles) +
                              " bubbles once 'use' is followed"
                        : "'use' leads through more than " +
                              Twine(maximumDepth) + " files");
}

/// What a bubble that calls the kernel does to the numbers.
static NumericsDecl numericsOf(const KernelSpec &kernel) {
  NumericsDecl numerics;
  if (kernel.reassociates)
    numerics.reassociate = Located<bool>{true, SourceSpan{kernel.file}};
  return numerics;
}

LogicalResult BubbleExpander::expandInto(const BubbleDecl &bubble,
                                         Environment &environment,
                                         const Context &outer,
                                         std::vector<ResolvedBubble> &out) {
  if (failed(countBubble(bubble, outer)))
    return failure();
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
  for (const UseDecl *use : chainOf(context.used))
    result.files.push_back(use->path.value);
  result.declaredAt = context.declaredAt;
  result.action = std::move(*action);
  result.when = context.when;
  result.requires_ = bubble.requires_;
  result.ensures = bubble.ensures;
  result.preserves = bubble.preserves;
  result.optional = bubble.optional;
  result.numerics = bubble.numerics;
  const auto *schedule = std::get_if<ScheduleDecl>(&result.action);
  if (schedule && schedule->kernel)
    result.numerics =
        mergeNumerics(result.numerics, numericsOf(*schedule->kernel));
  const auto *execute = std::get_if<ExecuteDecl>(&result.action);
  if (execute && execute->tool)
    result.numerics = mergeNumerics(result.numerics, execute->tool->numerics);
  if (failed(addExpectation(bubble, environment, context, result)))
    return failure();
  out.push_back(std::move(result));
  return success();
}
