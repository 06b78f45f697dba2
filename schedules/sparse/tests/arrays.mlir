// Of a matrix the numbers of each row, a vector as it is.
// CHECK-LABEL: func.func @main(
//  CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<?xi32> {lh.name = "a.positions1"
//  CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<?xi64> {lh.name = "a.coordinates1"
//  CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<?xf32> {{.*}}lh.name = "a.values"
//  CHECK-SAME: tensor<17xf32> {{.*}}lh.name = "x"
//       CHECK: %[[A:.*]] = sparse_tensor.assemble (%[[P]], %[[C]]), %[[V]]
//       CHECK: linalg.matvec ins(%[[A]],
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 64 }>
func.func @main(%a: tensor<13x17xf32, #CSR> {lh.name = "a"}, %x: tensor<17xf32> {lh.name = "x"})
    -> (tensor<13xf32> {lh.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<13xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<13xf32>) -> tensor<13xf32>
  %y = linalg.matvec ins(%a, %x : tensor<13x17xf32, #CSR>, tensor<17xf32>)
      outs(%init : tensor<13xf32>) -> tensor<13xf32>
  return %y : tensor<13xf32>
}
