// A scan: a while loop that counts, reads a slice, and writes one.
module @jit_recurrent {
  func.func public @main(%arg0: tensor<4x2x5xf32>, %arg1: tensor<5x3xf32>, %arg2: tensor<3x3xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %h = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %all = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:6 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1, %iterArg_1 = %arg2, %iterArg_2 = %c, %iterArg_3 = %h, %iterArg_4 = %all) : tensor<4x2x5xf32>, tensor<5x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<2x3xf32>, tensor<4x2x3xf32>
    cond {
      %c_5 = stablehlo.constant dense<4> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_2, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.dynamic_slice %iterArg, %iterArg_2, %c_5, %c_5, sizes = [1, 2, 5] : (tensor<4x2x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x5xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x2x5xf32>) -> tensor<2x5xf32>
      %3 = stablehlo.dot_general %2, %iterArg_0, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
      %4 = stablehlo.dot_general %iterArg_3, %iterArg_1, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
      %5 = stablehlo.add %3, %4 : tensor<2x3xf32>
      %6 = stablehlo.tanh %5 : tensor<2x3xf32>
      %7 = stablehlo.reshape %6 : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
      %8 = stablehlo.dynamic_update_slice %iterArg_4, %7, %iterArg_2, %c_5, %c_5 : (tensor<4x2x3xf32>, tensor<1x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x2x3xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %9 = stablehlo.add %iterArg_2, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_0, %iterArg_1, %9, %6, %8 : tensor<4x2x5xf32>, tensor<5x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<2x3xf32>, tensor<4x2x3xf32>
    }
    return %0#4, %0#5 : tensor<2x3xf32>, tensor<4x2x3xf32>
  }
}
