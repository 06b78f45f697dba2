// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts of the targets that a manifest declares, side by side.
#include "core/graph/TargetFacts.h"

#include "core/graph/Evaluate.h"

#include "llvm/ADT/StringExtras.h"

using namespace lh;

TargetFacts::TargetFacts(ArrayRef<TargetSpec> targets) {
  for (const TargetSpec &target : targets) {
    values.push_back(factValues(target));
    names.push_back(target.name);
  }
}

std::string TargetFacts::without(StringRef fact,
                                 ArrayRef<size_t> targets) const {
  std::vector<std::string> missing;
  for (size_t target : targets)
    if (!values[target].count(fact.str()))
      missing.push_back(("'" + Twine(names[target]) + "'").str());
  return llvm::join(missing, " and ");
}

std::string TargetFacts::suggestion(StringRef fact,
                                    ArrayRef<size_t> targets) const {
  std::set<StringRef> known;
  for (size_t target : targets)
    if (!values[target].count(fact.str()))
      for (const auto &[name, value] : values[target])
        known.insert(name);
  return didYouMean(fact, std::vector<StringRef>(known.begin(), known.end()));
}
