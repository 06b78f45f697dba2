// Several tiles of rows and panels, and a rest of both.
// CHECK-LABEL: func.func @main
// CHECK:       call @"{{[^"]*}}.product"(
func.func @main(%a: tensor<131x67xf32>, %b: tensor<67x200xf32>)
    -> tensor<131x200xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<131x200xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<131x200xf32>) -> tensor<131x200xf32>
  %product = linalg.matmul ins(%a, %b : tensor<131x67xf32>, tensor<67x200xf32>)
      outs(%start : tensor<131x200xf32>) -> tensor<131x200xf32>
  return %product : tensor<131x200xf32>
}
