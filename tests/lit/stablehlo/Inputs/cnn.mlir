// Channels last; a pool whose body is a generic region.
module @jit_cnn {
  func.func public @main(%arg0: tensor<2x9x11x3xf32>, %arg1: tensor<3x3x3x5xf32>, %arg2: tensor<5xf32>) -> tensor<2x5xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x9x11x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x5x5x5xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<5xf32>) -> tensor<2x5x5x5xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x5x5x5xf32>
    %3 = stablehlo.logistic %2 : tensor<2x5x5x5xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = "stablehlo.reduce_window"(%3, %cst) <{padding = dense<[[0, 0], [0, 1], [1, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %8 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<2x5x5x5xf32>, tensor<f32>) -> tensor<2x3x3x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_0) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x3x3x5xf32>, tensor<f32>) -> tensor<2x5xf32>
    %cst_1 = stablehlo.constant dense<9.000000e+00> : tensor<2x5xf32>
    %6 = stablehlo.divide %5, %cst_1 : tensor<2x5xf32>
    return %6 : tensor<2x5xf32>
  }
}
