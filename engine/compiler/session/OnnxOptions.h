// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan's import of an ONNX model in the importer's terms.
#ifndef LH_COMPILER_SESSION_ONNXOPTIONS_H
#define LH_COMPILER_SESSION_ONNXOPTIONS_H

#include "compiler/ingress/onnx/OnnxImporter.h"
#include "core/plan/Plan.h"

namespace lh {

/// The import of the model at `path`, with the shapes that the case gives.
inline OnnxImportOptions onnxOptions(const ImportAction &action,
                                     const std::string &path) {
  OnnxImportOptions options;
  options.path = path;
  if (!action.bindShapes)
    return options;
  options.bindShapes.emplace();
  for (const InputShape &input : *action.bindShapes) {
    BoundShape &bound = options.bindShapes->emplace_back();
    bound.name = input.name;
    bound.shape = input.shape;
    bound.values = input.values;
    if (input.list)
      bound.list = BoundList{input.list->elements, input.list->hasValue};
  }
  return options;
}

} // namespace lh

#endif // LH_COMPILER_SESSION_ONNXOPTIONS_H
