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

// -----

func.func @places() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %z = stablehlo.constant dense<9> : tensor<i32>
  %padded = stablehlo.pad %x, %z, low = [0, -1], high = [1, 0], interior = [1, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<4x4xi32>
  check.expect_eq_const %padded, dense<[[9, 2, 9, 3], [9, 9, 9, 9], [9, 5, 9, 6], [9, 9, 9, 9]]> : tensor<4x4xi32>
  %at = stablehlo.constant dense<[[1, 2], [0, 7]]> : tensor<2x2xi32>
  %picked = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %picked, dense<[6, 3]> : tensor<2xi32>
  %new = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %scattered = "stablehlo.scatter"(%x, %at, %new) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<i32>, %update: tensor<i32>):
    %sum = stablehlo.add %old, %update : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %scattered, dense<[[1, 2, 3], [4, 5, 16]]> : tensor<2x3xi32>
  %sorted = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %after = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %after : tensor<i1>
  }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %sorted, dense<[[3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @bits() {
  %x = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>
  %q = "stablehlo.uniform_quantize"(%x) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5:-3,0.25:7}>>
  %stored = "stablehlo.bitcast_convert"(%q) : (tensor<2x!quant.uniform<i8:f32:0, {0.5:-3,0.25:7}>>) -> tensor<2xi8>
  check.expect_eq_const %stored, dense<[5, 67]> : tensor<2xi8>
  %again = "stablehlo.bitcast_convert"(%stored) : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5:-3,0.25:7}>>
  %y = "stablehlo.uniform_dequantize"(%again) : (tensor<2x!quant.uniform<i8:f32:0, {0.5:-3,0.25:7}>>) -> tensor<2xf32>
  %inner = stablehlo.tuple %y : tuple<tensor<2xf32>>
  %pair = stablehlo.tuple %stored, %inner : tuple<tensor<2xi8>, tuple<tensor<2xf32>>>
  %second = stablehlo.get_tuple_element %pair[1] : (tuple<tensor<2xi8>, tuple<tensor<2xf32>>>) -> tuple<tensor<2xf32>>
  %z = stablehlo.get_tuple_element %second[0] : (tuple<tensor<2xf32>>) -> tensor<2xf32>
  check.expect_almost_eq_const %z, dense<[4.0, 15.0]> : tensor<2xf32>
  func.return
}
