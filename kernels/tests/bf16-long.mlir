// Operands of bf16, sums in f32.
// CHECK-LABEL: func.func @main
// CHECK:       call @"{{[^"]*}}.product"(
// CHECK-NOT:   linalg.matmul
func.func @main(%a: tensor<600x160xbf16>, %b: tensor<160x96xbf16>)
    -> tensor<600x96xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<600x96xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<600x96xf32>) -> tensor<600x96xf32>
  %product = linalg.matmul ins(%a, %b : tensor<600x160xbf16>, tensor<160x96xbf16>)
      outs(%start : tensor<600x96xf32>) -> tensor<600x96xf32>
  return %product : tensor<600x96xf32>
}
