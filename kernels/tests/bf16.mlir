// Operands of bf16, sums in f32.
// CHECK-LABEL: func.func @main
// CHECK:       call @"{{[^"]*}}.product"(
// CHECK-NOT:   linalg.matmul
func.func @main(%a: tensor<45x64xbf16>, %b: tensor<64x70xbf16>)
    -> tensor<45x70xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<45x70xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<45x70xf32>) -> tensor<45x70xf32>
  %product = linalg.matmul ins(%a, %b : tensor<45x64xbf16>, tensor<64x70xbf16>)
      outs(%start : tensor<45x70xf32>) -> tensor<45x70xf32>
  return %product : tensor<45x70xf32>
}
