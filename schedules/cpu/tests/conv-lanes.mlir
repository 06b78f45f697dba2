// Groups of few filters stay windows, with groups and filters side by side; of two
// images, rows two apart, columns of the window too, and nothing follows.
// CHECK:       affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 + d5 * 2, (d3 floordiv 3) * 2 + d6)>
// CHECK-LABEL: func.func @main
// CHECK-NOT:   linalg.batch_matmul
// CHECK:       lh.choice = #dlti.map<"strategy" = "lanes", "rule" = "few_filters", "strip" = {{6|3|15}} : i64>
// CHECK:       tensor<2x4x7x33xf64>
// CHECK-NOT:   linalg.batch_matmul
func.func @main(%x: tensor<2x22x7x9xf64>, %w: tensor<11x3x2x3x3xf64>)
    -> tensor<2x33x4x7xf64> {
  %zero = arith.constant 0.0 : f64
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f64
  } : tensor<2x22x7x9xf64> to tensor<2x22x9x11xf64>
  %groups = tensor.expand_shape %padded [[0], [1, 2], [3], [4]]
      output_shape [2, 11, 2, 9, 11]
      : tensor<2x22x9x11xf64> into tensor<2x11x2x9x11xf64>
  %out = tensor.empty() : tensor<2x11x3x4x7xf64>
  %init = linalg.fill ins(%zero : f64) outs(%out : tensor<2x11x3x4x7xf64>)
      -> tensor<2x11x3x4x7xf64>
  %sums = linalg.conv_2d_ngchw_gfchw
      {strides = dense<[2, 1]> : vector<2xi64>, dilations = dense<[1, 2]> : vector<2xi64>}
      ins(%groups, %w : tensor<2x11x2x9x11xf64>, tensor<11x3x2x3x3xf64>)
      outs(%init : tensor<2x11x3x4x7xf64>) -> tensor<2x11x3x4x7xf64>
  %y = tensor.collapse_shape %sums [[0], [1, 2], [3], [4]]
      : tensor<2x11x3x4x7xf64> into tensor<2x33x4x7xf64>
  return %y : tensor<2x33x4x7xf64>
}
