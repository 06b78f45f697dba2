// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Picking names by patterns from the command line.
#ifndef LH_CORE_PLAN_GLOBS_H
#define LH_CORE_PLAN_GLOBS_H

#include "core/support/Diagnostic.h"

namespace lh {

/// A set of glob patterns that knows which of them ever matched.
class Globs {
public:
  /// `patterns` are borrowed. Empty patterns match everything.
  explicit Globs(ArrayRef<std::string> patterns)
      : patterns(patterns), used(patterns.size(), false) {}

  /// Whether a pattern matches one of `names` (all names of one thing).
  bool match(ArrayRef<StringRef> names);

  /// Whether a pattern could match `folder` or some name "folder/...".
  bool mayMatchUnder(StringRef folder) const;

  /// One error for each pattern that matched nothing, with the nearest of
  /// `candidates`; `what` is 'pipeline', 'case', ...
  LogicalResult reportUnused(DiagKind kind, StringRef what,
                             ArrayRef<StringRef> candidates,
                             DiagnosticSink &sink) const;

private:
  ArrayRef<std::string> patterns;
  std::vector<bool> used;
};

} // namespace lh

#endif // LH_CORE_PLAN_GLOBS_H
