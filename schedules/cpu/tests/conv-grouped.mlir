// Three groups of 17 filters, more than half a panel: a product for each.
// CHECK-LABEL: func.func @main
// CHECK:       lh.windows = #dlti.map<"images" = 2 : i64, "height" = 7 : i64, "width" = 5 : i64, "window_rows" = 3 : i64, "window_columns" = 3 : i64, "channels" = 5 : i64
// CHECK-SAME:  "groups" = 3 : i64>
// CHECK:       linalg.batch_matmul {{.*}} tensor<3x70x45xf32>, tensor<3x45x17xf32>
// CHECK-NOT:   linalg.conv
func.func @main(%x: tensor<2x15x7x5xf32>, %w: tensor<3x17x5x3x3xf32>)
    -> tensor<2x51x7x5xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x15x7x5xf32> to tensor<2x15x9x7xf32>
  %groups = tensor.expand_shape %padded [[0], [1, 2], [3], [4]]
      output_shape [2, 3, 5, 9, 7]
      : tensor<2x15x9x7xf32> into tensor<2x3x5x9x7xf32>
  %out = tensor.empty() : tensor<2x3x17x7x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<2x3x17x7x5xf32>)
      -> tensor<2x3x17x7x5xf32>
  %sums = linalg.conv_2d_ngchw_gfchw
      ins(%groups, %w : tensor<2x3x5x9x7xf32>, tensor<3x17x5x3x3xf32>)
      outs(%init : tensor<2x3x17x7x5xf32>) -> tensor<2x3x17x7x5xf32>
  %y = tensor.collapse_shape %sums [[0], [1, 2], [3], [4]]
      : tensor<2x3x17x7x5xf32> into tensor<2x51x7x5xf32>
  return %y : tensor<2x51x7x5xf32>
}
