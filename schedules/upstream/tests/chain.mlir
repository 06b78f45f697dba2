// Strips of a size that isn't known, the last one masked.
// CHECK-NOT: linalg.generic
// CHECK: vector.transfer_read
// CHECK: vector.create_mask
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<?x37xf32>, %b: tensor<37xf32>) -> tensor<?x37xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x37xf32>
  %empty = tensor.empty(%n) : tensor<?x37xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x37xf32>, tensor<37xf32>) outs(%empty : tensor<?x37xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %1 = arith.mulf %in, %c : f32
    %2 = arith.addf %1, %in : f32
    linalg.yield %2 : f32
  } -> tensor<?x37xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %x : tensor<?x37xf32>, tensor<?x37xf32>) outs(%empty : tensor<?x37xf32>) {
  ^bb0(%in: f32, %c: f32, %out: f32):
    %1 = arith.maximumf %in, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x37xf32>
  return %3 : tensor<?x37xf32>
}
