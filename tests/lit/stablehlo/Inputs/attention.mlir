// Heads as a batch between two others; softmax by its parts.
module @jit_attention {
  func.func public @main(%arg0: tensor<2x6x3x8xf32>, %arg1: tensor<2x7x3x8xf32>, %arg2: tensor<2x7x3x8xf32>) -> tensor<2x6x3x8xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x6x3x8xf32>, tensor<2x7x3x8xf32>) -> tensor<2x3x6x7xf32>
    %cst = stablehlo.constant dense<0.353553385> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x6x7xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<2x3x6x7xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %low) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x6x7xf32>, tensor<f32>) -> tensor<2x3x6xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x3x6xf32>) -> tensor<2x3x6x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2, 3] : (tensor<2x3x6x1xf32>) -> tensor<2x3x6x7xf32>
    %6 = stablehlo.subtract %2, %5 : tensor<2x3x6x7xf32>
    %7 = stablehlo.exponential %6 : tensor<2x3x6x7xf32>
    %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x6x7xf32>, tensor<f32>) -> tensor<2x3x6xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<2x3x6xf32>) -> tensor<2x3x6x7xf32>
    %10 = stablehlo.divide %7, %9 : tensor<2x3x6x7xf32>
    %11 = stablehlo.dot_general %10, %arg2, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x6x7xf32>, tensor<2x7x3x8xf32>) -> tensor<2x3x6x8xf32>
    %12 = stablehlo.transpose %11, dims = [0, 2, 1, 3] : (tensor<2x3x6x8xf32>) -> tensor<2x6x3x8xf32>
    return %12 : tensor<2x6x3x8xf32>
  }
}
