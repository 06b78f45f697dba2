// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shapes that a case gives a model's inputs.
#ifndef LH_COMPILER_INGRESS_EMIT_BOUNDSHAPE_H
#define LH_COMPILER_INGRESS_EMIT_BOUNDSHAPE_H

#include "core/support/Diagnostic.h"

#include <optional>
#include <string>
#include <vector>

namespace lh {

/// The shapes of a sequence's elements, or of what an optional holds.
struct BoundList {
  std::vector<std::vector<int64_t>> elements;
  bool hasValue = false; ///< false for an optional without one
};

/// The shape one input is given; without a name it binds by position. A name
/// such as "x[1]" is that of an element of the sequence "x".
struct BoundShape {
  std::string name;
  std::vector<int64_t> shape;
  std::optional<BoundList> list = {}; ///< in place of `shape`
  std::vector<int64_t> values = {};   ///< of few integers or bools, where known
};

using BoundShapes = std::vector<BoundShape>;

/// What is bound to the input `name` at `position`; null where nothing is.
inline const BoundShape *boundTo(const std::optional<BoundShapes> &shapes,
                                 StringRef name, size_t position) {
  if (!shapes)
    return nullptr;
  for (const BoundShape &bound : *shapes)
    if (!bound.name.empty() && bound.name == name)
      return &bound;
  bool isNameless =
      position < shapes->size() && (*shapes)[position].name.empty();
  return isNameless ? &(*shapes)[position] : nullptr;
}

} // namespace lh

#endif // LH_COMPILER_INGRESS_EMIT_BOUNDSHAPE_H
