// What is packed in each call, a panel at a time: of half the columns where the last
// panel would be at most half full, of all for few rows; neither for a batch.
// CHOICE: linalg.matmul {lh.choice = #dlti.map<"strategy" = "tile", "rule" = "half_panels", "columns" = [[HALF:[0-9]+]] : i64, "block" = [[HALF]] : i64>}
// CHOICE: linalg.matmul {lh.choice = #dlti.map<"strategy" = "tile", "rule" = "few_rows_of_varying", "block" = {{[0-9]+}} : i64>}
// CHOICE: linalg.matmul {lh.choice = #dlti.map<"strategy" = "tile", "rule" = "many_columns">}
// CHOICE: linalg.batch_matmul {lh.choice = #dlti.map<"strategy" = "tile", "rule" = "many_columns">}
func.func @main(%a: tensor<9x21xf32>, %b: tensor<21x33xf32>, %c: tensor<33x62xf32>, %d: tensor<70x62xf32>, %e: tensor<62x30xf32>, %f: tensor<2x5x11xf32>, %g: tensor<2x11x33xf32>)
    -> (tensor<9x62xf32>, tensor<70x30xf32>, tensor<2x5x33xf32>) {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<9x33xf32>
  %z0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<9x33xf32>) -> tensor<9x33xf32>
  %e1 = tensor.empty() : tensor<9x62xf32>
  %z1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<9x62xf32>) -> tensor<9x62xf32>
  %e2 = tensor.empty() : tensor<70x30xf32>
  %z2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<70x30xf32>) -> tensor<70x30xf32>
  %e3 = tensor.empty() : tensor<2x5x33xf32>
  %z3 = linalg.fill ins(%z : f32) outs(%e3 : tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<9x21xf32>, tensor<21x33xf32>) outs(%z0 : tensor<9x33xf32>) -> tensor<9x33xf32>
  %1 = linalg.matmul ins(%0, %c : tensor<9x33xf32>, tensor<33x62xf32>) outs(%z1 : tensor<9x62xf32>) -> tensor<9x62xf32>
  %2 = linalg.matmul ins(%d, %e : tensor<70x62xf32>, tensor<62x30xf32>) outs(%z2 : tensor<70x30xf32>) -> tensor<70x30xf32>
  %3 = linalg.batch_matmul ins(%f, %g : tensor<2x5x11xf32>, tensor<2x11x33xf32>) outs(%z3 : tensor<2x5x33xf32>) -> tensor<2x5x33xf32>
  return %1, %2, %3 : tensor<9x62xf32>, tensor<70x30xf32>, tensor<2x5x33xf32>
}
