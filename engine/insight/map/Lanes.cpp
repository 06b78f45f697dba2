// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which pipelines share a lane, and what it is called.
#include "insight/map/Lanes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace lh;

namespace {
using Members = std::vector<MapMember>;
} // namespace

std::string lh::safeColor(StringRef text) {
  StringRef digits = text;
  if (digits.consume_front("#"))
    return (digits.size() == 3 || digits.size() == 6) &&
                   llvm::all_of(digits, llvm::isHexDigit)
               ? text.str()
               : "";
  return text.size() <= 24 && llvm::all_of(text, llvm::isAlpha) ? text.str()
                                                                : "";
}

/// Members with equal keys, in the order in which the keys are first seen.
template <typename Key>
static std::vector<Members> gather(Members members, Key keyOf) {
  std::vector<Members> result;
  std::map<decltype(keyOf(members.front())), size_t> seen;
  for (MapMember &member : members) {
    auto [entry, isNew] = seen.emplace(keyOf(member), result.size());
    if (isNew)
      result.emplace_back();
    result[entry->second].push_back(std::move(member));
  }
  return result;
}

/// Keeps the largest sets and joins the others to one at the end.
static bool joinSmallest(std::vector<Members> &sets, size_t maximum) {
  if (sets.size() <= maximum)
    return false;
  std::stable_sort(sets.begin(), sets.end(),
                   [](const Members &left, const Members &right) {
                     return left.size() > right.size();
                   });
  Members others;
  for (size_t i = maximum - 1; i < sets.size(); ++i)
    llvm::append_range(others, sets[i]);
  sets.resize(maximum - 1);
  sets.push_back(std::move(others));
  return true;
}

static std::string nameOf(const Members &members) {
  std::vector<std::string> names;
  for (const MapMember &member : members)
    if (!llvm::is_contained(names, member.pipeline))
      names.push_back(member.pipeline);
  if (names.size() <= 2)
    return llvm::join(names, " / ");
  return names.front() + " + " + std::to_string(names.size() - 1);
}

/// The manifest's colour where all members agree on it.
static std::string colorOf(const Members &members,
                           ArrayRef<MapSource> sources) {
  std::string color;
  for (const MapMember &member : members)
    for (const MapPipeline &pipeline : sources[member.source].pipelines) {
      if (pipeline.name != member.pipeline)
        continue;
      if (!color.empty() && color != pipeline.color)
        return "";
      color = pipeline.color;
    }
  return safeColor(color);
}

/// Lanes of one name are told apart by their manifests.
static void qualifyNames(std::vector<MapLane> &lanes,
                         ArrayRef<MapSource> sources) {
  std::map<std::string, unsigned> count;
  for (const MapLane &lane : lanes)
    ++count[lane.name];
  for (MapLane &lane : lanes) {
    if (count[lane.name] < 2)
      continue;
    std::vector<std::string> manifests;
    for (const MapMember &member : lane.members)
      if (!llvm::is_contained(manifests, sources[member.source].manifest))
        manifests.push_back(sources[member.source].manifest);
    std::string manifest = manifests.front();
    if (manifests.size() > 1)
      manifest += " + " + std::to_string(manifests.size() - 1);
    lane.name += " (" + manifest + ")";
  }
}

std::vector<MapLane>
lh::makeLanes(Members pipelines, ArrayRef<MapSource> sources, size_t maximum) {
  Members all = pipelines;
  std::vector<Members> sets =
      gather(std::move(pipelines), [](const auto &one) { return one.route; });
  bool hasOthers = false;
  if (sets.size() > maximum) {
    sets = gather(std::move(all), [](const auto &one) { return one.pipeline; });
    hasOthers = joinSmallest(sets, maximum);
  }
  std::vector<MapLane> lanes;
  for (Members &set : sets) {
    MapLane lane{nameOf(set), colorOf(set, sources), std::move(set)};
    lanes.push_back(std::move(lane));
  }
  if (hasOthers) {
    lanes.back().name = "others";
    lanes.back().isOthers = true;
  }
  qualifyNames(lanes, sources);
  return lanes;
}

std::string lh::paletteColor(const MapLane &lane, size_t index) {
  // map.css has the same ones, and others for dark pages.
  static constexpr const char *colors[] = {"#2c4bbc", "#c4341e", "#008d84",
                                           "#f44cc8", "#bb8e00", "#5e316c"};
  std::string chosen = safeColor(lane.color);
  if (!chosen.empty())
    return chosen;
  return lane.isOthers ? "#7b8794" : colors[index % std::size(colors)];
}
