// Kind: wrong code
// Fault: `transform.structured.pad_tiling_interface` pads an image by -1 where the last window of a convolution doesn't reach its end: it computes the size that the padded op reads, and takes the image's own size from it. The `tensor.pad` is valid by its verifier; what lowers it makes a slice that is out of bounds.
// Expected: No padding, or a `tensor.extract_slice`, along a dimension that the op reads less of than there is.
// Ours: `lib:upstream/pack-channels` leaves channels that fill no blocks alone; other schedules pad convolutions that move by one
// Change: In `mlir/lib/Dialect/Linalg/Transforms/PadTilingInterface.cpp`, `padOperand` subtracts the operand's size from the padded size; where the difference is negative, take a slice first, or leave the operand's size as it is.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter -canonicalize | FileCheck %s
// CHECK: tensor.pad {{.*}} high[0, 4, -1, -1]

func.func @main(%x: tensor<1x4x10x10xf32>, %w: tensor<4x3x3xf32>, %o: tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> {
  %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x4x10x10xf32>, tensor<4x3x3xf32>) outs(%o : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %conv = transform.structured.match ops{["linalg.depthwise_conv_2d_nchw_chw"]} in %root : (!transform.any_op) -> !transform.any_op
    %padded, %pads = transform.structured.pad_tiling_interface %conv to padding_sizes [0, 0, 0, 8] pad_to_multiple_of
        {padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32]} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
