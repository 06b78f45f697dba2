// Loops over rows and over what is stored of one, several numbers at a time.
// CHECK-LABEL: func.func @main(
//       CHECK: scf.for
//       CHECK:   memref.load
//       CHECK:   scf.for
//       CHECK:     vector.create_mask
//       CHECK:     vector.gather {{.*}} vector<{{\[?[0-9]+\]?}}xf32>
//   CHECK-NOT: tensor.
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @main(%a: tensor<13x17xf32, #CSR> {lh.name = "a"}, %x: tensor<17xf32> {lh.name = "x"})
    -> (tensor<13xf32> {lh.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<13xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<13xf32>) -> tensor<13xf32>
  %y = linalg.matvec ins(%a, %x : tensor<13x17xf32, #CSR>, tensor<17xf32>)
      outs(%init : tensor<13xf32>) -> tensor<13xf32>
  return %y : tensor<13xf32>
}
