// Functions on open sizes in the place of operations on static ones; the second
// takes two attributes. The oracle has the operations themselves.
// CHECK: func.func @main(%[[X:.*]]: tensor<5x7xf32>
// CHECK-NOT: {{tensor.cast|tosa}}
// CHECK: linalg.generic {{.*}} ins(%[[X]] : tensor<5x7xf32>)
// CHECK: math.absf
// CHECK: linalg.generic
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK-NOT: func.func
func.func @main(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = tosa.abs %x : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = tosa.clamp %0 {min_val = 0.25 : f32, max_val = 0.75 : f32} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}
func.func private @"tosa.abs"(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.absf %in : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func private @"tosa.clamp"(%x: tensor<?x?xf32>, %high: f32 {lh.attribute = "max_val"}, %low: f32 {lh.attribute = "min_val"}) -> tensor<?x?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.maximumf %in, %low : f32
    %2 = arith.minimumf %1, %high : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
