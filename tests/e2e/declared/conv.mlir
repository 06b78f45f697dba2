// Sizes are multiples of the output tile, as upstream's Winograd wants.
func.func @main(%image: tensor<2x14x14x16xf32>, %filter: tensor<8x3x3x16xf32>)
    -> tensor<2x12x12x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x12x12x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x12x12x8xf32>)
      -> tensor<2x12x12x8xf32>
  %result = linalg.conv_2d_nhwc_fhwc
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%image, %filter : tensor<2x14x14x16xf32>, tensor<8x3x3x16xf32>)
      outs(%init : tensor<2x12x12x8xf32>) -> tensor<2x12x12x8xf32>
  return %result : tensor<2x12x12x8xf32>
}
