// Half as many columns, twice as many filters.
// CHECK: vector.contract
func.func @main(%x: tensor<2x5x9x16xf32>, %w: tensor<13x5x3x3xf32>) -> tensor<2x13x7x14xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x13x7x14xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x13x7x14xf32>)
      -> tensor<2x13x7x14xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>,
      strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<2x5x9x16xf32>, tensor<13x5x3x3xf32>)
      outs(%start : tensor<2x13x7x14xf32>) -> tensor<2x13x7x14xf32>
  return %0 : tensor<2x13x7x14xf32>
}
