func.func @main(%a: tensor<?x7xf32>, %b: tensor<7x3xf32>) -> tensor<?x3xf32> {
  %zero = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  %rows = tensor.dim %a, %i : tensor<?x7xf32>
  %empty = tensor.empty(%rows) : tensor<?x3xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x3xf32>)
    -> tensor<?x3xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x7xf32>, tensor<7x3xf32>)
    outs(%fill : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %c : tensor<?x3xf32>
}
