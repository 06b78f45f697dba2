// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of the pipeline space runs have seen.
#include "insight/ci/Coverage.h"

#include "core/json/Json.h"
#include "insight/map/DescribeGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

StringRef lh::seenName(Seen seen) {
  static constexpr StringRef names[] = {"never", "ran", "passed"};
  return names[static_cast<size_t>(seen)];
}

static void addItem(std::map<std::string, CoverItem> &items,
                    const std::string &identity, const std::string &name,
                    const std::string &manifest) {
  CoverItem &item = items[identity];
  if (item.name.empty())
    item.name = name;
  item.manifests.insert(manifest);
}

void Coverage::addSpace(const ResolvedGraph &graph) {
  MapSource space = describeGraph(graph);
  for (const TargetSpec &target : graph.targets)
    addItem(targets, target.name, target.name, graph.name);
  for (const MapPipeline &pipeline : space.pipelines) {
    Path &path = paths[{graph.name, pipeline.name}];
    path = {};
    for (size_t index : pipeline.path) {
      const MapBubble &bubble = space.bubbles[index];
      addItem(bubbles, bubble.identity, bubble.name, graph.name);
      if (!path.names.empty())
        addItem(edges, path.identities.back() + "\n" + bubble.identity,
                path.names.back() + " -> " + bubble.name, graph.name);
      path.names.push_back(bubble.name);
      path.identities.push_back(bubble.identity);
    }
  }
}

void Coverage::addModel(const std::string &manifest,
                        const std::string &caseName,
                        const std::set<std::string> &operations) {
  for (const std::string &op : operations)
    addItem(ops, op, op, manifest);
  models[{manifest, caseName}] = operations;
}

static void raise(CoverItem &item, Seen seen) {
  item.seen = std::max(item.seen, seen);
}

void Coverage::addResult(const SavedRun &run, const SavedResult &result,
                         const Path &path) {
  std::set<StringRef> ran;
  for (StepId step : result.steps)
    if (run.steps[step].status != StepStatus::NotRun)
      ran.insert(run.steps[step].bubble);
  if (ran.empty())
    return;
  Seen seen = result.status == ResultStatus::Passed ? Seen::Passed : Seen::Ran;
  if (auto target = targets.find(result.key.target); target != targets.end())
    raise(target->second, seen);
  if (auto model = models.find({run.manifest, result.key.caseName});
      model != models.end())
    for (const std::string &op : model->second)
      raise(ops[op], seen);
  for (size_t i = 0; i < path.names.size() && ran.count(path.names[i]); ++i) {
    raise(bubbles[path.identities[i]], seen);
    if (i > 0)
      raise(edges[path.identities[i - 1] + "\n" + path.identities[i]], seen);
  }
}

bool Coverage::addRun(const SavedRun &run) {
  bool isKnown = false;
  for (const SavedResult &result : run.results) {
    auto path = paths.find({run.manifest, result.key.pipeline});
    if (path == paths.end())
      continue;
    isKnown = true;
    addResult(run, result, path->second);
  }
  return isKnown;
}

Coverage::Kinds Coverage::kinds() const {
  Kinds kinds;
  for (auto [name, items] :
       {std::pair("bubbles", &bubbles), std::pair("edges", &edges),
        std::pair("ops", &ops), std::pair("targets", &targets)}) {
    std::vector<CoverItem> list;
    for (const auto &[identity, item] : *items)
      list.push_back(item);
    llvm::stable_sort(list, [](const CoverItem &left, const CoverItem &right) {
      return left.name < right.name;
    });
    kinds.emplace_back(name, std::move(list));
  }
  return kinds;
}

void lh::printCoverage(const Coverage &coverage, llvm::raw_ostream &stream) {
  for (const auto &[kind, items] : coverage.kinds()) {
    auto count = [&, &list = items](Seen seen) {
      return llvm::count_if(
          list, [&](const CoverItem &item) { return item.seen >= seen; });
    };
    stream << kind << ": " << count(Seen::Passed) << " of " << items.size()
           << " passed, " << count(Seen::Ran) << " ran\n";
    for (const CoverItem &item : items)
      if (item.seen != Seen::Passed)
        stream << (item.seen == Seen::Never ? "  never ran: "
                                            : "  never passed: ")
               << oneLine(item.name) << " ("
               << oneLine(llvm::join(item.manifests, ", ")) << ")\n";
  }
}

std::string lh::coverageJson(const Coverage &coverage) {
  Json json = {{"bubbles", {}}, {"edges", {}}, {"ops", {}}, {"schema", 1}};
  for (const auto &[kind, items] : coverage.kinds()) {
    Json array = Json::array();
    for (const CoverItem &item : items)
      array.push_back({{"manifests", item.manifests},
                       {"name", item.name},
                       {"seen", seenName(item.seen).str()}});
    json[kind] = std::move(array);
  }
  return printJson(json);
}
