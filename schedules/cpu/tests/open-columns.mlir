// A number of columns that isn't known: the last panel may be partly padding.
// PACK-LABEL: func.func @main
// PACK:       linalg.pack {{.*}} inner_tiles = [{{16|32}}] {{.*}} -> tensor<?x13x{{16|32}}xf32>
// PACK-NOT:   linalg.matmul
// PACK:       linalg.unpack {{.*}} -> tensor<5x?xf32>
func.func @main(%a: tensor<5x13xf32>, %b: tensor<13x?xf32>) -> tensor<5x?xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  %columns = tensor.dim %b, %one : tensor<13x?xf32>
  %out = tensor.empty(%columns) : tensor<5x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<5x?xf32>)
      -> tensor<5x?xf32>
  %product = linalg.matmul ins(%a, %b : tensor<5x13xf32>, tensor<13x?xf32>)
                           outs(%init : tensor<5x?xf32>) -> tensor<5x?xf32>
  return %product : tensor<5x?xf32>
}
