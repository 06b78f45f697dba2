// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pools share: their window on an input, and loops over it.
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

/// Loops (n, c, position..., inside window...) over a padded input, a tensor
/// of the window's shape, and the result.
struct WindowLoops {
  mlir::AffineMap read, kernel, result;
  llvm::SmallVector<bool> reduces;
};

WindowLoops windowLoops(mlir::Builder &b, const Window &window);

/// Combines the elements of each window of a padded input into `init`; the
/// body gets the element and the accumulator.
mlir::Value windowed(NodeContext &node, mlir::Value padded, mlir::Value init,
                     const Window &window, ScalarBody combine);

/// The sum of each window of a padded input.
mlir::Value sumPool(NodeContext &node, mlir::Value padded, const Sizes &sizes,
                    const Window &window);

template <typename Op>
mlir::Value namedPool(Emitter &emit, mlir::Value padded, mlir::Value init,
                      const Window &window) {
  mlir::Value shape = emit.empty(emit.staticSizes(window.kernel),
                                 tensorTypeOf(padded).getElementType());
  mlir::Value result =
      Op::create(emit.builder, emit.loc, mlir::TypeRange{init.getType()},
                 mlir::ValueRange{padded, shape}, mlir::ValueRange{init},
                 emit.builder.getI64TensorAttr(window.strides),
                 emit.builder.getI64TensorAttr(window.dilations))
          .getResult(0);
  return emit.remember(result, emit.sizesOf(init));
}

/// All dimensions but batch and channels; fails when there are none.
FailureOr<llvm::SmallVector<bool>> spatialAxes(NodeContext &node);

} // namespace lh

#endif // LH_COMPILER_INGRESS_ONNX_OPS_POOL_H
