// No size fits the tile: 5 rows and part of a panel.
// CHOICE: linalg.matmul {lh.choice = #dlti.map<"strategy" = "tile", "rule" = "few_rows_of_varying", "block" = {{[0-9]+}} : i64>}
//
// PACK-LABEL: func.func @main
// PACK:       linalg.pack {{.*}} inner_tiles = [{{16|32}}] {{.*}} -> tensor<{{[12]}}x13x{{16|32}}xf32>
// PACK-NOT:   linalg.matmul
// PACK:       linalg.unpack {{.*}} -> tensor<5x17xf32>
//
// TILE-LABEL: func.func @main
// TILE:       scf.for {{.*}} -> (vector<5x{{16|32}}xf32>)
// TILE-NOT:     vector.transfer_write
// TILE:         vector.contract
// TILE-NOT:     vector.transfer_write
// TILE:         scf.yield {{.*}} : vector<5x{{16|32}}xf32>
func.func @main(%a: tensor<5x13xf32>, %b: tensor<13x17xf32>)
    -> tensor<5x17xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<5x17xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<5x17xf32>)
      -> tensor<5x17xf32>
  %product = linalg.matmul ins(%a, %b : tensor<5x13xf32>, tensor<13x17xf32>)
                           outs(%init : tensor<5x17xf32>) -> tensor<5x17xf32>
  return %product : tensor<5x17xf32>
}
