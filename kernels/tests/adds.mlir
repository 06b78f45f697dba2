// The product is added to what is there: no kernel does that.
// CHECK-LABEL: func.func @main
// CHECK-NOT:   call
// CHECK:       linalg.matmul
func.func @main(%a: tensor<29x20xf32>, %b: tensor<20x70xf32>, %c: tensor<29x70xf32>)
    -> tensor<29x70xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<29x70xf32>
  %product = linalg.matmul ins(%a, %b : tensor<29x20xf32>, tensor<20x70xf32>)
      outs(%c : tensor<29x70xf32>) -> tensor<29x70xf32>
  return %product : tensor<29x70xf32>
}
