// Products with weights whose last panel of 16 or of 32 columns would be at most half
// full get panels of half the columns.
// CHOICE-LABEL: func.func @main
// CHOICE:       lh.choice = #dlti.map<"strategy" = "tile", "rule" = "half_panels", "columns" = {{8|16}} : i64>
// CHOICE-SAME:  tensor<2x8xf32>
// CHOICE:       lh.choice = #dlti.map<"strategy" = "tile", "rule" = "many_columns">
// CHOICE-SAME:  tensor<2x32xf32>
// CHOICE:       lh.choice = #dlti.map<"strategy" = "tile", "rule" = "half_panels", "columns" = {{8|16}} : i64>
// CHOICE-SAME:  tensor<2x40xf32>
func.func @main(%a: tensor<13x2xf32>)
    -> (tensor<13x8xf32>, tensor<13x32xf32>, tensor<13x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %w0 = arith.constant dense<[[-1.00, -1.50, 0.00, -1.25, 1.75, 1.50, 1.75, 1.00],
        [-0.50, -1.25, 1.75, -2.00, 1.00, 1.25, -2.00, 1.50]]>
      : tensor<2x8xf32>
  %e0 = tensor.empty() : tensor<13x8xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<13x8xf32>) -> tensor<13x8xf32>
  %p0 = linalg.matmul ins(%a, %w0 : tensor<13x2xf32>, tensor<2x8xf32>)
      outs(%z0 : tensor<13x8xf32>) -> tensor<13x8xf32>
  %w1 = arith.constant dense<[[0.00, -0.25, -1.25, 0.50, -2.00, -2.00, -2.00, -2.00,
        1.00, -0.50, 1.25, -2.00, 2.00, -0.25, 1.50, 1.75, -0.25, 0.75, -0.25, -0.25,
        1.50, 0.25, -2.00, 1.25, -1.25, -0.75, 0.25, -1.25, 0.50, 2.00, 1.25, 2.00],
        [-0.50, 0.25, 0.25, 1.75, 2.00, 1.00, -1.75, 1.75, -0.25, 1.00, 1.25, -0.75,
        0.75, 0.75, -1.50, 1.50, 2.00, -1.25, -0.75, 2.00, 1.00, 0.75, 1.75, -2.00,
        1.75, -1.75, 0.25, 1.00, -0.75, -0.75, 2.00, -0.25]]>
      : tensor<2x32xf32>
  %e1 = tensor.empty() : tensor<13x32xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<13x32xf32>) -> tensor<13x32xf32>
  %p1 = linalg.matmul ins(%a, %w1 : tensor<13x2xf32>, tensor<2x32xf32>)
      outs(%z1 : tensor<13x32xf32>) -> tensor<13x32xf32>
  %w2 = arith.constant dense<[[-2.00, -0.50, -0.25, 1.00, 2.00, 0.75, 0.75, 1.50, 0.00,
        -2.00, 1.00, 2.00, -1.00, 2.00, -0.50, 1.25, -1.75, 1.75, 0.75, -0.50, 2.00,
        1.25, 1.75, 0.75, 1.25, 0.75, -2.00, 0.50, 1.50, -2.00, -0.25, -0.75, -0.75,
        -1.50, 0.00, -1.75, -1.50, -1.50, -2.00, 1.50], [-2.00, 0.00, -0.25, 0.00,
        -1.25, -0.75, 0.75, 0.25, -1.50, -0.75, -0.75, 0.00, 2.00, -0.75, 0.00, 0.25,
        1.50, 0.50, 1.75, 1.75, -1.25, -2.00, 0.25, 1.00, 0.50, 1.25, -0.50, 0.00,
        -1.25, 0.00, 2.00, -0.50, 1.25, -2.00, -0.25, -2.00, 1.00, -1.00, -1.75,
        -0.75]]>
      : tensor<2x40xf32>
  %e2 = tensor.empty() : tensor<13x40xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<13x40xf32>) -> tensor<13x40xf32>
  %p2 = linalg.matmul ins(%a, %w2 : tensor<13x2xf32>, tensor<2x40xf32>)
      outs(%z2 : tensor<13x40xf32>) -> tensor<13x40xf32>
  return %p0, %p1, %p2 : tensor<13x8xf32>, tensor<13x32xf32>, tensor<13x40xf32>
}
