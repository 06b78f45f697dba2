// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ways to give names values.
#ifndef LH_CORE_MANIFEST_COMBINATIONS_H
#define LH_CORE_MANIFEST_COMBINATIONS_H

#include "core/manifest/Manifest.h"

namespace lh {

using Combination = std::map<std::string, Value>;

/// A name and the values that it may have, in order.
struct NamedChoices {
  std::string name;
  std::vector<Value> values;
};

/// `fixed` with each combination of the dimensions' values, the last
/// dimension's changing fastest; nothing where one has no value.
inline std::vector<Combination>
combinationsOf(ArrayRef<NamedChoices> dimensions,
               const Combination &fixed = {}) {
  std::vector<Combination> all = {fixed};
  for (const NamedChoices &dimension : dimensions) {
    std::vector<Combination> longer;
    for (const Combination &each : all)
      for (const Value &value : dimension.values) {
        longer.push_back(each);
        longer.back()[dimension.name] = value;
      }
    all = std::move(longer);
  }
  return all;
}

} // namespace lh

#endif // LH_CORE_MANIFEST_COMBINATIONS_H
