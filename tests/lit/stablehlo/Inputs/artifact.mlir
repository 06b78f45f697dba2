func.func @main(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  %w = stablehlo.constant dense<[[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5], [1.0, -2.0]]> : tensor<4x2xf32>
  %b = stablehlo.constant dense<[0.125, -0.5]> : tensor<2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<3x2xf32>
  %3 = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
  %4 = stablehlo.compare GE, %2, %3, FLOAT : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi1>
  %5 = stablehlo.select %4, %2, %3 : tensor<3x2xi1>, tensor<3x2xf32>
  %6 = stablehlo.reduce(%5 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>
  %7 = call @twice(%6) : (tensor<3xf32>) -> tensor<3xf32>
  return %7 : tensor<3xf32>
}
func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
