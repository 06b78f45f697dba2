// Both products are tiled; their sum is computed on the tiles of one.
// CHECK: vector.contract
// CHECK: vector.contract
// CHECK: arith.addf {{.*}} : vector<
// CHECK-NOT: linalg.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<37x40xf32>, %b: tensor<40x70xf32>, %c: tensor<37x50xf32>, %d: tensor<50x70xf32>) -> tensor<37x70xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<37x70xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<37x70xf32>) -> tensor<37x70xf32>
  %ab = linalg.matmul ins(%a, %b : tensor<37x40xf32>, tensor<40x70xf32>) outs(%start : tensor<37x70xf32>) -> tensor<37x70xf32>
  %cd = linalg.matmul ins(%c, %d : tensor<37x50xf32>, tensor<50x70xf32>) outs(%start : tensor<37x70xf32>) -> tensor<37x70xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%ab, %cd : tensor<37x70xf32>, tensor<37x70xf32>) outs(%empty : tensor<37x70xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<37x70xf32>
  return %sum : tensor<37x70xf32>
}
