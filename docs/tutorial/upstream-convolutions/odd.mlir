// Sizes that no tile divides, a batch of two.
func.func @convolution(%image: tensor<2x5x13x41xf32>, %filters: tensor<7x5x3x3xf32>)
    -> tensor<2x7x11x39xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x7x11x39xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x7x11x39xf32>)
      -> tensor<2x7x11x39xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%image, %filters : tensor<2x5x13x41xf32>, tensor<7x5x3x3xf32>)
      outs(%start : tensor<2x7x11x39xf32>) -> tensor<2x7x11x39xf32>
  return %y : tensor<2x7x11x39xf32>
}
