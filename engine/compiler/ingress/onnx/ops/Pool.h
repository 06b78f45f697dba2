// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pools share: their window on an input.
#ifndef LH_COMPILER_INGRESS_ONNX_OPS_POOL_H
#define LH_COMPILER_INGRESS_ONNX_OPS_POOL_H

#include "compiler/ingress/onnx/ops/Window.h"

namespace lh {

/// A pool's window, padding and result, worked out.
struct Pool {
  Window window;
  Padding padding;  ///< as the attributes say
  Padding extended; ///< with what ceil_mode adds at the high end
  Sizes sizes;      ///< of the result
};

/// The window that a pool's attributes describe.
FailureOr<Window> poolWindow(NodeContext &node);

/// Reads the attributes of a pool over input 0; fails where they don't fit.
FailureOr<Pool> readPool(NodeContext &node);

/// All dimensions but batch and channels; fails when there are none.
FailureOr<llvm::SmallVector<bool>> spatialAxes(NodeContext &node);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_POOL_H
