// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of drawn inputs whose model leaves dimensions open.
#ifndef LH_RUNTIME_ABI_OPENSIZES_H
#define LH_RUNTIME_ABI_OPENSIZES_H

#include "runtime/abi/EntryAbi.h"

#include <map>

namespace lh {

/// What a dimension's name says it is: `past + sequence`, as exporters write
/// it. Integers, names, + - * / and parentheses; quotients are rounded down.
/// None where it isn't such an expression, or names a size that isn't known.
std::optional<int64_t>
evaluateSize(StringRef expression, const std::map<std::string, int64_t> &known);

/// Sizes for open dimensions that the case doesn't give one by one: equal names
/// have equal sizes, and names that are sums or products of others follow them.
class OpenSizes {
public:
  /// `open`: the first dimension's size, the second's, ..., and so on as the
  /// last one; none where open dimensions have no size.
  explicit OpenSizes(std::vector<int64_t> open) : open(std::move(open)) {}

  bool areKnown() const { return !open.empty(); }
  /// The names' sizes as this input has them.
  void learn(const TensorSignature &input, ArrayRef<int64_t> shape);
  /// Gives the names of this input sizes that aren't expressions.
  void nameSizes(const TensorSignature &input);
  /// The shape of the input, after all inputs' names have sizes.
  std::vector<int64_t> close(const TensorSignature &input);

private:
  int64_t sizeOf(size_t dimension) const {
    return open[std::min(dimension, open.size() - 1)];
  }

  std::vector<int64_t> open;
  std::map<std::string, int64_t> byName;
};

} // namespace lh

#endif // LH_RUNTIME_ABI_OPENSIZES_H
