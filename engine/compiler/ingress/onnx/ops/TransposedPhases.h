// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed convolutions as convolutions.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_TRANSPOSEDPHASES_H
#define LH_COMPILER_INGRESS_ONNX_OPS_TRANSPOSEDPHASES_H

#include "compiler/ingress/onnx/ops/Convolution.h"

namespace lh {

/// A transposed convolution; where a number isn't known, kDynamic.
struct Transposition {
  Window window;
  int64_t groups = 1;
  std::vector<int64_t> sizes; ///< of the result, per spatial dimension
  std::vector<int64_t> cuts;  ///< off the start of all sums there
};

/// Whether sizes are known, and no dimension has a stride and a dilation.
bool convolvesPhases(const Transposition &conv, mlir::Value input);

/// Input 0 of the node transposed by input 1, plus `bias`, which may be null.
/// Of results at a stride, each phase sees every so many taps of the window
/// alone: all phases are the filters of one convolution of stride 1, and its
/// results' channels become pixels.
mlir::Value convolvePhases(NodeContext &node, const Transposition &conv,
                           mlir::Value bias);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_TRANSPOSEDPHASES_H
