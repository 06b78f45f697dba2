// Seven columns are too few for a panel: dot products instead. The fifth row and
// the last 4 of 100 steps don't fill a tile.
// CHOICE: linalg.matmul {lh.choice = #dlti.map<"strategy" = "dot", "rule" = "few_columns">}
//
// PACK-LABEL: func.func @main
// PACK:       linalg.matmul
//
// TILE-LABEL: func.func @main
// TILE:       scf.for {{.*}} -> (vector<4x7x16xf32>)
// TILE:         arith.mulf {{.*}} : vector<4x7x16xf32>
// TILE:         scf.yield {{.*}} : vector<4x7x16xf32>
// TILE-NOT:   linalg.{{matmul|generic}}
func.func @main(%a: tensor<5x100xf32>, %b: tensor<100x7xf32>) -> tensor<5x7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x7xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %p = linalg.matmul  ins(%a, %b : tensor<5x100xf32>, tensor<100x7xf32>) outs(%i : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %p : tensor<5x7xf32>
}
