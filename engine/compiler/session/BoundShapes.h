// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan binds a model's inputs to, in the importers' terms.
#ifndef LH_COMPILER_SESSION_BOUNDSHAPES_H
#define LH_COMPILER_SESSION_BOUNDSHAPES_H

#include "compiler/ingress/emit/BoundShape.h"
#include "core/plan/Plan.h"

namespace lh {

/// The shapes that the case gives.
inline std::optional<BoundShapes> boundShapes(const ImportAction &action) {
  if (!action.bindShapes)
    return std::nullopt;
  BoundShapes shapes;
  for (const InputShape &input : *action.bindShapes) {
    BoundShape &bound = shapes.emplace_back();
    bound.name = input.name;
    bound.shape = input.shape;
    bound.values = input.values;
    if (input.list)
      bound.list = BoundList{input.list->elements, input.list->hasValue};
  }
  return shapes;
}

} // namespace lh

#endif // LH_COMPILER_SESSION_BOUNDSHAPES_H
