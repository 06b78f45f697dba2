// Who chooses before the rules do has chosen: the first product would be tiled as the
// second is.
// CHOICE: linalg.matmul {lh.choice = #dlti.map<"strategy" = "dot", "rule" = "mine">}
// CHOICE: linalg.matmul {lh.choice = #dlti.map<"strategy" = "tile", "rule" = "few_rows_of_varying", "block" = {{[0-9]+}} : i64>}
func.func @main(%a: tensor<13x37xf32>, %b: tensor<37x11xf32>, %c: tensor<11x19xf32>)
    -> tensor<13x19xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<13x11xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<13x11xf32>) -> tensor<13x11xf32>
  %p = linalg.matmul {lh.choice = #dlti.map<"strategy" = "dot", "rule" = "mine">}
      ins(%a, %b : tensor<13x37xf32>, tensor<37x11xf32>)
      outs(%i : tensor<13x11xf32>) -> tensor<13x11xf32>
  %f = tensor.empty() : tensor<13x19xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<13x19xf32>) -> tensor<13x19xf32>
  %q = linalg.matmul ins(%p, %c : tensor<13x11xf32>, tensor<11x19xf32>)
      outs(%j : tensor<13x19xf32>) -> tensor<13x19xf32>
  return %q : tensor<13x19xf32>
}
