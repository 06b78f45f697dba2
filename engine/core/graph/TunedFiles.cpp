// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of measured choices: found, read, and held against the graph.
#include "core/graph/TunedFiles.h"

#include "core/graph/Evaluate.h"
#include "core/graph/Strategies.h"
#include "core/manifest/TunedParser.h"
#include "core/manifest/ValueText.h"
#include "core/support/FileSystem.h"
#include "core/support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace lh;

static void readOne(const std::string &path, const SourceSpan &where,
                    SourceStore &sources, std::vector<TunedSpec> &specs,
                    DiagnosticSink &sink) {
  FailureOr<StringRef> text = sources.load(path, where, sink);
  if (failed(text))
    return;
  FailureOr<TunedSpec> spec = parseTuned(*text, path, sink);
  if (succeeded(spec))
    specs.push_back(std::move(*spec));
}

std::vector<TunedSpec> lh::readTuned(const Manifest &manifest,
                                     const ResolveOptions &options,
                                     SourceStore &sources,
                                     DiagnosticSink &sink) {
  std::vector<TunedSpec> specs = options.tried;
  for (const std::string &file : options.tuned)
    readOne(absolutePath(file, options.workingDirectory), {}, sources, specs,
            sink);
  for (const Located<std::string> &file : manifest.tuned)
    readOne(absolutePath(file.value, folderOf(manifest.file)), file.where,
            sources, specs, sink);
  return specs;
}

/// What the graph's bubbles choose between.
static std::vector<const StrategySpace *> spacesOf(const ResolvedGraph &graph) {
  std::vector<const StrategySpace *> spaces;
  for (const ResolvedBubble &bubble : graph.bubbles)
    if (const auto *schedule = std::get_if<ScheduleDecl>(&bubble.action))
      if (schedule->strategies)
        spaces.push_back(schedule->strategies.get());
  return spaces;
}

/// Why the entry is about no product, or names no strategy; "" otherwise.
static std::string whyNoProduct(const TunedEntry &entry) {
  const auto &product = std::get<ProductKey>(entry.about);
  if (product.sizes.size() != product.loops.size())
    return "'sizes' has " + std::to_string(product.sizes.size()) +
           " numbers for the " + std::to_string(product.loops.size()) +
           " loops of '" + product.loops + "'";
  if (product.types.size() != 3)
    return "'types' are those of A, B and C: three";
  auto strategy = entry.use.find("strategy");
  if (strategy == entry.use.end() ||
      !std::holds_alternative<std::string>(strategy->second))
    return "'use' of a product says which 'strategy'";
  return "";
}

/// Why the entry's choice can't be made by any of `spaces`; "" if it can.
static std::string whyMisfit(const TunedEntry &entry,
                             ArrayRef<const StrategySpace *> spaces,
                             const TargetFactValues &facts) {
  std::string wrong = whyNoProduct(entry);
  if (!wrong.empty())
    return wrong;
  ChoiceNumbers numbers = entry.use;
  std::string name = valueText(numbers.at("strategy"));
  numbers.erase("strategy");
  std::string why, whyNotHere;
  std::set<StringRef> known;
  for (const StrategySpace *space : spaces) {
    for (const StrategyDecl &strategy : space->strategies)
      known.insert(strategy.name.value);
    const StrategyDecl *strategy = findStrategy(*space, name);
    if (!strategy)
      continue;
    if (whyNotHere = whyNoStrategy(*space, *strategy, facts);
        !whyNotHere.empty())
      continue;
    why = whyNoChoice(*space, *strategy, facts, numbers);
    if (why.empty())
      return "";
  }
  if (why.empty())
    why = whyNotHere;
  if (why.empty())
    return "no bubble has the strategy '" + name + "'" +
           didYouMean(name, std::vector<StringRef>(known.begin(), known.end()));
  return "the strategy '" + name + "' can't be chosen so: " + why;
}

void lh::checkTuned(const ResolvedGraph &graph, DiagnosticSink &sink) {
  std::vector<const StrategySpace *> spaces = spacesOf(graph);
  for (const TunedSpec &spec : graph.tuned) {
    auto target = llvm::find_if(graph.targets, [&](const TargetSpec &each) {
      return each.name == spec.target;
    });
    if (target == graph.targets.end()) {
      sink.warning(DiagKind::GraphTunedForeign,
                   spec.entries.empty() ? SourceSpan{spec.file}
                                        : spec.entries.front().where,
                   "these choices are for the target '" + spec.target +
                       "', which is not here; they are not used");
      continue;
    }
    TargetFactValues facts = factValues(*target);
    for (const TunedEntry &entry : spec.entries) {
      if (!std::holds_alternative<ProductKey>(entry.about))
        continue;
      std::string why = whyMisfit(entry, spaces, facts);
      if (!why.empty())
        (void)sink.error(DiagKind::GraphTunedMisfit, entry.where, why);
    }
  }
}

std::optional<BubbleDecl> lh::tunedBubble(const BubbleDecl &bubble,
                                          const TunedEntry &entry,
                                          DiagnosticSink &sink) {
  std::optional<BubbleDecl> changed;
  for (const auto &[name, value] : entry.use) {
    auto [of, parameter] = StringRef(name).split('.');
    if (of != bubble.name.value)
      continue;
    auto given = llvm::find_if(bubble.with, [&](const auto &binding) {
      return binding.first.value == parameter;
    });
    if (given != bubble.with.end()) {
      (void)sink.error(DiagKind::GraphTunedMisfit, entry.where,
                       "the bubble '" + of + "' has a value for '" + parameter +
                           "', which comes first; remove one of them",
                       {{given->first.where, "given here"}});
      continue;
    }
    if (!changed)
      changed = bubble;
    changed->with.emplace_back(
        Located<std::string>{parameter.str(), entry.where},
        literalExpression(value, entry.where));
  }
  return changed;
}
