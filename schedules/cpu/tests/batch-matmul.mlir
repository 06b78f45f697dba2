// A batch of three, and a sum that starts from something.
// PACK-LABEL: func.func @main
// PACK-COUNT-2: linalg.pack
// PACK-NOT:   linalg.batch_matmul
// PACK:       linalg.unpack {{.*}} -> tensor<3x5x9xf32>
//
// TILE-LABEL: func.func @main
// TILE:       vector.contract {{.*}} into vector<5x{{16|32}}xf32>
// TILE-NOT:   linalg.{{generic|pack|unpack}}
func.func @main(%a: tensor<3x5x7xf32>, %b: tensor<3x7x9xf32>,
                %c: tensor<3x5x9xf32>) -> tensor<3x5x9xf32> {
  %product = linalg.batch_matmul
      ins(%a, %b : tensor<3x5x7xf32>, tensor<3x7x9xf32>)
      outs(%c : tensor<3x5x9xf32>) -> tensor<3x5x9xf32>
  return %product : tensor<3x5x9xf32>
}
