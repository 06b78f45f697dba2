// Threads multiply, in small tiles; what is cut off is left out of the stores.
// CHOOSE:     tensor<32x96xf32>
// CHOOSE:     linalg.generic {{.*}}lh.kernel = "simt"
// 
// TILE:       scf.forall
// TILE:         scf.for
// TILE:           scf.forall
// TILE:           mapping = [#gpu.thread<y>, #gpu.thread<x>]
// TILE:       lh.kernel = "simt"
// 
// MAP-LABEL:  func.func @main
// MAP:        gpu.launch
// MAP-NOT:    vector.contract
// MAP:        memref.store {{.*}} : memref<17x31xf32>
// MAP-NOT:    linalg.copy ins(%{{.*}} : memref<17x31xf32
func.func @main(%a: tensor<17x9xf32>, %b: tensor<9x31xf32>)
    -> tensor<17x31xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<17x31xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<17x31xf32>)
      -> tensor<17x31xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<17x9xf32>, tensor<9x31xf32>)
      outs(%zeros : tensor<17x31xf32>) -> tensor<17x31xf32>
  return %product : tensor<17x31xf32>
}
