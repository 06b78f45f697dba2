// B is B[n, k].
// CHECK: vector.contract
func.func @main(%a: tensor<17x40xf32>, %b: tensor<50x40xf32>) -> tensor<17x50xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<17x50xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<17x50xf32>)
      -> tensor<17x50xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<17x40xf32>, tensor<50x40xf32>)
      outs(%start : tensor<17x50xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<17x50xf32>
  return %0 : tensor<17x50xf32>
}
