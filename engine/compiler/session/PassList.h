// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass string as a list of passes, parts of which can be left out.
#ifndef LH_COMPILER_SESSION_PASSLIST_H
#define LH_COMPILER_SESSION_PASSLIST_H

#include "compiler/session/PassPipelineText.h"

namespace lh {

/// The passes of a pass string, in order, whatever they are nested in.
class PassList {
public:
  /// A string that PassPipeline has accepted; of another nothing is kept.
  explicit PassList(StringRef text);

  size_t size() const { return count; }

  /// The string with the passes for which `keep` holds an entry that is true;
  /// anchors that would be empty go.
  std::string with(ArrayRef<bool> keep) const;

  /// The string with the passes [first, last).
  std::string range(size_t first, size_t last) const;

private:
  std::vector<PassElement> elements;
  size_t count = 0;
};

} // namespace lh

#endif // LH_COMPILER_SESSION_PASSLIST_H
