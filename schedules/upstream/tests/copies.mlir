// Rows of all ranks are copied as vectors, what is left of a row too.
// CHECK-COUNT-4: vector.transfer_write
// CHECK-NOT: linalg.copy
func.func @main(%a: tensor<70xf32>, %b: tensor<5x66xi8>, %c: tensor<2x3x9xf64>, %d: tensor<1x2x3x130xf32>)
    -> (tensor<80xf32>, tensor<9x70xi8>, tensor<4x4x12xf64>, tensor<2x2x3x140xf32>) {
  %f = arith.constant dense<1.0> : tensor<80xf32>
  %i = arith.constant dense<1> : tensor<9x70xi8>
  %g = arith.constant dense<1.0> : tensor<4x4x12xf64>
  %h = arith.constant dense<1.0> : tensor<2x2x3x140xf32>
  %0 = tensor.insert_slice %a into %f[3] [70] [1] : tensor<70xf32> into tensor<80xf32>
  %1 = tensor.insert_slice %b into %i[2, 1] [5, 66] [1, 1] : tensor<5x66xi8> into tensor<9x70xi8>
  %2 = tensor.insert_slice %c into %g[1, 1, 2] [2, 3, 9] [1, 1, 1] : tensor<2x3x9xf64> into tensor<4x4x12xf64>
  %3 = tensor.insert_slice %d into %h[1, 0, 0, 4] [1, 2, 3, 130] [1, 1, 1, 1]
      : tensor<1x2x3x130xf32> into tensor<2x2x3x140xf32>
  return %0, %1, %2, %3 : tensor<80xf32>, tensor<9x70xi8>, tensor<4x4x12xf64>, tensor<2x2x3x140xf32>
}
