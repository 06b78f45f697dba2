// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which files an ONNX model takes tensors from.
#ifndef LH_COMPILER_INGRESS_ONNX_MODELFILES_H
#define LH_COMPILER_INGRESS_ONNX_MODELFILES_H

#include <string>
#include <vector>

namespace lh {

/// The files besides `model` that hold tensors of it, sorted; they need not
/// exist. Empty for what is no ONNX model.
std::vector<std::string> externalFilesOf(const std::string &model);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_MODELFILES_H
