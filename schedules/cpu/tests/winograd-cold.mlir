// An image of 5 x 4 with filters that, transformed, fit no second-level cache
// stays as it is.
// CHECK-LABEL: func.func @main
// CHECK-NOT:   linalg.winograd
func.func @main(%x: tensor<1x128x7x6xf32>, %w: tensor<64x128x3x3xf32>)
    -> tensor<1x64x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<1x64x5x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<1x64x5x4xf32>)
      -> tensor<1x64x5x4xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x128x7x6xf32>, tensor<64x128x3x3xf32>)
      outs(%init : tensor<1x64x5x4xf32>) -> tensor<1x64x5x4xf32>
  return %y : tensor<1x64x5x4xf32>
}
