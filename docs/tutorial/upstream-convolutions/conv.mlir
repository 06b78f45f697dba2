// 64 filters of 3 x 3 over an image of 64 channels, 58 x 58.
func.func @convolution(%image: tensor<1x64x58x58xf32>, %filters: tensor<64x64x3x3xf32>)
    -> tensor<1x64x56x56xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x64x56x56xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x64x56x56xf32>)
      -> tensor<1x64x56x56xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%image, %filters : tensor<1x64x58x58xf32>, tensor<64x64x3x3xf32>)
      outs(%start : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  return %y : tensor<1x64x56x56xf32>
}
