// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts of the targets that a manifest declares, side by side.
#ifndef LH_CORE_GRAPH_TARGETFACTS_H
#define LH_CORE_GRAPH_TARGETFACTS_H

#include "core/manifest/Manifest.h"

namespace lh {

/// Targets are known by their index.
class TargetFacts {
public:
  explicit TargetFacts(ArrayRef<TargetSpec> targets);

  size_t size() const { return values.size(); }
  const std::map<std::string, Value> &facts(size_t target) const {
    return values[target];
  }

  StringRef name(size_t target) const { return names[target]; }

  /// Those of `targets` that lack `fact`, as `'a' and 'b'`; empty if none.
  std::string without(StringRef fact, ArrayRef<size_t> targets) const;
  /// A "did you mean" among the facts of those that lack it.
  std::string suggestion(StringRef fact, ArrayRef<size_t> targets) const;

private:
  std::vector<std::map<std::string, Value>> values;
  std::vector<std::string> names;
};

} // namespace lh

#endif // LH_CORE_GRAPH_TARGETFACTS_H
