// Named ops and a map, one of them used twice: a single generic is left.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.generic
// CHECK:         arith.addf
// CHECK-NEXT:    math.exp
// CHECK-NEXT:    arith.mulf
// CHECK-NEXT:    linalg.yield
// CHECK-NOT:   linalg.{{generic|map|exp|add}}
func.func @main(%a: tensor<3x7xf32>, %b: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %out = tensor.empty() : tensor<3x7xf32>
  %sum = linalg.add ins(%a, %b : tensor<3x7xf32>, tensor<3x7xf32>)
                    outs(%out : tensor<3x7xf32>) -> tensor<3x7xf32>
  %e = linalg.exp ins(%sum : tensor<3x7xf32>) outs(%out : tensor<3x7xf32>)
      -> tensor<3x7xf32>
  %y = linalg.map { arith.mulf }
      ins(%e, %b : tensor<3x7xf32>, tensor<3x7xf32>)
      outs(%out : tensor<3x7xf32>)
  return %y : tensor<3x7xf32>
}
