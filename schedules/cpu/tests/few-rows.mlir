// Three rows, and a matrix that isn't packed: whole tiles of 8 x 64, and what is
// left of 37 and 135.
// CHOICE: linalg.matmul {lh.choice = #dlti.map<"strategy" = "thin", "rule" = "few_rows">}
//
// PACK-LABEL: func.func @main
// PACK-NOT:   linalg.pack
// PACK:       linalg.matmul {lh.choice = #dlti.map<"strategy" = "thin", "rule" = "few_rows">}
//
// TILE-LABEL: func.func @main
// TILE:       scf.for {{.*}} %c32 step %c8
// TILE:         scf.for {{.*}} %c128 step %c64
// TILE:           vector.contract {{.*}} : vector<3x8xf32>, vector<8x64xf32> into vector<3x64xf32>
// TILE:         vector.contract {{.*}} : vector<3x8xf32>, vector<8x7xf32> into vector<3x7xf32>
// TILE-NOT:   linalg.{{matmul|generic}}
func.func @main(%a: tensor<3x37xf32>, %b: tensor<37x135xf32>)
    -> tensor<3x135xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x135xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<3x135xf32>) -> tensor<3x135xf32>
  %p = linalg.matmul ins(%a, %b : tensor<3x37xf32>, tensor<37x135xf32>)
                     outs(%i : tensor<3x135xf32>) -> tensor<3x135xf32>
  return %p : tensor<3x135xf32>
}
