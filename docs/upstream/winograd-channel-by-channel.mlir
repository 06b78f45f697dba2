// Kind: slow code
// Fault: `transform.structured.decompose_winograd_op` makes two products of 6 x 6 matrices for each tile of the image and each channel by itself, reading one channel at a stride. Channels, which are contiguous, aren't vectorized.
// Expected: the same sums over vectors of channels: the transform's matrix is mostly 0, 1 and -1.
// Ours: `lh-multiply-windows`, `lh-lower-windows`
// Change: `inputTransform` (and `filterTransform`, `outputTransform`) in `mlir/lib/Dialect/Linalg/Transforms/WinogradConv2D.cpp` build loops over tiles, images and channels around `linalg.matmul`. Leave the channels out of the loops and make a `linalg.generic` over them whose body adds the rows that the matrix names; vectorization then takes the channels.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @conv
  // CHECK-COUNT-4: scf.for
  //       CHECK:   tensor.extract_slice {{.*}} [1, 6, 6, 1] [1, 1, 1, 1] : tensor<1x18x18x32xf32> to tensor<6x6xf32>
  // CHECK-COUNT-2: linalg.matmul {{.*}} -> tensor<6x6xf32>
  func.func @conv(%x: tensor<1x18x18x32xf32>, %w: tensor<32x3x3x32xf32>, %o: tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32> {
    %r = linalg.conv_2d_nhwc_fhwc ins(%x, %w : tensor<1x18x18x32xf32>, tensor<32x3x3x32xf32>) outs(%o : tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32>
    return %r : tensor<1x16x16x32xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %conv = transform.structured.match ops{["linalg.conv_2d_nhwc_fhwc"]} in %root : (!transform.any_op) -> !transform.any_op
    // F(4x4, 3x3).
    %winograd = transform.structured.winograd_conv2d %conv {fmr = 1 : i32} : (!transform.any_op) -> !transform.any_op
    %input = transform.structured.match ops{["linalg.winograd_input_transform"]} in %root : (!transform.any_op) -> !transform.any_op
    %loops = transform.structured.decompose_winograd_op %input : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
