// Two parts, as StableHLO's own tests are written.
func.func @shift() {
  %x = stablehlo.constant dense<[-8, 5, 1]> : tensor<3xi8>
  %n = stablehlo.constant dense<[1, 9, 2]> : tensor<3xi8>
  %left = stablehlo.shift_left %x, %n : tensor<3xi8>
  check.expect_eq_const %left, dense<[-16, 0, 4]> : tensor<3xi8>
  %right = stablehlo.shift_right_arithmetic %x, %n : tensor<3xi8>
  check.expect_eq_const %right, dense<[-4, 0, 0]> : tensor<3xi8>
  func.return
}

// -----

module @jit_main {
  func.func public @main() -> tensor<3xf32> {
    %0 = call @inputs() : () -> tensor<2x3xf32>
    %1 = call @expected() : () -> tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %cst) across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %3 = stablehlo.add %a, %b : tensor<f32>
      %4 = stablehlo.abs %3 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }
    stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    return %2 : tensor<3xf32>
  }
  func.func private @inputs() -> tensor<2x3xf32> {
    %cst = stablehlo.constant dense<[[1.0, -2.0, 3.5], [-4.0, 0.5, 1.0]]> : tensor<2x3xf32>
    return %cst : tensor<2x3xf32>
  }
  func.func private @expected() -> tensor<3xf32> {
    %cst = stablehlo.constant dense<[3.0, 2.5, 4.5]> : tensor<3xf32>
    return %cst : tensor<3xf32>
  }
}
