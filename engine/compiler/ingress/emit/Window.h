// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sliding windows, as convolutions and pools share them.
#ifndef LH_COMPILER_INGRESS_EMIT_WINDOW_H
#define LH_COMPILER_INGRESS_EMIT_WINDOW_H

#include "compiler/ingress/emit/Emitter.h"

namespace lh {

/// The windows that an op slides over the spatial dimensions of (batch,
/// channels, spatial...).
struct Window {
  enum class AutoPad { None, SameUpper, SameLower, Valid };
  std::vector<int64_t> kernel, strides, dilations, low, high;
  AutoPad autoPad = AutoPad::None;
  bool roundsUp = false; ///< ceil_mode

  size_t rank() const { return kernel.size(); }
  /// What one window spans along dimension `i`.
  int64_t extent(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

/// Padding per spatial dimension, as it is for this input's sizes.
struct Padding {
  Sizes low, high;
};

/// Window positions along dimension `i` of a padded size, rounding down.
mlir::OpFoldResult windowCount(Emitter &emit, mlir::OpFoldResult padded,
                               const Window &window, size_t i);

mlir::Value padSpatially(Emitter &emit, mlir::Value input,
                         const Padding &padding, mlir::Value scalar);

/// Brings the channels of (batch, spatial..., channels) behind the batch.
mlir::Value channelsSecond(Emitter &emit, mlir::Value tensor);
/// The way back.
mlir::Value channelsLast(Emitter &emit, mlir::Value tensor);

/// Where position `k` of a kernel finds the element that it spreads to an
/// output, along one dimension.
struct Source {
  mlir::Value index;   ///< inside the input, whatever `matches` says
  mlir::Value matches; ///< i1: there is such an element
};

/// The element (output + cut - k * dilation) / stride, where that is whole and
/// below `size`.
Source sourceOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value output,
                mlir::Value cut, mlir::Value k, mlir::Value size,
                int64_t stride, int64_t dilation);

/// What is added to each dimension: numbers of elements in front, behind, and
/// between each two. Those in front and behind may be negative, and cut.
struct Margins {
  Sizes low, high, interior;
};

/// `tensor` with `scalar` in all that `margins` add. Margins that cut more than
/// there is are a mistake.
mlir::Value withMargins(Emitter &emit, mlir::Value tensor,
                        const Margins &margins, mlir::Value scalar);

/// Loops (n, c, position..., inside window...) over a padded input, a tensor
/// of the window's shape, and the result.
struct WindowLoops {
  mlir::AffineMap read, kernel, result;
  llvm::SmallVector<bool> reduces;
};

WindowLoops windowLoops(mlir::Builder &b, const Window &window);

/// Combines the elements of each window of a padded input into `init`; the
/// body gets the element and the accumulator.
mlir::Value windowed(Emitter &emit, mlir::Value padded, mlir::Value init,
                     const Window &window, ScalarBody combine);

/// The sum of each window of a padded input.
mlir::Value sumPool(Emitter &emit, mlir::Value padded, const Sizes &sizes,
                    const Window &window, DType dtype);

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

} // namespace lh

#endif // LH_COMPILER_INGRESS_EMIT_WINDOW_H
