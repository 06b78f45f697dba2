// Nothing reads the argument again, and yet it is the caller's: the sum may not
// be computed in it.
// CHECK-LABEL: func.func @main
// CHECK-SAME:  %[[A:[a-z0-9]+]]: memref<3x5xf32>{{[^%]*}}, %[[R:.*]]: memref<3x5xf32>
// CHECK-NOT:   outs(%[[A]]
// CHECK:       linalg.generic {{.*}} outs(%[[R]]
// CHECK-NOT:   outs(%[[A]]
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %doubled = linalg.generic
      {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%a : tensor<3x5xf32>) {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  } -> tensor<3x5xf32>
  return %doubled : tensor<3x5xf32>
}
