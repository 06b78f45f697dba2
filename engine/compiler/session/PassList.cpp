// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass string as a list of passes, parts of which can be left out.
#include "compiler/session/PassList.h"

using namespace lh;

static size_t countPasses(ArrayRef<PassElement> elements) {
  size_t count = 0;
  for (const PassElement &element : elements)
    count += element.isAnchor ? countPasses(element.nested) : 1;
  return count;
}

PassList::PassList(StringRef text) {
  CollectingSink ignored;
  auto parsed = parsePassText(text, PassStringPlace(text, {}), ignored);
  if (succeeded(parsed))
    elements = std::move(*parsed);
  count = countPasses(elements);
}

/// Counts passes through `next` as it goes.
static std::vector<PassElement> filtered(ArrayRef<PassElement> elements,
                                         ArrayRef<bool> keep, size_t &next) {
  std::vector<PassElement> kept;
  for (const PassElement &element : elements) {
    if (!element.isAnchor) {
      if (keep[next++])
        kept.push_back(element);
      continue;
    }
    PassElement anchor = element;
    anchor.nested = filtered(element.nested, keep, next);
    if (!anchor.nested.empty())
      kept.push_back(std::move(anchor));
  }
  return kept;
}

std::string PassList::with(ArrayRef<bool> keep) const {
  size_t next = 0;
  return printPassText(filtered(elements, keep, next));
}

std::string PassList::range(size_t first, size_t last) const {
  llvm::SmallVector<bool> keep(count, false);
  for (size_t i = first; i < last && i < count; ++i)
    keep[i] = true;
  return with(keep);
}
