// A tile's sums stay in registers over the window.
// CHECK: scf.for {{.*}} -> (vector<{{.*}}xf32>)
// CHECK: arith.mulf
func.func @main(%x: tensor<1x6x12x23xf32>, %w: tensor<6x3x3xf32>) -> tensor<1x6x10x21xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x6x10x21xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x6x10x21xf32>)
      -> tensor<1x6x10x21xf32>
  %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>,
      strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x6x12x23xf32>, tensor<6x3x3xf32>)
      outs(%start : tensor<1x6x10x21xf32>) -> tensor<1x6x10x21xf32>
  return %0 : tensor<1x6x10x21xf32>
}
