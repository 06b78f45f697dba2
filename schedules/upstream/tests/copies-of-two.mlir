// Of several functions.
// CHECK-COUNT-2: vector.transfer_write
// CHECK-NOT: linalg.copy
func.func private @other(%a: tensor<5x66xf32>, %i: tensor<9x70xf32>) -> tensor<9x70xf32> {
  %0 = tensor.insert_slice %a into %i[2, 1] [5, 66] [1, 1] : tensor<5x66xf32> into tensor<9x70xf32>
  return %0 : tensor<9x70xf32>
}
func.func @main(%a: tensor<5x66xf32>, %b: tensor<9x70xf32>) -> (tensor<9x70xf32>, tensor<9x70xf32>) {
  %0 = tensor.insert_slice %a into %b[1, 1] [5, 66] [1, 1] : tensor<5x66xf32> into tensor<9x70xf32>
  %1 = func.call @other(%a, %b) : (tensor<5x66xf32>, tensor<9x70xf32>) -> tensor<9x70xf32>
  return %0, %1 : tensor<9x70xf32>, tensor<9x70xf32>
}
