// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which topic a gap is of.
#include "compiler/gaps/Gaps.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

llvm::StringRef lh::topicOfGap(llvm::StringRef name) {
  if (name.starts_with("transform.lh."))
    return "transform";
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> topics[] = {
#include "compiler/gaps/Topics.inc"
  };
  const auto *found = llvm::find_if(
      topics, [&](const auto &entry) { return entry.first == name; });
  return found == std::end(topics) ? "" : found->second;
}
