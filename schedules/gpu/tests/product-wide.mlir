// Large tiles where they don't lie mostly empty: 2 x 1 of them.
// CHOOSE:     tensor<256x40xf32>
// CHOOSE:     linalg.generic {{.*}}lh.kernel = "simt"
// 
// TILE:       scf.forall (%{{.*}}, %{{.*}}) in (2, 1)
// TILE:       lh.kernel = "simt", lh.threads = #dlti.map<"left_rows" = 128
// 
// MAP-LABEL:  func.func @main
// MAP:        gpu.launch
// MAP-NOT:    vector.contract
// MAP:        memref.store {{.*}} : memref<136x72xf32>
func.func @main(%a: tensor<136x40xf32>, %b: tensor<40x72xf32>)
    -> tensor<136x72xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<136x72xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<136x72xf32>)
      -> tensor<136x72xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<136x40xf32>, tensor<40x72xf32>)
      outs(%zeros : tensor<136x72xf32>) -> tensor<136x72xf32>
  return %product : tensor<136x72xf32>
}
