// The argument is read again after a copy of it is overwritten: it stays.
// CHECK-LABEL: func.func @main
// CHECK-SAME:  %[[A:[a-z0-9]+]]: memref<3x5xf32>{{[^%]*}}, %[[R0:.*]]: memref<3x5xf32>, %[[R1:.*]]: memref<3x5xf32>
// CHECK-NOT:   memref.alloc
// CHECK:       linalg.copy ins(%[[A]] {{.*}} outs(%[[R0]]
// CHECK:       linalg.generic {{.*}} outs(%[[R0]]
// CHECK:       linalg.generic {{.*}} ins(%[[A]], %[[R0]] {{.*}} outs(%[[R1]]
// CHECK-NOT:   linalg.{{generic|copy}}
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %doubled = linalg.generic
      {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%a : tensor<3x5xf32>) {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  } -> tensor<3x5xf32>
  %out = tensor.empty() : tensor<3x5xf32>
  %product = linalg.generic
      {indexing_maps = [#id, #id, #id],
       iterator_types = ["parallel", "parallel"]}
      ins(%a, %doubled : tensor<3x5xf32>, tensor<3x5xf32>)
      outs(%out : tensor<3x5xf32>) {
  ^bb0(%x: f32, %y: f32, %unused: f32):
    %z = arith.mulf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<3x5xf32>
  return %doubled, %product : tensor<3x5xf32>, tensor<3x5xf32>
}
