// A product whose rows and columns fill no tile, twice: the second, whose right operand
// is transposed, stays.
// CHECK-LABEL: func.func @main
// CHECK:       scf.for {{.*}} -> (vector<6x[16]xf32>)
// CHECK:         vector.fma {{.*}} : vector<[16]xf32>
// CHECK:       linalg.generic {{.*}}product
func.func @main(%a: tensor<31x19xf32>, %b: tensor<19x45xf32>, %t: tensor<45x19xf32>)
    -> (tensor<31x45xf32>, tensor<31x45xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<31x45xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<31x45xf32>) -> tensor<31x45xf32>
  %p = linalg.matmul ins(%a, %b : tensor<31x19xf32>, tensor<19x45xf32>)
      outs(%z : tensor<31x45xf32>) -> tensor<31x45xf32>
  %q = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %t : tensor<31x19xf32>, tensor<45x19xf32>)
      outs(%z : tensor<31x45xf32>) -> tensor<31x45xf32>
  return %p, %q : tensor<31x45xf32>, tensor<31x45xf32>
}
