// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small pipeline spaces for tests.
#ifndef LH_TESTS_UNIT_MAP_SPACES_H
#define LH_TESTS_UNIT_MAP_SPACES_H

#include "insight/map/SpaceMap.h"

#include "llvm/ADT/StringExtras.h"

namespace lh {

/// A manifest with pipelines like "optimized: a b c". Bubbles of one name do
/// the same in all manifests; "x=y" is called x and does what y does.
inline MapSource sourceOf(const std::string &name,
                          ArrayRef<std::string> pipelines) {
  MapSource source;
  source.manifest = name;
  auto indexOf = [&](StringRef word) {
    auto [called, does] = word.split('=');
    for (size_t i = 0; i < source.bubbles.size(); ++i)
      if (source.bubbles[i].name == called)
        return i;
    MapBubble bubble;
    bubble.name = called.str();
    bubble.identity = (does.empty() ? called : does).str();
    bubble.kind = "passes";
    bubble.summary = "does " + bubble.identity;
    source.bubbles.push_back(bubble);
    return source.bubbles.size() - 1;
  };
  for (StringRef text : pipelines) {
    auto [pipeline, words] = text.split(": ");
    MapPipeline made{pipeline.str(), "", {}};
    llvm::SmallVector<StringRef> parts;
    words.split(parts, ' ');
    for (StringRef word : parts)
      made.path.push_back(indexOf(word));
    source.pipelines.push_back(made);
  }
  return source;
}

/// The names along a member's route, with spaces between.
inline std::string routeOf(const SpaceMap &map, const MapMember &member) {
  std::vector<std::string> names;
  for (size_t node : member.route)
    names.push_back(map.nodes[node].name);
  return llvm::join(names, " ");
}

} // namespace lh

#endif // LH_TESTS_UNIT_MAP_SPACES_H
