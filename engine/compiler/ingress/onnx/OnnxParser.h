// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages of the ONNX file format.
#ifndef LH_COMPILER_INGRESS_ONNX_ONNXPARSER_H
#define LH_COMPILER_INGRESS_ONNX_ONNXPARSER_H

#include "compiler/ingress/onnx/OnnxModel.h"

namespace lh {

/// Fills everything of `model` but its file from a ModelProto. False when the
/// bytes are malformed or nest subgraphs too deeply.
bool parseOnnxModel(std::string_view bytes, OnnxModel &model);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_ONNXPARSER_H
