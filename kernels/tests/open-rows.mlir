// The number of rows is known at run time.
// CHECK-LABEL: func.func @main
// CHECK:       call @"{{[^"]*}}.product"(
func.func @main(%a: tensor<?x20xf32>, %b: tensor<20x70xf32>)
    -> tensor<?x70xf32> {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %rows = tensor.dim %a, %first : tensor<?x20xf32>
  %out = tensor.empty(%rows) : tensor<?x70xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<?x70xf32>) -> tensor<?x70xf32>
  %product = linalg.matmul ins(%a, %b : tensor<?x20xf32>, tensor<20x70xf32>)
      outs(%start : tensor<?x70xf32>) -> tensor<?x70xf32>
  return %product : tensor<?x70xf32>
}
