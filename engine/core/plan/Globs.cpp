// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Picking names by patterns from the command line.
#include "core/plan/Globs.h"

#include "llvm/Support/GlobPattern.h"

#include <tuple>

using namespace lh;

static bool matches(StringRef pattern, StringRef name) {
  if (pattern == name)
    return true;
  llvm::Expected<llvm::GlobPattern> glob =
      llvm::GlobPattern::create(pattern, /*MaxSubPatterns=*/64);
  if (glob)
    return glob->match(name);
  // A malformed pattern matches nothing and is reported as such.
  llvm::consumeError(glob.takeError());
  return false;
}

bool Globs::match(ArrayRef<StringRef> names) {
  bool any = patterns.empty();
  for (size_t i = 0; i < patterns.size(); ++i)
    for (StringRef name : names)
      if (matches(patterns[i], name))
        any = used[i] = true;
  return any;
}

/// Part by part, up to the first that has a wildcard.
static bool mayMatchPart(StringRef pattern, StringRef folder) {
  while (!folder.empty()) {
    StringRef first, wanted;
    std::tie(first, pattern) = pattern.split('/');
    std::tie(wanted, folder) = folder.split('/');
    if (first.find_first_of("*?[{\\") != StringRef::npos)
      return true;
    if (first != wanted)
      return false;
  }
  return true;
}

bool Globs::mayMatchUnder(StringRef folder) const {
  return patterns.empty() || llvm::any_of(patterns, [&](StringRef pattern) {
           return mayMatchPart(pattern, folder);
         });
}

LogicalResult Globs::reportUnused(DiagKind kind, StringRef what,
                                  ArrayRef<StringRef> candidates,
                                  DiagnosticSink &sink) const {
  LogicalResult result = success();
  for (size_t i = 0; i < patterns.size(); ++i)
    if (!used[i])
      result = sink.error(kind, SourceSpan(),
                          "no " + what + " matches '" + patterns[i] + "'" +
                              didYouMean(patterns[i], candidates));
  return result;
}
