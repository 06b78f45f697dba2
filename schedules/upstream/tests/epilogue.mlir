// The bias and the activation are computed on the accumulators; sizes fill no tile.
// CHECK: scf.forall
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (vector<{{[0-9]+x[0-9]+}}xf32>)
// CHECK: vector.contract
// CHECK: {sum}
// CHECK: arith.addf %[[SUM]]
// CHECK: arith.maximumf
// CHECK-NOT: linalg.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @main(%a: tensor<31x19xf32>, %b: tensor<19x300xf32>, %bias: tensor<300xf32>)
    -> tensor<31x300xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<31x300xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<31x300xf32>)
      -> tensor<31x300xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<31x19xf32>, tensor<19x300xf32>)
      outs(%start : tensor<31x300xf32>) -> tensor<31x300xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<31x300xf32>, tensor<300xf32>)
      outs(%empty : tensor<31x300xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %2 = arith.addf %x, %y : f32
    %3 = arith.maximumf %2, %zero : f32
    linalg.yield %3 : f32
  } -> tensor<31x300xf32>
  return %1 : tensor<31x300xf32>
}
