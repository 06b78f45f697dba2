// Two layers as JAX prints them: relu is a function of its own.
module @jit_mlp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x17xf32> loc("x"), %arg1: tensor<17x13xf32> loc("w1"), %arg2: tensor<13xf32> loc("b1"), %arg3: tensor<13x7xf32> loc("w2")) -> (tensor<5x7xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x17xf32>, tensor<17x13xf32>) -> tensor<5x13xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<13xf32>) -> tensor<1x13xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x13xf32>) -> tensor<5x13xf32>
    %3 = stablehlo.add %0, %2 : tensor<5x13xf32>
    %4 = call @relu(%3) : (tensor<5x13xf32>) -> tensor<5x13xf32>
    %5 = stablehlo.dot_general %4, %arg3, contracting_dims = [1] x [0] : (tensor<5x13xf32>, tensor<13x7xf32>) -> tensor<5x7xf32>
    return %5 : tensor<5x7xf32>
  }
  func.func private @relu(%arg0: tensor<5x13xf32>) -> tensor<5x13xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x13xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<5x13xf32>
    return %1 : tensor<5x13xf32>
  }
}
