// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of functions/, put into the program by CMake.
#ifndef LH_COMPILER_INGRESS_ONNX_FUNCTIONS_FUNCTIONS_H
#define LH_COMPILER_INGRESS_ONNX_FUNCTIONS_FUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace lh::assets {

extern const llvm::StringRef onnxFunctions; ///< all of them, one after another

} // namespace lh::assets

#endif // LH_COMPILER_INGRESS_ONNX_FUNCTIONS_FUNCTIONS_H
