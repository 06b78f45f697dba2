// What an importer leaves: a sum computed twice, a shape asked for, a constant
// to fold.
// CHECK-LABEL: func.func @main
// CHECK-NOT:   tensor.dim
// CHECK-NOT:   arith.addi
// CHECK:       %[[SUM:.*]] = linalg.add
// CHECK-NOT:   linalg.add
// CHECK:       return %[[SUM]], %[[SUM]]
func.func @main(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>)
    -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<1xi64>) {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %a, %zero : tensor<3x5xf32>
  %more = arith.addi %rows, %rows : index
  %wide = arith.index_cast %more : index to i64
  %size = tensor.from_elements %wide : tensor<1xi64>
  %out = tensor.empty() : tensor<3x5xf32>
  %first = linalg.add ins(%a, %b : tensor<3x5xf32>, tensor<3x5xf32>)
                      outs(%out : tensor<3x5xf32>) -> tensor<3x5xf32>
  %second = linalg.add ins(%a, %b : tensor<3x5xf32>, tensor<3x5xf32>)
                       outs(%out : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %first, %second, %size
      : tensor<3x5xf32>, tensor<3x5xf32>, tensor<1xi64>
}
