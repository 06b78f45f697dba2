// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a pipeline can be tuned: its products, and values of its bubbles.
#include "cli/TuneSites.h"

#include "compiler/session/Knobs.h"
#include "compiler/session/MlirSession.h"
#include "core/graph/Strategies.h"
#include "insight/report/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace lh;

std::string lh::textOf(const ProductKey &product) {
  std::vector<std::string> sizes;
  for (int64_t size : product.sizes)
    sizes.push_back(size < 0 ? "?" : std::to_string(size));
  std::string text = product.loops + " " + llvm::join(sizes, "x") + " " +
                     llvm::join(product.types, " ");
  if (!product.steps.empty()) {
    text += ", steps";
    for (int64_t step : product.steps)
      text += " " + std::to_string(step);
  }
  return text + (product.fromWeights ? ", weights" : "");
}

template <typename T>
static void addOnce(std::vector<T> &list, ArrayRef<T> more) {
  for (const T &each : more)
    if (!llvm::is_contained(list, each))
      list.push_back(each);
}

static void join(const OpCandidates &seen, ListedProduct &product) {
  addOnce<std::string>(product.ops, {seen.op});
  addOnce<std::string>(product.nodes, seen.origins);
  if (!seen.choice.strategy.empty())
    product.choice = seen.choice;
  for (const auto &[strategy, why] : seen.strategies) {
    auto known = llvm::find_if(product.strategies, [&](const auto &each) {
      return each.first == strategy;
    });
    if (known == product.strategies.end())
      product.strategies.emplace_back(strategy, why);
    else if (!known->second.empty())
      known->second = why;
  }
}

std::vector<ListedProduct> lh::listedProducts(const RunRecord &run,
                                              size_t result) {
  std::vector<ListedProduct> products;
  for (StepId step : pathOf(run, result))
    for (const OpCandidates &seen : run.outcomes[step].candidates) {
      auto known = llvm::find_if(products, [&](const ListedProduct &each) {
        return each.product == seen.product;
      });
      if (known == products.end()) {
        products.emplace_back().product = seen.product;
        known = std::prev(products.end());
      }
      join(seen, *known);
    }
  return products;
}

/// The choices of a strategy that the path has, at any of its places.
static void addChoices(const RunRecord &run, size_t result, StringRef name,
                       TuneSpace &space) {
  for (StepId id : pathOf(run, result)) {
    const auto *action =
        std::get_if<ScheduleAction>(&run.plan.steps[id].action);
    if (!action || !action->strategies)
      continue;
    const StrategySpace &strategies = *action->strategies;
    const StrategyDecl *strategy = findStrategy(strategies, name);
    if (!strategy ||
        !whyNoStrategy(strategies, *strategy, *action->facts).empty())
      continue;
    std::set<TunePoint> known(space.points.begin(), space.points.end());
    for (TunePoint &point : choicesOf(strategies, *strategy, *action->facts)) {
      point["strategy"] = name.str();
      if (known.insert(point).second)
        space.points.push_back(std::move(point));
    }
  }
}

static TuneSite siteOf(const RunRecord &run, size_t result,
                       const ListedProduct &product) {
  TuneSite site;
  site.about = product.product;
  site.text = textOf(product.product);
  site.nodes = product.nodes;
  site.space.points.emplace_back();
  for (const auto &[strategy, why] : product.strategies)
    if (why.empty())
      addChoices(run, result, strategy, site.space);
  return site;
}

/// The manifest's bubbles on the path, by their names.
static std::vector<const ResolvedBubble *> bubblesOf(const ResolvedGraph &graph,
                                                     StringRef pipeline) {
  std::vector<const ResolvedBubble *> bubbles;
  for (const ResolvedPipeline &each : graph.pipelines)
    if (each.name == pipeline)
      for (size_t bubble : each.path)
        bubbles.push_back(&graph.bubbles[bubble]);
  return bubbles;
}

/// What searches may set: declared parameters, and knobs of the schedules that
/// the manifest names itself.
static std::vector<TuneDimension> dimensionsOf(const PathTrials &trials,
                                               StringRef pipeline) {
  const ResolvedGraph &graph = trials.setup->graph;
  std::vector<TuneDimension> dimensions;
  auto bubbles = bubblesOf(graph, pipeline);
  for (const TunableParameter &tunable : graph.tunable)
    if (llvm::any_of(bubbles, [&](const ResolvedBubble *bubble) {
          return StringRef(bubble->name).split('/').first == tunable.bubble;
        }))
      dimensions.push_back(
          {tunable.bubble + "." + tunable.name, tunable.values});
  for (const ResolvedBubble *bubble : bubbles) {
    const auto *schedule = std::get_if<ScheduleDecl>(&bubble->action);
    if (!schedule || !bubble->files.empty())
      continue;
    for (Knob &knob : knobsIn(schedule->file.value,
                              trials.setup->engine->session().context()))
      if (llvm::none_of(bubble->parameters, [&](const auto &given) {
            return given.first.value == knob.name;
          }))
        dimensions.push_back(
            {bubble->name + "." + knob.name, std::move(knob.values)});
  }
  return dimensions;
}

static TuneSite siteOf(const PathTrials &trials, const ResultKey &key) {
  TuneSite site;
  site.about = TunedPath{key.pipeline, key.caseName};
  site.text = "pipeline " + key.pipeline;
  site.space.points.emplace_back();
  std::vector<TuneDimension> dimensions = dimensionsOf(trials, key.pipeline);
  if (!dimensions.empty())
    addPoints(site.space, {}, dimensions,
              [](const TunePoint &) { return true; });
  return site;
}

std::vector<TuneSite> lh::tuneSites(const PathTrials &trials, size_t result) {
  std::vector<TuneSite> sites;
  for (const ListedProduct &product : listedProducts(trials.full, result))
    sites.push_back(siteOf(trials.full, result, product));
  sites.push_back(siteOf(trials, trials.full.results[result].key));
  llvm::erase_if(
      sites, [](const TuneSite &site) { return site.space.points.size() < 2; });
  return sites;
}

TunedEntry lh::entryFor(const TuneSite &site, const TunePoint &point) {
  TunedEntry entry;
  entry.about = site.about;
  entry.use = point;
  return entry;
}
