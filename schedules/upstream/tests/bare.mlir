// Nothing surrounds the image and nothing follows the sums, which others read too; a
// window of one column leaves its loop over rows.
// CHECK: scf.forall
// CHECK-NOT: linalg.depthwise
// CHECK: vector.shuffle
func.func @main(%x: tensor<1x32x9x20xf32>, %w: tensor<32x3x1xf32>) -> (tensor<1x32x7x20xf32>, tensor<1x32x7x20xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x32x7x20xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x32x7x20xf32>)
      -> tensor<1x32x7x20xf32>
  %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>,
      strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x32x9x20xf32>, tensor<32x3x1xf32>)
      outs(%start : tensor<1x32x7x20xf32>) -> tensor<1x32x7x20xf32>
  %1 = linalg.add ins(%0, %0 : tensor<1x32x7x20xf32>, tensor<1x32x7x20xf32>)
      outs(%empty : tensor<1x32x7x20xf32>) -> tensor<1x32x7x20xf32>
  return %0, %1 : tensor<1x32x7x20xf32>, tensor<1x32x7x20xf32>
}
