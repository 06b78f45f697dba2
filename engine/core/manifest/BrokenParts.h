// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a file has errors, for the stages that go on with the rest of it.
#ifndef LH_CORE_MANIFEST_BROKENPARTS_H
#define LH_CORE_MANIFEST_BROKENPARTS_H

#include <set>
#include <string>

namespace lh {

/// Of the things of one kind that a file declares.
struct BrokenPart {
  /// Those with errors, which were reported.
  std::set<std::string> names;
  /// There may be more of them than were read: a key or an entry was refused.
  bool lacksSome = false;

  bool any() const { return lacksSome || !names.empty(); }
};

/// Whoever refers to a broken part, or to one that may be lacking, has no
/// error for that: one mistake is told once.
struct BrokenParts {
  BrokenPart params, lets, targets, bubbles, edges, pipelines, cases;
};

} // namespace lh

#endif // LH_CORE_MANIFEST_BROKENPARTS_H
