// Kind: refusal
// Fault: The windows that `convert_conv2d_to_img2col` makes of an image can't be vectorized, not even a tile of them that lies within one row of the image: their gather indexes the image by quotients and remainders.
// Expected: A tile of 8 channels of one window read as a vector of 8.
// Ours: `lh-multiply-windows`, `lh-lower-windows`
// Change: `rewriteInIm2Col` in `mlir/lib/Dialect/Linalg/Transforms/ConvertConv2DToImg2Col.cpp` makes a copy (`linalg.generic`) whose input map has quotients and remainders, and the vectorizer takes projected permutations alone. Make windows with the window's own dimensions instead (image, output row, output column, filter row, filter column, channel; all maps linear) and a `tensor.collapse_shape` behind them: tiling and vectorization then see contiguous channels.
// Upstream: No report known
//
// RUN: not mlir-opt %s -transform-interpreter 2>&1 | FileCheck %s

module attributes {transform.with_named_sequence} {
  func.func @conv(%x: tensor<1x16x16x8xf32>, %w: tensor<3x3x8x32xf32>, %o: tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32> {
    // CHECK: error: Attempted to vectorize, but failed
    %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x16x16x8xf32>, tensor<3x3x8x32xf32>) outs(%o : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
    return %r : tensor<1x14x14x32xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %conv = transform.structured.match ops{["linalg.conv_2d_nhwc_hwcf"]} in %root : (!transform.any_op) -> !transform.any_op
    %windows, %product = transform.structured.convert_conv2d_to_img2col %conv : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %tile, %loops:3 = transform.structured.tile_using_for %windows tile_sizes [1, 1, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.vectorize %tile {vectorize_nd_extract} : !transform.any_op
    transform.yield
  }
}
